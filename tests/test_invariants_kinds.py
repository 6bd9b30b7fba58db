"""The model of kinds: what it finds beside the patterns, what it takes back, and its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from convgate.context.invariants.kinds.fitting import Prepared, fit
from convgate.context.invariants.kinds.judge import LIKENESS, KindJudge, weighed
from convgate.context.invariants.kinds.labelled_statements import (
    KINDS,
    Kind,
    LabelledStatement,
    packaged_statements,
    statements_hash,
)
from convgate.context.invariants.kinds.model import KindModel
from convgate.context.invariants.kinds.model_file import read_model, shipped_model, write_model
from convgate.context.modes.model import Floats

from convgate.context.invariants import find_invariants
from convgate.context.invariants.reading import read
from convgate.context.invariants.statement import Statement
from convgate.conversation import Turn
from convgate.errors import ContextError
from tests.fakes import FakeEncoder

PLAIN = "The lamp is lovely."
RULE = "Never use more than three colours."


def likely(kind: Kind, share: float) -> Floats:
    """Probabilities with that share for one kind, and all else for none; of none, for a constraint."""
    row = np.zeros(len(KINDS), dtype=np.float32)
    row[KINDS.index("hard_constraint" if kind == "none" else "none")] = 1 - share
    row[KINDS.index(kind)] = share
    return row


def small() -> tuple[Prepared, FakeEncoder]:
    encoder = FakeEncoder()
    said: list[tuple[str, Kind]] = [
        ("keep it dry, whatever it takes", "hard_constraint"), ("keep it dry, always", "hard_constraint"),
        ("sesame harms my son", "safety_requirement"), ("sesame kills my son", "safety_requirement"),
        ("wrong, it was Tuesday", "user_correction"), ("wrong, it was Monday", "user_correction"),
        ("the screen stays black", "blocking_error"), ("the screen stays dark", "blocking_error"),
        ("thanks a lot", "none"), ("thanks, see you", "none"),
    ]  # fmt: skip
    return Prepared.of([LabelledStatement(text, kind, "me") for text, kind in said], encoder), encoder


class Sure:
    """A judge that takes some statements for one kind."""

    def __init__(self, kind: Kind, share: float = 0.9) -> None:
        self.row = likely(kind, share)

    def judged(self, messages: Sequence[tuple[str, Sequence[Statement]]]) -> list[tuple[Statement, ...]]:
        return [
            tuple(weighed(one, self.row) if text in (PLAIN, RULE) else one for one in told)
            for text, told in messages
        ]


@pytest.mark.parametrize("kind", KINDS[1:])
def test_what_no_pattern_knows_is_found_with_its_likelihood(kind: Kind) -> None:
    talk = [Turn.of("user", "Hello."), Turn.of("assistant", "The lamp is red."), Turn.of("user", PLAIN)]
    assert find_invariants(talk) == []
    (found,) = find_invariants(talk, Sure(kind))
    assert (found.type, found.source, found.text) == (kind, 2, PLAIN)
    assert found.reason.startswith("It reads as what ")
    assert "likely by 0.90" in found.reason
    assert find_invariants(talk, Sure(kind, 0.5)) == [], "not sure enough"


def test_what_patterns_found_is_taken_back_only_when_the_model_is_quite_sure() -> None:
    talk = [Turn.of("user", RULE)]
    assert [one.type for one in find_invariants(talk)] == ["hard_constraint"]
    assert find_invariants(talk, Sure("none", 0.95)) == []
    kept = find_invariants(talk, Sure("none", 0.8))
    assert [one.reason for one in kept] == [one.reason for one in find_invariants(talk)]
    assert [one.type for one in find_invariants(talk, Sure("safety_requirement"))] == ["safety_requirement"]


def test_a_rule_is_no_longer_critical_when_it_reads_as_a_plain_one() -> None:
    (one,) = read(RULE)
    critical = replace(one, critical="health")
    assert weighed(critical, likely("hard_constraint", 0.9)).critical == ""
    assert weighed(critical, likely("hard_constraint", 0.6)).critical == "health"
    assert weighed(one, likely("safety_requirement", 0.9)).critical == LIKENESS


def test_words_of_a_kind_that_the_model_does_not_see_at_all_are_no_sign_of_it() -> None:
    (one,) = read("Wrong tries lock the name.")
    assert one.corrects
    assert not weighed(one, likely("blocking_error", 0.99)).corrects
    assert weighed(one, likely("blocking_error", 0.99)).error
    row = likely("blocking_error", 0.9)
    row[KINDS.index("user_correction")], row[0] = 0.1, 0
    assert weighed(one, row) == one, "it sees it a little"


@pytest.mark.parametrize("text", ["It works now.", "Forget the limit.", "Must it be blue?"])
def test_what_ends_or_asks_something_is_left_to_the_patterns(text: str) -> None:
    (one,) = read(text)
    assert weighed(one, likely("hard_constraint", 0.99)) == one


def test_a_small_model_knows_its_statements_and_encodes_each_once() -> None:
    data, encoder = small()
    judge = KindJudge(fit(data), encoder, remembered=4)
    encoded = len(encoder.calls)
    talk = [
        Turn.of("user", "Hi."),
        Turn.of("assistant", "Dry?"),
        Turn.of("user", "keep it dry, whatever it takes"),
    ]
    assert find_invariants(talk, judge)[-1].source == 2
    assert len(encoder.calls) == encoded + 1, "all statements of a conversation at once"
    find_invariants(talk, judge)
    assert len(encoder.calls) == encoded + 1
    find_invariants([Turn.of("user", f"Number {n} is here.") for n in range(9)], judge)
    assert len(judge._memory) == 4
    assert judge.judged([]) == []


def test_the_file_gives_the_same_model_back(tmp_path: Path) -> None:
    data, _ = small()
    model = fit(data)
    write_model(model, tmp_path / "deep" / "kinds.safetensors")
    again = read_model(tmp_path / "deep" / "kinds.safetensors")
    assert (again.names, again.statements) == (model.names, statements_hash(data.statements))
    shown = model.probabilities(data.runs, data.vectors)
    assert np.array_equal(again.probabilities(data.runs, data.vectors), shown)
    assert [KINDS[row] for row in shown.argmax(axis=1)] == [one.kind for one in data.statements]
    assert np.allclose(shown.sum(axis=1), 1, atol=1e-5)


def test_bad_files_are_told(tmp_path: Path) -> None:
    file = tmp_path / "kinds.safetensors"
    with pytest.raises(ContextError, match="cannot be read"):
        read_model(file)
    file.write_bytes(b"nonsense")
    with pytest.raises(ContextError, match="cannot be read"):
        read_model(file)
    data, _ = small()
    model = fit(data)
    for damaged, match in (
        (replace(model, bias=model.bias[:3]), r"bias of the model .* is float32 of shape \(3,\)"),
        (replace(model, runs=model.runs * np.float32("nan")), "runs of the model"),
        (replace(model, names=model.names[1:]), "runs of the model"),
    ):
        write_model(damaged, file)
        with pytest.raises(ContextError, match=match):
            read_model(file)
    (tmp_path / "a file").write_text("")
    with pytest.raises(ContextError, match="cannot be written"):
        write_model(model, tmp_path / "a file" / "kinds.safetensors")


def test_the_shipped_model_is_made_of_the_packaged_statements() -> None:
    model: KindModel = shipped_model()
    statements = packaged_statements()
    assert model.statements == statements_hash(statements), "run `python -m scripts.statement_kinds --write`"
    assert len(statements) > 4_000
    assert {one.kind for one in statements} == set(KINDS)
