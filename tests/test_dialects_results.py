"""A tool's result replaced by a text, in every dialect."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest

from convgate.core.conversation import Turn
from convgate.messages import check_valid
from convgate.transcripts import dialect_of, turns_from_messages
from tests.dialects import DIALECTS, random_exchanges

STUB = "[3 of 240 lines]"


def results_of(turn: Turn) -> list[str]:
    """The calls whose results the turn has, one each."""
    own = [part.call_id for part in turn.parts if part.call_id]
    return list(dict.fromkeys(own or ([turn.tool_call_id] if turn.tool_call_id else [])))


def n_other_blocks(one: Any, other: Any) -> int:
    """How many blocks are not the very same objects."""
    lists = [message.get("parts", message.get("content")) for message in (one, other)]
    return sum(a is not b for a, b in zip(*lists, strict=True)) if isinstance(lists[0], list) else 0


@pytest.mark.parametrize("name", DIALECTS)
def test_one_result_becomes_a_text_and_all_else_is_the_very_same(name: str):
    write, check = DIALECTS[name]
    n_replaced = 0
    for seed in range(60):
        messages = list(write(random_exchanges(random.Random(seed))))
        before, dialect = copy.deepcopy(messages), dialect_of(messages)
        turns = turns_from_messages(messages)
        valid = check_valid(messages)
        for index, turn in enumerate(turns):
            for call_id in results_of(turn):
                changed = dialect.replace_result(messages[index], call_id, STUB)
                if changed is None:
                    continue
                n_replaced += 1
                sent = [*messages[:index], changed, *messages[index + 1 :]]
                assert (check(sent), check_valid(sent)) == ([], valid), seed
                (read,) = turns_from_messages(sent)[index : index + 1]
                assert STUB in read.text
                assert (read.tool_calls, read.tool_call_id, read.also_answers) == (
                    turn.tool_calls, turn.tool_call_id, turn.also_answers,
                )  # fmt: skip
                assert n_other_blocks(changed, messages[index]) <= 1
                others = [part for part in turn.parts if part.call_id not in (call_id, None)]
                assert [part for part in read.parts if part.call_id not in (call_id, None)] == others
        assert messages == before, "nothing is changed"
    assert n_replaced > 30


def test_other_blocks_of_a_message_are_the_very_same_objects():
    blocks: list[Any] = [
        {"type": "tool_result", "tool_use_id": "a", "content": "one", "is_error": True},
        {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "two"}]},
        {"type": "text", "text": "Go on."},
    ]
    message = {"role": "user", "content": blocks}
    dialect = dialect_of([message])
    changed = dialect.replace_result(message, "a", STUB)
    assert changed is not None
    assert changed["content"][0] == {**blocks[0], "content": STUB}
    assert all(one is other for one, other in zip(changed["content"][1:], blocks[1:], strict=True))
    changed = dialect.replace_result(message, "b", STUB)
    assert changed is not None
    assert changed["content"][1]["content"] == [{"type": "text", "text": STUB}]
    assert dialect.replace_result(message, "c", STUB) is None


@pytest.mark.parametrize(
    ("message", "call_id"),
    [
        ({"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
        ]}, "s"),
        ({"type": "computer_call_output", "call_id": "c", "output": {"type": "computer_screenshot"}}, "c"),
        ({"role": "user", "parts": [
            {"functionResponse": {"name": "look", "response": {"output": "one"}}},
            {"functionResponse": {"name": "look", "response": {"output": "two"}}},
        ]}, "look"),
        ({"role": "assistant", "content": [
            {"type": "tool-call", "toolCallId": "h", "toolName": "web", "input": {}},
            {"type": "tool-result", "toolCallId": "h", "output": {"type": "json", "value": []}},
        ]}, "h"),
    ],
    ids=["of_the_server", "no_text", "two_of_one_name", "of_the_provider"],
)  # fmt: skip
def test_what_takes_no_text_is_left_alone(message: dict[str, Any], call_id: str):
    assert dialect_of([message]).replace_result(message, call_id, STUB) is None


def use(value: Any) -> dict[str, Any]:
    return {"state": "result", "toolCallId": "1", "toolName": "x", "args": {}, "result": value}


def output(value: Any) -> dict[str, Any]:
    return {"type": "tool-result", "toolCallId": "1", "toolName": "x", "output": value}


APP = {"id": "a", "role": "assistant"}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (
            {"role": "tool", "content": [output({"type": "json", "value": [1]})]},
            {"role": "tool", "content": [output({"type": "text", "value": STUB})]},
        ),
        (
            {**APP, "content": "", "toolInvocations": [use([1])]},
            {**APP, "content": "", "toolInvocations": [use(STUB)]},
        ),
        (
            {**APP, "parts": [{"type": "tool-invocation", "toolInvocation": use([1])}]},
            {**APP, "parts": [{"type": "tool-invocation", "toolInvocation": use(STUB)}]},
        ),
        *(
            ({**fields, key: "long"}, {**fields, key: STUB})
            for fields, key in (
                ({"type": "function_call_output", "call_id": "1"}, "output"),
                ({"role": "tool", "tool_call_id": "1"}, "content"),
                ({"id": "a", "role": "tool", "toolCallId": "1"}, "content"),
            )
        ),
    ],
)
def test_a_result_keeps_its_shape(message: dict[str, Any], expected: dict[str, Any]):
    assert dialect_of([message]).replace_result(message, "1", STUB) == expected
