"""Active and baseline: who pointed where, and the way back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from convgate.errors import GateError
from convgate.versions.pointers import Change, Pointers, read_pointers, write_pointers

NOW = datetime(2026, 11, 21, tzinfo=UTC)
ALL = {"a", "b", "c"}


def after(*names: str | None) -> Pointers:
    """Activated one after the other; "<" goes back."""
    pointers = Pointers()
    for name in names:
        if name == "<":
            pointers = pointers.rolled_back(ALL, "Ben", NOW)
        else:
            pointers = pointers.activated(name, "Ada", NOW)
    return pointers


def test_at_first_what_ships_is_active_and_nothing_is_the_baseline():
    assert (Pointers().active, Pointers().baseline) == (None, None)


@pytest.mark.parametrize(
    ("names", "active"),
    [
        ("a", "a"),
        ("ab", "b"),
        ("a<", None),
        ("ab<", "a"),
        ("abc<<", "a"),
        ("abc<<<", None),
        ("ab<c", "c"),
        ("ab<c<", "a"),
        ("aba<", "b"),
        ("aba<<", "a"),
    ],
)
def test_going_back_twice_goes_back_two(names: str, active: str | None):
    assert after(*names).active == active


def test_there_is_nothing_to_go_back_to_before_the_first():
    for pointers in (Pointers(), after(*"ab<<")):
        with pytest.raises(GateError, match="no version was active before"):
            pointers.rolled_back(ALL, "Ada", NOW)


def test_versions_that_are_gone_are_passed_over():
    assert after(*"abc").rolled_back({"a", "c"}, "Ada", NOW).active == "a"
    assert after(*"ab").rolled_back({"b"}, "Ada", NOW).active is None
    assert after(*"cabc").rolled_back({"c", "a"}, "Ada", NOW).active == "a"
    assert after(*"cbc").rolled_back({"c"}, "Ada", NOW).active is None, "not to itself"


def test_baseline_and_active_do_not_disturb_each_other():
    pointers = after("a", "b").based_on("a", "Ada", NOW)
    assert (pointers.active, pointers.baseline) == ("b", "a")
    assert pointers.rolled_back(ALL, "Ada", NOW).baseline == "a"
    assert pointers.based_on(None, "Ada", NOW).baseline is None


def test_log_comes_back_as_it_was(tmp_path: Path):
    pointers = after("a", "b", "<").based_on("a", "Ben", NOW)
    write_pointers(tmp_path / "pointers.json", pointers)
    assert read_pointers(tmp_path / "pointers.json") == pointers
    assert pointers.changes[2] == Change("active", "a", NOW, "Ben", rollback=True)
    assert read_pointers(tmp_path / "none.json") == Pointers()


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "Invalid JSON"),
        ('{"active": "a"}', "field active is unknown"),
        ('{"changes": [{"pointer": "best"}]}', r"field changes\.0\.pointer: "),
        (json.dumps({"changes": [{"pointer": "active", "version": "a", "who": "x"}]}), r"changes\.0\.when"),
    ],
)
def test_log_edited_by_hand_is_refused_with_what_to_do(tmp_path: Path, content: str, told: str):
    file = tmp_path / "pointers.json"
    file.write_text(content)
    with pytest.raises(GateError, match=rf"pointers\.json: .*{told}.*; put the file back .* or move it away"):
        read_pointers(file)
    assert file.read_text() == content


def test_log_that_rolls_back_to_what_never_was_still_says_where_it_points():
    odd = Pointers((Change("active", "a", NOW, "x", rollback=True),))
    assert odd.active == "a"
