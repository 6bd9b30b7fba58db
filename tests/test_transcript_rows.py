"""What the transcript component is told, and decisions as files."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.decisions import Override, TurnDecisions
from convgate.ui.changes import changes
from convgate.ui.explore.further import decisions_csv, decisions_json
from convgate.ui.transcript.rows import (
    EXCERPT,
    QUESTION,
    ROWS,
    Labelling,
    Marks,
    excerpt,
    score_scale,
    shown_part,
    situation_name,
    transcript_data,
    when,
)

NOON = datetime(2027, 5, 3, 12, 0)


def talk(*texts: str) -> Conversation:
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
        why_kept="{score:.2f}, above {threshold:.2f}.",
        why_dropped="{score:.2f}, below.",
        because="All alike.",
        logits=logits,
        parts={"semantic": logits - 0.1, "decay": np.full(len(scores), 0.1)},
        tier1=logits,
        attention=logits,
        gate_activation=0.1,
        note=lambda index: "costly",
    )


def rows(decisions: TurnDecisions, marks: Marks | None = None, current: int = 4) -> list[dict[str, object]]:
    conversation = talk()
    situation, _ = conversation.at(current)
    data = transcript_data(conversation, situation, decisions, marks or Marks(), place="t", height="1px")
    found: list[dict[str, object]] = data["rows"]
    return found


def test_each_turn_has_its_state_score_and_reason_without_what_all_have_in_common() -> None:
    made = rows(gate_decisions(0.83, 0.44, 0.7), current=3)
    assert [row["state"] for row in made] == ["kept", "dropped", "kept", "current", "later"]
    assert (made[0]["score"], made[0]["bar"]) == ("0.83", 0.83)
    assert made[0]["reason"] == "Kept: 0.83, above 0.60."
    assert made[1]["reason"] == "Dropped: 0.44, below."
    assert made[3]["bar"] is None


def test_forced_turns_are_never_shown_as_the_policys_choice() -> None:
    forced = gate_decisions(0.83, 0.44, 0.7, 0.2).with_overrides(
        {
            1: Override(True, "it is a tool call.", "messages", "unit"),
            2: Override(False, "no call.", "messages", "x"),
        }
    )
    made = rows(forced)
    assert [(row["state"], row["outcome"]) for row in made[:4]] == [
        ("kept", "kept"), ("forced", "kept anyway"), ("cut", "dropped anyway"), ("dropped", "dropped"),
    ]  # fmt: skip
    assert made[1]["reason"] == "Kept: it is a tool call."


def test_what_a_reason_quotes_does_not_turn_the_reason_around() -> None:
    forced = gate_decisions(0.83, 0.44).with_overrides({1: Override(True, "“\u202eabc” is open.", "m", "x")})
    assert rows(forced, current=2)[1]["reason"] == "\u2066Kept: “abc” is open.\u2069"


def test_flips_and_another_policy_are_marked() -> None:
    now, before = gate_decisions(0.83, 0.44, 0.7, 0.2), gate_decisions(0.83, 0.44, 0.7, 0.2, threshold=0.8)
    made = rows(now, Marks(flips=changes(now, before), other=before, other_label="Other"))
    assert [row["flip"] for row in made] == ["", "", "up", "", ""]
    assert [(row["other"], row["differs"]) for row in made[:4]] == [
        ("kept", False), ("dropped", False), ("dropped", True), ("dropped", False),
    ]  # fmt: skip


def test_a_list_of_some_turns_has_the_message_and_the_selected_one_too() -> None:
    conversation = talk()
    situation, _ = conversation.at(4)
    marks = Marks(only=[1], selected=2, modes={1: ("TASK 0.95", "It says “add”.")})
    data = transcript_data(
        conversation, situation, gate_decisions(0.8, 0.1, 0.1, 0.1), marks, place="t", height="1px"
    )
    assert [(row["turn"], row["mode"]) for row in data["rows"]] == [
        (1, ["TASK 0.95", "It says “add”."]), (2, []), (4, []),
    ]  # fmt: skip
    assert (data["older"], data["newer"], data["count"]) == (0, 0, 5)


def test_a_question_is_the_last_row() -> None:
    conversation = talk()
    situation, _ = conversation.asked("why?")
    data = transcript_data(
        conversation, situation, gate_decisions(0.8, 0.1, 0.1, 0.1, 0.1), Marks(), place="t", height="1px"
    )
    assert data["rows"][-1]["turn"] == QUESTION
    assert (data["rows"][-1]["text"], data["rows"][-1]["state"]) == ("why?", "current")
    assert [row["state"] for row in data["rows"][:2]] == ["kept", "dropped"]


def test_turns_before_the_message_show_what_people_say_and_can_be_answered() -> None:
    said = Labelling(
        mine={0: "relevant", 3: "unsure"}, theirs={0: [("Bo", "unsure")], 4: [("Bo", "relevant")]},
        enabled=True, open={0, 1}, scope="before", targets={0}, client="x", stored=7,
    )  # fmt: skip
    conversation = talk()
    situation, _ = conversation.at(3)
    data = transcript_data(
        conversation,
        situation,
        gate_decisions(0.83, 0.44, 0.7),
        Marks(labelling=said),
        place="t",
        height="1px",
    )
    assert [row["mine"] for row in data["rows"]] == ["relevant", None, None, None, None]
    assert [row["theirs"] for row in data["rows"]] == [[["Bo", "unsure"]], [], [], [], []]
    assert [row["open"] for row in data["rows"]] == [True, True, False, False, False]
    assert [row["aimed"] for row in data["rows"][:3]] == [True, False, False]
    assert data["labelling"] == {
        "situation": "t 3", "enabled": True, "scope": "before", "client": "x",
        "stored": 7,
    }  # fmt: skip
    assert not any(row["open"] for row in rows(gate_decisions(0.83, 0.44, 0.7), current=3))


def test_messages_of_one_conversation_have_names_of_their_own() -> None:
    conversation = talk()
    asked = [conversation.asked(text)[0] for text in ("3", "why?")]
    names = {
        situation_name("t", situation) for situation in [*asked, *(conversation.at(i)[0] for i in range(5))]
    }
    assert len(names) == 7


def test_scores_of_other_scales_fill_a_bar_by_their_highest() -> None:
    assert score_scale(gate_decisions(0.2, 0.4)) == 1.0
    bm25 = replace(gate_decisions(0.2, 0.4), policy="bm25", scores=np.array([0.0, 13.0]), logits=None)
    assert score_scale(bm25) == 13.0
    assert score_scale(replace(bm25, scores=np.array([0.0, 0.0]))) == 1.0
    assert score_scale(replace(bm25, scores=None, threshold=None)) == 1.0


@pytest.mark.parametrize("count", [0, 1, ROWS - 1, ROWS, ROWS + 1, 2_000, 5_003])
def test_the_part_that_is_shown_has_the_focus_with_turns_on_either_side(count: int) -> None:
    for focus in {0, 1, 99, 100, count // 2, max(0, count - 101), max(0, count - 1)}:
        start, stop = shown_part(count, focus)
        assert 0 <= start <= stop <= count
        assert stop - start == min(count, ROWS)
        if focus < count:
            assert min(focus, 100) <= focus - start or start == 0
            assert min(count - 1 - focus, 100) <= stop - 1 - focus


def test_the_shown_part_rests_while_one_reads_on() -> None:
    assert len({shown_part(2_000, focus) for focus in range(1_200, 1_300)}) == 1


def test_a_long_text_is_cut_around_the_first_searched_word() -> None:
    text = "a" * 5_000 + " needle " + "b" * 5_000
    shown, cut = excerpt(text, ["NEEDLE"], whole=False)
    assert cut
    assert "needle" in shown
    assert len(shown) <= EXCERPT + 2
    assert excerpt(text, [], whole=True) == (text, False)
    assert excerpt("short", ["needle"], whole=False) == ("short", False)


def test_times_stand_beside_the_current_message_and_mixed_zones_are_no_error() -> None:
    told, exact = when(NOON - timedelta(hours=2), NOON)
    assert (told, exact) == ("2 hours before", "Mon 3 May 2027, 10:00:00")
    assert when(NOON + timedelta(days=1), NOON)[0] == "1 day later"
    assert when(NOON, NOON)[0] == "just before"
    assert when(NOON.replace(tzinfo=UTC), NOON) == ("3 May, 12:00", "Mon 3 May 2027, 12:00:00 UTC")
    assert when(None, NOON) == ("", "")


FORMULAS = Conversation(
    "t",
    (
        Turn.of("user", "=1+1"), Turn.of("assistant", 'He said "hi",\nthen left', name="+evil"),
        Turn.of("user", "\ud800 half"), Turn.of("user", "now"),
    ),
)  # fmt: skip


def test_csv_has_a_row_for_each_turn_and_nothing_a_spreadsheet_would_run() -> None:
    made = list(csv.DictReader(io.StringIO(decisions_csv(FORMULAS, gate_decisions(0.83, 0.44, 0.7)))))
    assert [row["index"] for row in made] == ["0", "1", "2"]
    assert [row["kept"] for row in made] == ["1", "0", "1"]
    assert (made[0]["text"], made[1]["speaker"]) == ("'=1+1", "'+evil")
    assert made[1]["text"] == 'He said "hi",\nthen left'
    assert made[0]["threshold"] == "0.6"
    parts = [float(row["semantic"]) + float(row["decay"]) for row in made]
    np.testing.assert_allclose(parts, [float(row["logit"]) for row in made], atol=1e-5)


def test_json_has_the_records_and_names_the_situation() -> None:
    situation, _ = FORMULAS.at(3)
    made = json.loads(decisions_json(FORMULAS, situation, gate_decisions(0.83, 0.44, 0.7), "v1"))
    assert (made["turn"], made["version"], made["threshold"], made["rule"]) == (3, "v1", 0.6, "absolute")
    assert [turn["index"] for turn in made["turns"]] == [0, 1, 2]
    assert made["turns"][0]["reason"] == "Kept: 0.83, above 0.60. All alike. costly"
    assert sum(made["turns"][0]["parts"].values()) == pytest.approx(made["turns"][0]["logit"])


def test_policies_without_scores_are_exported_too() -> None:
    plain = TurnDecisions(
        policy="everything", rule="everything", indices=np.arange(3), kept=np.ones(3, dtype=bool),
        why_kept="kept.", why_dropped="",
    )  # fmt: skip
    made = list(csv.DictReader(io.StringIO(decisions_csv(FORMULAS, plain))))
    assert [row["score"] for row in made] == ["", "", ""]
    situation, _ = FORMULAS.asked("why?")
    assert json.loads(decisions_json(FORMULAS, situation, plain, None))["question"] == "why?"
