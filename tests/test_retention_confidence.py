"""The confidence of a message, and its code blocks."""

from __future__ import annotations

import math

import pytest

from convgate import ToolCall, Turn
from convgate.core.errors import ConfidenceError, TranscriptError
from convgate.policies.retention import code_blocks, confidences
from convgate.policies.retention.hedging import estimated

CALL = (ToolCall("a", "look", "{}"),)


def turn(role: str, text: str = "x", **metadata: object) -> Turn:
    return Turn.of(role, text, metadata=metadata)


def known(*turns: Turn, estimate: bool = False) -> list[tuple[float, str, int | None]]:
    return [(one.value, one.source, one.answer) for one in confidences(turns, estimate=estimate)]


class TestSources:
    def test_what_the_message_states_comes_before_its_tokens_and_these_before_nothing(self):
        logprobs = {"content": [{"token": "a", "logprob": 0.0}, {"token": "b", "logprob": math.log(0.5)}]}
        assert known(turn("assistant", confidence=0.8, logprobs=logprobs)) == [(0.8, "message", None)]
        assert known(turn("assistant", logprobs=logprobs)) == [(0.75, "logprobs", None)]
        assert known(turn("assistant")) == [(0.5, "absent", None)]

    def test_hedging_is_asked_only_where_nothing_is_stated_and_only_when_it_is_wanted(self):
        hedged = "I think it might be Bergen."
        assert known(turn("assistant", hedged)) == [(0.5, "absent", None)]
        assert known(turn("assistant", hedged), estimate=True) == [(0.25, "estimate", None)]
        assert known(turn("assistant", hedged, confidence=0.9), estimate=True)[0][1] == "message"
        assert known(turn("assistant", hedged, logprobs=[0.0]), estimate=True)[0][1] == "logprobs"
        assert known(turn("assistant", "…"), estimate=True) == [(0.5, "absent", None)]


class TestWhoseItIs:
    def test_a_question_has_the_confidence_of_its_answer_whatever_it_states_itself(self):
        asked = turn("user", confidence=0.95)
        assert known(asked, turn("assistant", confidence=0.3)) == [
            (0.3, "message", 1),
            (0.3, "message", None),
        ]
        assert known(asked, turn("assistant"))[0] == (0.5, "absent", 1)

    def test_a_question_without_an_answer_has_its_own_confidence(self):
        assert known(turn("user"), turn("user", confidence=0.8)) == [
            (0.5, "absent", None),
            (0.8, "message", None),
        ]
        answered = [turn("assistant", confidence=0.9), turn("user"), turn("assistant", confidence=0.8)]
        assert known(*answered, turn("user"))[-1] == (0.5, "absent", None)

    def test_of_several_answers_a_question_has_the_highest_so_that_it_goes_last(self):
        answers = [turn("assistant", confidence=value) for value in (0.4, 0.85, 0.6)]
        assert [value for value, _, _ in known(turn("user"), *answers)] == [0.85, 0.4, 0.85, 0.6]
        unstated = [turn("assistant", confidence=0.4), turn("assistant")]
        assert known(turn("user"), *unstated)[0] == (0.5, "absent", 2)

    def test_what_one_user_sends_in_a_row_is_one_question_and_another_user_asks_another(self):
        ann, bob = (Turn.of("user", "x", name=name) for name in ("Ann", "Bob"))
        answer = turn("assistant", confidence=0.8)
        assert [value for value, _, _ in known(ann, ann, answer)] == [0.8, 0.8, 0.8]
        assert [value for value, _, _ in known(ann, turn("system"), ann, answer)] == [0.8, 0.5, 0.8, 0.8]
        assert [value for value, _, _ in known(ann, bob, answer)] == [0.5, 0.8, 0.8]

    def test_calls_and_results_go_with_the_answer_that_they_lead_to(self):
        call = Turn.of("assistant", "Let me look.", tool_calls=CALL)
        result = Turn.of("tool", "31 °C", tool_call_id="a", metadata={"confidence": 0.99})
        answer = turn("assistant", "Hot.", confidence=0.65)
        assert known(turn("user"), call, result, answer) == [
            (0.65, "message", 3), (0.65, "message", 3), (0.65, "message", 3), (0.65, "message", None),
        ]  # fmt: skip
        assert known(turn("user"), answer, call, result)[2:] == [(0.65, "message", 1)] * 2


class TestBadInput:
    @pytest.mark.parametrize(
        "value",
        [
            1.5, -0.1, math.nan, math.inf, 10**400,
            "high", "85%", "0,8", "nan", "1_0",
            "",
            True, [0.8], {"value": 0.8},
        ],
    )  # fmt: skip
    def test_what_is_no_confidence_is_reported_with_its_message_and_field(self, value: object):
        turns = [turn("user"), turn("assistant", confidence=value)]
        with pytest.raises(ConfidenceError) as caught:
            confidences(turns)
        assert caught.value.field == "messages[1].confidence"
        assert isinstance(caught.value, TranscriptError)
        with pytest.raises(ConfidenceError, match=r"messages\[41\]"):
            confidences(turns, first=40)

    @pytest.mark.parametrize(
        ("logprobs", "field"),
        [
            ([0.1], "[0]"),
            ([-1, math.nan], "[1]"),
            ([-1, None], "[1]"),
            ({"content": [{"logprob": -1}, {"token": "x"}]}, ".content[1].logprob"),
            ({"content": "abc"}, ".content"),
            ({"tokens": []}, ""),
            (-0.5, ""),
        ],
    )  # fmt: skip
    def test_bad_log_probabilities_are_reported_by_their_place(self, logprobs: object, field: str):
        with pytest.raises(ConfidenceError) as caught:
            confidences([turn("assistant", logprobs=logprobs)])
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


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("no code, and `inline` does not count", []),
        ("```python\nx = 1\n```", [("python", 1, 3, "x = 1\n")]),
        ("So:\n\n~~~ c++ linenos\nx;\n~~~\nDone.", [("c++", 3, 5, "x;\n")]),
        ("a\n\n```\nplain\n```\nb\n```js\nlet x\n```", [("", 3, 5, "plain\n"), ("js", 7, 9, "let x\n")]),
        ("````md\n```py\ninner\n```\n````", [("md", 1, 5, "```py\ninner\n```\n")]),
        ("- step\n\n  ```sh\n  ls\n  ```", [("sh", 3, 5, "ls\n")]),
        ("Indented:\n\n    x = 1\n    y = 2\n\nDone.", [("", 3, 4, "x = 1\ny = 2\n")]),
        ("```python\nnever closed", [("python", 1, 2, "never closed")]),
        ("a\r\n\r\n```sql\r\nselect 1\r\n```", [("sql", 3, 5, "select 1\n")]),
        ("not a fence: ```x``` here", []),
    ],
)
def test_blocks_come_with_language_place_and_code(text: str, blocks: list):
    assert [(one.language, one.line, one.end, one.code) for one in code_blocks(text)] == blocks
