"""Rows of the turn table, and decisions as files."""

from __future__ import annotations

import json

import numpy as np
import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.decisions import Override, TurnDecisions
from convgate.gate.subjects import Subjects
from convgate.ui.explore.sending import decisions_json
from convgate.ui.shared.transcript_rows import ROWS, RowMarks, shown_part, transcript_data


def make_conversation(*texts: str) -> Conversation:
    return Conversation("t", tuple(Turn.of("user", text) for text in texts or "abcde"))


def gate_decisions(*scores: float, threshold: float = 0.6) -> TurnDecisions:
    column = np.array(scores)
    logits = np.log(column / (1 - column))
    return TurnDecisions(
        policy="gate",
        rule="absolute",
        indices=np.arange(len(scores)),
        kept=column >= threshold,
        scores=column,
        threshold=threshold,
        why_kept="{score}, above {threshold}.",
        why_dropped="{score}, below.",
        because="All alike.",
        logits=logits,
        parts={"semantic": logits - 0.1, "decay": np.full(len(scores), 0.1)},
        tier1=logits,
        attention=logits,
        is_probability=True,
        gate_activation=0.1,
        note=lambda index: "costly",
    )


def rows(
    decisions: TurnDecisions, marks: RowMarks | None = None, position: int = 4
) -> list[dict[str, object]]:
    conversation = make_conversation()
    current, _ = conversation.at(position)
    data = transcript_data(conversation, current, decisions, marks or RowMarks(), place="t", height="1px")
    records: list[dict[str, object]] = data["rows"]
    return records


def test_each_turn_has_its_state_score_and_reason_without_what_all_have_in_common() -> None:
    records = rows(gate_decisions(0.83, 0.44, 0.7), position=3)
    assert [row["state"] for row in records] == ["kept", "dropped", "kept", "current", "later"]
    assert (records[0]["score"], records[0]["bar"]) == ("0.83", 0.83)
    assert records[3]["bar"] is None


def test_forced_turns_are_never_shown_as_the_policys_choice() -> None:
    forced = gate_decisions(0.83, 0.44, 0.7, 0.2).with_overrides(
        {
            1: Override("unit", "it is a tool call.", stage="repair", kept=True),
            2: Override("x", "no call.", stage="repair", kept=False),
        }
    )
    table = rows(forced)
    assert [(row["state"], row["outcome"]) for row in table[:4]] == [
        ("kept", "likely needed"), ("forced", "kept anyway"), ("cut", "dropped anyway"),
        ("dropped", "dropped, low score"),
    ]  # fmt: skip


def test_runs_of_turns_that_are_dropped_or_sent_in_case_are_folded() -> None:
    turns = [Turn.of("user", text) for text in ("one", "two", "three", "four", "five", "six", "now")]
    current, _ = Conversation("t", tuple(turns)).at(6)
    data = transcript_data(
        Conversation("t", tuple(turns)), current, gate_decisions(0.5, 0.4, 0.3, 0.1, 0.1, 0.4, threshold=0.2),
        RowMarks(subjects=Subjects(turns)), place="t", height="1px",
    )  # fmt: skip
    assert [row["outcome"] for row in data["rows"][:2]] == ["likely needed", "in case"]
    folds = [
        (fold["first"], fold["last"], fold["label"].split(":")[0], fold["state"]) for fold in data["folds"]
    ]
    assert folds == [(1, 2, "2 turns sent in case", "kept"), (3, 4, "2 turns dropped", "dropped")]
    data = transcript_data(
        Conversation("t", tuple(turns)), current, gate_decisions(*[0.1] * 6, threshold=0.2),
        RowMarks(subjects=Subjects(turns), missed={3}), place="t", height="1px",
    )  # fmt: skip
    assert [(fold["first"], fold["last"]) for fold in data["folds"]] == [(0, 2), (4, 5)]


def test_what_a_reason_quotes_does_not_turn_the_reason_around() -> None:
    forced = gate_decisions(0.83, 0.44).with_overrides(
        {1: Override("x", "“\u202eabc” is open.", stage="m", kept=True)}
    )
    assert rows(forced, position=2)[1]["reason"] == "\u2066“abc” is open.\u2069"


@pytest.mark.parametrize("count", [0, 1, ROWS - 1, ROWS, ROWS + 1, 2_000, 5_003])
def test_the_part_that_is_shown_has_the_focus_with_turns_on_either_side(count: int) -> None:
    for focus in {0, 1, 99, 100, count // 2, max(0, count - 101), max(0, count - 1)}:
        start, stop = shown_part(count, focus)
        assert 0 <= start <= stop <= count
        assert stop - start == min(count, ROWS)
        if focus < count:
            assert min(focus, 100) <= focus - start or start == 0
            assert min(count - 1 - focus, 100) <= stop - 1 - focus


FORMULAS = Conversation(
    "t",
    (
        Turn.of("user", "=1+1"), Turn.of("assistant", 'He said "hi",\nthen left', name="+evil"),
        Turn.of("user", "\ud800 half"), Turn.of("user", "now"),
    ),
)  # fmt: skip


def test_json_has_the_records_and_names_the_current_message() -> None:
    current, _ = FORMULAS.at(3)
    values = json.loads(decisions_json(FORMULAS, current, gate_decisions(0.83, 0.44, 0.7), "v1"))
    assert (values["turn"], values["version"], values["threshold"], values["rule"]) == (
        3,
        "v1",
        0.6,
        "absolute",
    )
    assert [turn["index"] for turn in values["turns"]] == [0, 1, 2]
    assert sum(values["turns"][0]["parts"].values()) == pytest.approx(values["turns"][0]["logit"])
