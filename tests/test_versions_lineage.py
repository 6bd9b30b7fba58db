"""Descent of versions, and taking a change of a pointer back."""

from __future__ import annotations

from pathlib import Path

import pytest

from convgate.errors import GateError
from convgate.versions import Draft, Parent, Version, Versions
from convgate.versions.comparison import lineage
from convgate.versions.version import inspect_archive
from tests.fakes import FakeEncoder
from tests.gates import trained_gate


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(tmp_path / "home")


def add(versions: Versions, name: str, parent: Parent | None = None, *, seed: int = 0) -> Version:
    return versions.add(trained_gate(seed=seed), Draft(parent=parent), name=name)


def told(versions: Versions) -> list[tuple[str, str | None, int]]:
    return [(one.version.name, one.parent, one.depth) for one in lineage(versions.listing().versions)]


def test_children_stand_behind_their_parents(versions: Versions) -> None:
    old = add(versions, "old")
    other = add(versions, "other", seed=1)
    child = add(versions, "child", old.as_parent(), seed=2)
    add(versions, "tuned", child.as_parent(), seed=2)  # another threshold, the same weights
    add(versions, "second", old.as_parent(), seed=3)
    assert told(versions) == [
        ("old", None, 0), ("child", "old", 1), ("tuned", "child", 2), ("second", "old", 1),
        ("other", None, 0),
    ]  # fmt: skip
    assert other.card.parent is None


def test_a_version_of_the_same_name_and_other_weights_is_no_parent(versions: Versions) -> None:
    add(versions, "base")
    add(versions, "child", Parent("base", "a" * 64), seed=1)
    add(versions, "orphan", Parent("gone", "b" * 64), seed=2)
    assert told(versions) == [("base", None, 0), ("child", None, 0), ("orphan", None, 0)]


def test_versions_that_name_each_other_are_listed_once(versions: Versions) -> None:
    weights = trained_gate()
    a = versions.add(weights, Draft(), name="a")
    versions.add(weights, Draft(parent=a.as_parent()), name="b")
    card = versions.root / "a" / "card.json"
    card.write_text((versions.root / "b" / "card.json").read_text().replace('"name": "a"', '"name": "b"'))
    assert sorted(name for name, *_ in told(versions)) == ["a", "b"]


def test_the_last_change_is_taken_back_exactly(versions: Versions) -> None:
    for seed, name in enumerate("abc"):
        add(versions, name, seed=seed)
    versions.activate("a", who="Ada")
    change = versions.activate("b", who="Ada")
    assert change is not None
    versions.take_back(change, who="Ben")
    assert (versions.active, versions.history[-1].who) == ("a", "Ben")
    assert versions.rollback(who="Ada") is None, "a was taken into use first, so nothing stands before it"

    versions.activate("a", who="Ada")
    versions.activate("b", who="Ada")
    versions.rollback(who="Ada")
    versions.take_back(versions.history[-1], who="Ada")
    assert versions.active == "b"
    assert versions.rollback(who="Ada") == "a"

    pinned = versions.set_baseline("c", who="Ada")
    assert pinned is not None
    assert versions.set_baseline("c", who="Ada") is None
    versions.take_back(pinned, who="Ada")
    assert versions.baseline is None


def test_what_somebody_changed_since_is_not_taken_back(versions: Versions) -> None:
    for seed, name in enumerate("ab"):
        add(versions, name, seed=seed)
    change = versions.activate("a", who="Ada")
    assert change is not None
    versions.activate("b", who="Ben")
    with pytest.raises(GateError, match="active was changed again since"):
        versions.take_back(change, who="Ada")
    assert versions.active == "b"


def test_the_baseline_can_be_let_go(versions: Versions) -> None:
    add(versions, "a")
    versions.set_baseline("a", who="Ada")
    versions.set_baseline(None, who="Ada")
    assert versions.baseline is None


def test_a_version_of_another_encoder_is_not_activated(versions: Versions) -> None:
    from convgate.gate.config import GateConfig
    from convgate.gate.model import Gate

    versions.add(Gate(GateConfig(encoder=FakeEncoder(model="foreign").identity)), Draft(), name="foreign")
    with pytest.raises(GateError, match="made for the encoder foreign@1"):
        versions.activate("foreign", who="Ada", encoder=FakeEncoder().identity)
    assert versions.active is None


def test_a_packed_version_is_looked_at_without_being_stored(versions: Versions) -> None:
    made = add(versions, "mine")
    content = versions.export("mine")
    found = inspect_archive(content, "mine.zip")
    assert (found.name, found.card, found.config) == ("mine", made.card, made.config)
    assert versions.names() == ["mine"]
    with pytest.raises(GateError, match=r"mine\.zip cannot be read as an exported version"):
        inspect_archive(content[:-40], "mine.zip")
