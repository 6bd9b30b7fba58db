"""Decisions: columns that make records, and overrides that say who made them."""

from __future__ import annotations

import json

import numpy as np
import pytest

from convgate.decisions import Override, TurnDecisions, Why


def decisions(**changes) -> TurnDecisions:
    columns = {
        "policy": "gate",
        "rule": "absolute",
        "indices": np.array([3, 4, 5]),
        "kept": np.array([True, False, False]),
        "scores": np.array([0.8, 0.4, 0.59999]),
        "threshold": 0.6,
        "why_kept": "{score:.2f}, above the threshold {threshold:.2f} by {margin:.2f}.",
        "why_dropped": "{score:.2f}, below the threshold {threshold:.2f} by {margin:.2f}.",
        "logits": np.array([1.0, -1.0, 0.0]),
        "parts": {"semantic": np.array([0.5, -0.5, 0.0]), "recency": np.array([0.5, -0.5, 0.0])},
    }
    return TurnDecisions(**{**columns, **changes})


def test_record_says_why_in_a_sentence():
    record = decisions(because="The threshold was set.").of(3)
    assert record.reason == "Kept: 0.80, above the threshold 0.60 by 0.20. The threshold was set."
    assert record.kept
    assert record.margin == pytest.approx(0.2)
    assert record.parts == {"semantic": 0.5, "recency": 0.5}
    assert not record.forced


def test_override_names_its_stage_and_rule_and_is_never_the_policys_choice():
    override = Override(kept=True, reason="its tool call needs it.", stage="messages", rule="tool_unit")
    before = decisions()
    after = before.with_overrides({4: override})
    record = after.of(4)
    assert (record.kept, record.forced, record.stage, record.rule) == (True, True, "messages", "tool_unit")
    assert record.reason == "Kept: its tool call needs it."
    assert after.kept_indices == [3, 4]
    assert before.kept_indices == [3], "the first decisions stay as they were"


@pytest.mark.parametrize("index", [0, 2, 6])
def test_turn_that_was_not_decided_about_is_a_key_error(index: int):
    with pytest.raises(KeyError, match=str(index)):
        decisions().of(index)
    with pytest.raises(KeyError, match=str(index)):
        decisions().with_overrides({index: Override(True, "", "messages", "x")})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="scores has 2 rows for 3 turns"):
        decisions(scores=np.zeros(2))


def test_note_stands_behind_the_reason():
    record = decisions(note=lambda index: "It was cut." if index == 5 else None).of(5)
    assert record.reason.endswith("It was cut.")
    assert decisions().of(5).reason.count(".") < record.reason.count(".")


def test_record_without_scores_has_no_margin():
    plain = decisions(scores=None, threshold=None, logits=None, parts={}, why_kept="new.", why_dropped="old.")
    assert [record.reason for record in plain] == ["Kept: new.", "Dropped: old.", "Dropped: old."]
    assert plain[0].margin is None
    assert plain[0].logit is None


def test_record_is_plain_json():
    values = json.loads(json.dumps(decisions()[0].to_json()))
    assert values["index"] == 3
    assert values["kept"] is True
    assert values["outcome"] == "kept"


def test_each_turn_may_have_a_rule_and_a_reason_of_its_own():
    asked = []

    def told(index: int) -> Why:
        asked.append(index)
        return (
            Why("confident", "sure.") if index == 3 else Why("closed", "old.", how="in the end", stage="end")
        )

    mixed = decisions(told=told, because="Not read.", note=lambda index: "Cut." if index == 5 else None)
    assert not asked, "nothing is told before somebody looks"
    assert [(one.rule, one.stage, one.reason) for one in (mixed.of(3), mixed.of(5))] == [
        ("confident", "policy", "Kept: sure."),
        ("closed", "end", "Dropped in the end: old. Cut."),
    ]
    assert asked == [3, 5]
    changed = mixed.with_overrides({5: Override(True, "needed.", "messages", "tool_unit")})
    assert (changed.of(5).rule, changed.of(5).reason) == ("tool_unit", "Kept: needed. Cut.")
    with pytest.raises(KeyError, match="9"):
        mixed.why(9)


def test_turn_that_was_decided_without_a_score_has_none_and_is_still_json():
    mixed = decisions(
        scores=np.array([0.8, np.nan, 0.2]),
        logits=np.array([1.0, np.nan, -1.0]),
        parts={"semantic": np.array([1.0, np.nan, -1.0])},
        told=lambda index: Why("greeting", "a greeting."),
    )
    record = mixed.of(4)
    assert (record.score, record.threshold, record.margin, record.logit) == (None, None, None, None)
    assert record.parts == {}
    assert mixed.of(3).margin == pytest.approx(0.2)
    assert json.loads(json.dumps([one.to_json() for one in mixed], allow_nan=False))[1]["score"] is None
