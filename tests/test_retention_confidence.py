"""Where a message's confidence comes from, whose it is, and what is no confidence."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from convgate import ToolCall, Turn
from convgate.errors import ConfidenceError, TranscriptError
from convgate.retention import Confidence, band_of, confidences
from convgate.retention.hedging import _SENTENCE_END, estimated
from convgate.transcripts import read_conversations, read_relevance_set

CALL = (ToolCall("a", "look", "{}"),)


def said(role: str, text: str = "x", **metadata: object) -> Turn:
    return Turn.of(role, text, metadata=metadata)


def found(*turns: Turn, estimate: bool = False) -> list[tuple[float, str, int | None]]:
    return [(one.value, one.source, one.answer) for one in confidences(turns, estimate=estimate)]


@pytest.mark.parametrize(
    ("value", "band"),
    [
        (1.0, "unlimited"), (0.7, "unlimited"), (math.nextafter(0.7, 0), "checkpoints"), (0.6, "checkpoints"),
        (math.nextafter(0.6, 0), "base_window"), (0.5, "base_window"),
        (math.nextafter(0.5, 0), "first_to_go"), (0.0, "first_to_go"),
    ],
)  # fmt: skip
def test_each_border_belongs_to_the_band_above_it(value: float, band: str):
    assert band_of(value) == band == Confidence(value).band


class TestSources:
    def test_what_the_message_states_comes_before_its_tokens_and_these_before_nothing(self):
        logprobs = {"content": [{"token": "a", "logprob": 0.0}, {"token": "b", "logprob": math.log(0.5)}]}
        assert found(said("assistant", confidence=0.8, logprobs=logprobs)) == [(0.8, "message", None)]
        assert found(said("assistant", logprobs=logprobs)) == [(0.75, "logprobs", None)]
        assert found(said("assistant")) == [(0.5, "absent", None)]

    @pytest.mark.parametrize(
        "given",
        [
            {"confidence": 0.8},
            {"confidence": "0.8"},
            {"confidence": " .8 "},
            {"confidence": "8e-1"},
            {"Confidence": "0.8"},
            {"metadata": {"confidence": 0.8}},
            {"confidence": 0.8, "metadata": {"confidence": 0.1}},
            {"confidence": None, "metadata": {"confidence": 0.8}},
        ],
    )
    def test_it_may_stand_as_text_in_capitals_and_in_an_inner_object(self, given: dict):
        assert found(said("assistant", **given)) == [(0.8, "message", None)]

    @pytest.mark.parametrize(("given", "value"), [(0, 0.0), (1, 1.0), ("1", 1.0), (1.0, 1.0)])
    def test_both_ends_are_confidences(self, given: object, value: float):
        assert found(said("assistant", confidence=given)) == [(value, "message", None)]

    @pytest.mark.parametrize(
        "logprobs",
        [
            [0.0, math.log(0.5)],
            [{"logprob": 0}, {"logprob": str(math.log(0.5))}],
            {"content": None, "refusal": [{"logprob": 0.0}, {"logprob": math.log(0.5)}]},
        ],
    )
    def test_token_probabilities_are_averaged_in_each_of_their_forms(self, logprobs: object):
        ((value, source, _),) = found(said("assistant", logprobs=logprobs))
        assert (round(value, 12), source) == (0.75, "logprobs")

    def test_tokens_of_a_border_are_not_pushed_below_it_by_adding_them_up(self):
        for count in (1, 3, 6, 53):
            ((value, _, _),) = found(said("assistant", logprobs=[math.log(0.7)] * count))
            assert value == 0.7

    def test_a_token_that_was_as_good_as_impossible_counts_as_0(self):
        assert found(said("assistant", logprobs=[0.0, -math.inf, -9999.0, -(10**400)]))[0][0] == 0.25

    @pytest.mark.parametrize("nothing", [None, [], {}, {"content": []}, {"content": None, "refusal": None}])
    def test_no_tokens_are_no_statement(self, nothing: object):
        assert found(said("assistant", confidence=None, logprobs=nothing)) == [(0.5, "absent", None)]

    def test_hedging_is_asked_only_where_nothing_is_stated_and_only_when_it_is_wanted(self):
        hedged = "I think it might be Bergen."
        assert found(said("assistant", hedged)) == [(0.5, "absent", None)]
        assert found(said("assistant", hedged), estimate=True) == [(0.25, "estimate", None)]
        assert found(said("assistant", hedged, confidence=0.9), estimate=True)[0][1] == "message"
        assert found(said("assistant", hedged, logprobs=[0.0]), estimate=True)[0][1] == "logprobs"
        assert found(said("assistant", "…"), estimate=True) == [(0.5, "absent", None)]


class TestWhoseItIs:
    def test_a_question_has_the_confidence_of_its_answer_whatever_it_states_itself(self):
        asked = said("user", confidence=0.95)
        assert found(asked, said("assistant", confidence=0.3)) == [
            (0.3, "message", 1),
            (0.3, "message", None),
        ]
        assert found(asked, said("assistant"))[0] == (0.5, "absent", 1)

    def test_a_question_without_an_answer_speaks_for_itself(self):
        assert found(said("user"), said("user", confidence=0.8)) == [
            (0.5, "absent", None),
            (0.8, "message", None),
        ]
        answered = [said("assistant", confidence=0.9), said("user"), said("assistant", confidence=0.8)]
        assert found(*answered, said("user"))[-1] == (0.5, "absent", None)

    def test_of_several_answers_a_question_has_the_highest_so_that_it_goes_last(self):
        answers = [said("assistant", confidence=value) for value in (0.4, 0.85, 0.6)]
        assert [value for value, _, _ in found(said("user"), *answers)] == [0.85, 0.4, 0.85, 0.6]
        unstated = [said("assistant", confidence=0.4), said("assistant")]
        assert found(said("user"), *unstated)[0] == (0.5, "absent", 2)

    def test_what_one_user_sends_in_a_row_is_one_question_and_another_user_asks_another(self):
        ann, bob = (Turn.of("user", "x", name=name) for name in ("Ann", "Bob"))
        answer = said("assistant", confidence=0.8)
        assert [value for value, _, _ in found(ann, ann, answer)] == [0.8, 0.8, 0.8]
        assert [value for value, _, _ in found(ann, said("system"), ann, answer)] == [0.8, 0.5, 0.8, 0.8]
        assert [value for value, _, _ in found(ann, bob, answer)] == [0.5, 0.8, 0.8]

    def test_calls_and_results_go_with_the_answer_that_they_lead_to(self):
        call = Turn.of("assistant", "Let me look.", tool_calls=CALL)
        result = Turn.of("tool", "31 °C", tool_call_id="a", metadata={"confidence": 0.99})
        answer = said("assistant", "Hot.", confidence=0.65)
        assert found(said("user"), call, result, answer) == [
            (0.65, "message", 3), (0.65, "message", 3), (0.65, "message", 3), (0.65, "message", None),
        ]  # fmt: skip
        assert found(said("user"), answer, call, result)[2:] == [(0.65, "message", 1)] * 2

    def test_a_call_that_states_its_own_keeps_it(self):
        call = Turn("assistant", tool_calls=CALL, metadata={"confidence": 0.75})
        result = Turn.of("tool", "31 °C", tool_call_id="a")
        told = [said("user"), call, result, said("assistant", confidence=0.6)]
        assert found(*told) == [
            (0.75, "message", 1), (0.75, "message", None), (0.6, "message", 3), (0.6, "message", None),
        ]  # fmt: skip
        assert found(said("user"), call, result)[2] == (0.75, "message", 1)

    def test_an_estimate_is_marked_as_one_in_the_question_too(self):
        talk = [said("user", "Where?"), said("assistant", "Perhaps in Bergen.")]
        assert found(*talk, estimate=True) == [(0.25, "estimate", 1), (0.25, "estimate", None)]
        assert confidences(talk, estimate=True)[0].told() == "its answer's estimated confidence 0.25"


class TestBadInput:
    @pytest.mark.parametrize("value", [1.5, -0.1, math.nan, "0.8", None, True])
    def test_none_is_made_by_hand_either(self, value: object):
        with pytest.raises(ConfidenceError, match="a confidence is a number from 0 to 1; got"):
            Confidence(value)  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("value", "shown"),
        [
            (1.5, "1.5"), (-0.1, "-0.1"), (math.nan, "nan"), (math.inf, "inf"), (10**400, "1000"),
            ("high", "'high'"), ("85%", "'85%'"), ("0,8", "'0,8'"), ("nan", "'nan'"), ("1_0", "'1_0'"),
            ("", "''"),
            (True, "True"), ([0.8], r"\[0.8\]"), ({"value": 0.8}, "{'value'"),
        ],
    )  # fmt: skip
    def test_what_is_no_confidence_is_told_with_its_message_and_field(self, value: object, shown: str):
        turns = [said("user"), said("assistant", confidence=value)]
        with pytest.raises(ConfidenceError, match=rf"from 0 to 1; got {shown}") as caught:
            confidences(turns)
        assert caught.value.field == "messages[1].confidence"
        assert isinstance(caught.value, TranscriptError)
        with pytest.raises(ConfidenceError, match=r"messages\[41\]"):
            confidences(turns, first=40)

    @pytest.mark.parametrize("role", ["user", "tool", "system"])
    def test_it_is_told_also_where_the_value_would_not_be_used(self, role: str):
        with pytest.raises(ConfidenceError, match=r"messages\[0\]\.metadata\.confidence"):
            confidences([said(role, metadata={"confidence": 2}), said("assistant", confidence=0.5)])

    @pytest.mark.parametrize(
        ("logprobs", "field", "problem"),
        [
            ([0.1], "[0]", "a number up to 0; got 0.1"),
            ([-1, math.nan], "[1]", "got nan"),
            ([-1, None], "[1]", "got None"),
            ({"content": [{"logprob": -1}, {"token": "x"}]}, ".content[1].logprob", "got None"),
            ({"content": "abc"}, ".content", "list of log-probabilities"),
            ({"tokens": []}, "", "list of log-probabilities"),
            (-0.5, "", "list of log-probabilities"),
        ],
    )  # fmt: skip
    def test_bad_log_probabilities_are_told_by_their_place(self, logprobs: object, field: str, problem: str):
        with pytest.raises(ConfidenceError, match=problem) as caught:
            confidences([said("assistant", logprobs=logprobs)])
        assert caught.value.field == f"messages[0].logprobs{field}"


class TestHedging:
    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("Oslo is the capital of Norway.", 0.65),
            ("I'm not sure, but it could be Bergen.", 0.25),
            ("It is Oslo. Perhaps ask again.", 0.45),
            ("I tested it. All tests pass.", 0.75),
            ("Certainly, maybe.", 0.25),
            ("Das könnte stimmen.", 0.25),
            ("Ich bin mir sicher.", 0.75),
            ("C’est peut-être vrai.", 0.25),
            ("I’m not really certain.", 0.25),
            ("Mighty almighty seaside.", 0.65),
        ],
    )
    def test_hedges_lower_and_assurances_raise(self, text: str, value: float):
        assert estimated(text) == value

    def test_a_sentence_ends_at_white_space_behind_its_mark(self):
        assert estimated("It is 3.5. Perhaps!? Yes…\nSo") == pytest.approx(0.65 - 0.4 / 4)

    def test_marks_without_end_are_read_in_linear_time(self):
        assert len(_SENTENCE_END.split("?!" * 500_000)) == 1  # for hours, were each mark a beginning

    def test_of_a_long_message_the_beginning_is_read(self):
        assert estimated("It is so. " * 5_000 + "Perhaps. " * 90_000) == 0.65

    def test_code_is_not_read(self):
        assert estimated("It is this:\n\n```haskell\nmaybe 0 id\n```\n\nCall `maybe` with it.") == 0.65
        assert estimated("```\nx = 1\n```") is None

    def test_plain_statements_alone_never_stay_without_limit(self):
        assert band_of(estimated("Water boils at 100 °C. " * 50) or 0) == "checkpoints"


def test_every_reader_brings_the_confidence_along(tmp_path: Path):
    messages = [
        {"role": "user", "content": "Why?"},
        {"role": "assistant", "content": "So.", "confidence": 0.8},
    ]
    case = {"type": "case", "id": "c", "conversation": "talk", "turn": 1, "relevant": []}
    talk = {"type": "conversation", "id": "talk", "messages": messages}
    shared = {
        "conversations": [
            {"from": "human", "value": "Why?"},
            {"from": "gpt", "value": "So.", "confidence": 0.8},
        ]
    }
    written = {
        "object.json": json.dumps({"messages": messages}),
        "lines.jsonl": "\n".join(map(json.dumps, messages)),
        "table.csv": "role,text,Confidence\nuser,Why?,\nassistant,So.,0.8\n",
        "sharegpt.json": json.dumps(shared),
        "set.relevance.jsonl": f"{json.dumps(talk)}\n{json.dumps(case)}\n",
    }
    for name, text in written.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        (conversation,) = read_conversations(tmp_path / name).conversations
        assert [one.value for one in confidences(conversation.turns)] == [0.8, 0.8], name
    (judged,) = read_relevance_set(tmp_path / "set.relevance.jsonl").conversations.values()
    assert confidences(judged.turns)[1] == Confidence(0.8)
