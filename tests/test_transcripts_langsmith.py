"""LangSmith's runs: model calls in trees and one a line, threads, and the shapes of inputs and outputs."""

from __future__ import annotations

import json
from typing import Any

import pytest

from convgate.core.errors import TranscriptError
from convgate.transcripts import Transcript, read_conversations
from tests.transcript_files import FOLDER, said

ASKED, SAID = ("user", "Which knot holds?"), ("assistant", "A bowline.")
HUMAN = {"type": "human", "content": ASKED[1]}
ANSWER = {"role": "assistant", "content": SAID[1]}


def _read(*runs: dict[str, Any]) -> Transcript:
    return read_conversations("\n".join(map(json.dumps, runs)).encode())


def _run(inputs: Any, outputs: Any, **fields: Any) -> dict[str, Any]:
    return {"id": "r1", "trace_id": "t1", "run_type": "llm", "inputs": inputs, "outputs": outputs, **fields}


def test_a_thread_is_one_conversation_and_what_its_calls_repeat_is_read_once() -> None:
    (talk,) = read_conversations(FOLDER / "langsmith_tree.json")
    assert talk.id == "boat-7"
    assert said(talk) == [
        ("system", "You know the tides."), ("user", "When is low tide?"), ("assistant", ""),
        ("tool", "14:10"), ("assistant", "At 14:10."), ("user", "And tomorrow?"),
        ("assistant", "At three."),
    ]  # fmt: skip
    (call,) = talk.turns[2].tool_calls
    assert (call.name, call.id, talk.turns[3].tool_call_id) == ("tides", "c1", "c1")
    assert [turn.timestamp.day for turn in talk.turns if turn.timestamp] == [1, 1, 1, 1, 2, 2]


def test_runs_are_read_one_a_line_and_other_answers_are_counted() -> None:
    transcript = read_conversations(FOLDER / "langsmith_runs.jsonl")
    assert [each.id for each in transcript] == ["knots", "0190a000-0000-7000-8000-000000000009"]
    assert dict(transcript.summary.omitted) == {"other answer": 1}


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        ({"messages": [{"role": "user", "content": ASKED[1]}]}, ANSWER),
        ({"messages": [HUMAN]}, {"messages": [{"type": "ai", "content": SAID[1]}]}),
        ({"messages": [[{"type": "human", "data": HUMAN}]]}, {"generations": [[{"text": SAID[1]}]]}),
        ({"messages": [list(ASKED)]}, {"message": ANSWER}),
        ({"question": ASKED[1], "k": 3}, {"answer": SAID[1]}),
        ({"prompts": [ASKED[1]]}, {"generations": [{"text": SAID[1]}]}),
        (json.dumps({"input": {"messages": [list(ASKED)]}}), SAID[1]),
    ],
)
def test_inputs_and_outputs_may_have_any_of_these_shapes(inputs: Any, outputs: Any) -> None:
    (conversation,) = _read(_run(inputs, outputs))
    assert said(conversation) == [ASKED, SAID]


def test_the_state_of_a_first_run_repeats_no_message_and_steps_below_it_are_no_calls() -> None:
    state = [HUMAN, {"type": "ai", "content": SAID[1]}]
    first = _run({"messages": state[:1]}, {"messages": state}, run_type="chain")
    other = [{"type": "human", "content": "Summarize."}]
    step = _run({"messages": other}, {"messages": other}, run_type="chain", parent_run_id="r1")
    transcript = _read(first, step)
    assert [said(each) for each in transcript] == [[ASKED, SAID]]
    assert not transcript.summary.omitted


def test_the_trace_is_told_by_the_order_where_it_has_no_id() -> None:
    order = "20260501T080000000000Zaaa.20260501T080001000000Zbbb"
    calls = [_run(ASKED[1], SAID[1], id=id, trace_id=None, dotted_order=order) for id in ("bbb", "ccc")]
    assert [each.id for each in _read(*calls)] == ["aaa"]


def test_the_session_of_a_run_is_its_project_and_no_conversation() -> None:
    one = _run(ASKED[1], SAID[1], session_id="project")
    other = _run(ASKED[1], "A hitch.", trace_id="t2", session_id="project")
    assert [each.id for each in _read(one, other)] == ["t1", "t2"]


def test_runs_without_messages_are_an_error_or_counted() -> None:
    empty = _run({"x": 1}, {"y": 2})
    with pytest.raises(TranscriptError, match="LangSmith runs hold no messages"):
        _read(empty)
    assert dict(_read(empty, _run(ASKED[1], SAID[1])).summary.omitted) == {"non-chat generation": 2}


def test_instructions_may_be_blocks() -> None:
    asked = {
        "messages": [{"role": "user", "content": ASKED[1]}],
        "system": [{"type": "text", "text": "Brief."}],
    }
    (conversation,) = _read(_run(asked, ANSWER))
    assert said(conversation) == [("system", "Brief."), ASKED, SAID]


def test_items_of_the_responses_api_are_read() -> None:
    call = {"type": "function_call", "id": "f", "call_id": "c", "name": "look", "arguments": "{}"}
    asked = [
        {"role": "user", "content": ASKED[1]},
        call,
        {**call, "type": "function_call_output", "output": "x"},
    ]
    answer = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": SAID[1]}]}
    (conversation,) = _read(_run({"input": asked, "instructions": "Brief."}, {"output": [answer]}))
    assert said(conversation) == [
        ("system", "Brief."), ASKED, ("assistant", ""), ("tool", "x"), SAID,
    ]  # fmt: skip


def test_a_trace_whose_fields_hold_no_messages_is_counted() -> None:
    unknown = _run({"question": "Q", "k": "3"}, {"x": "y", "z": "w"}, run_type="chain", trace_id="t2")
    transcript = _read(unknown, _run(ASKED[1], SAID[1]))
    assert dict(transcript.summary.omitted) == {"trace without messages": 1}
