from __future__ import annotations

import pytest

from convgate import ToolCall, Turn
from convgate.messages import check_valid

USER = {"role": "user", "content": "hi"}
ANSWER = {"role": "assistant", "content": "hello"}
SYSTEM = {"role": "system", "content": "Be brief."}


def call(*ids: str) -> dict:
    calls = [{"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def result(id: str) -> dict:
    return {"role": "tool", "tool_call_id": id, "content": "done"}


def legacy_call(name: str) -> dict:
    return {"role": "assistant", "content": None, "function_call": {"name": name, "arguments": "{}"}}


def legacy_result(name: str) -> dict:
    return {"role": "function", "name": name, "content": "done"}


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [SYSTEM, USER, ANSWER, SYSTEM, USER],
        [USER, call("a", "b"), result("b"), result("a"), ANSWER, USER],
        [USER, call("a"), result("a"), call("a"), result("a")],
        [USER, call("a", "b"), result("a")],
        [USER, legacy_call("f"), legacy_result("f"), USER],
        [USER, {**call(), "tool_calls": None}, USER],
        [Turn.of("Caroline", "hi"), ANSWER, Turn.of("Melanie", "hi")],
        [{**call("a"), "role": "user"}, USER],
    ],
    ids=[
        "one",
        "instructions",
        "parallel",
        "repeated id",
        "going on",
        "legacy",
        "no calls",
        "people",
        "users do not call",
    ],
)
def test_lists_that_chat_apis_accept_have_no_violation(messages: list[dict]) -> None:
    assert check_valid(messages) == []


@pytest.mark.parametrize(
    ("messages", "violation"),
    [
        ([], "empty: there is no message to send"),
        ([SYSTEM], "last: the last message is neither a user's nor a tool's, but system"),
        ([USER, ANSWER], "last: the last message is neither a user's nor a tool's, but assistant"),
        ([SYSTEM, ANSWER, USER], "first_user: message 1 (assistant) comes before any message from a user"),
        (
            [USER, result("a"), USER],
            "orphan_result: message 1 answers the call 'a', which no message before it makes",
        ),
        (
            [USER, call("a"), result("a"), result("a"), USER],
            "orphan_result: message 3 answers the call 'a', which no message before it makes",
        ),
        (
            [USER, call("a", "b"), result("b"), USER],
            "incomplete_tool_unit: message 1 makes the call 'a', which has no result",
        ),
        (
            [USER, call("a"), call("a"), result("a")],
            "incomplete_tool_unit: message 1 makes the call 'a', which has no result",
        ),
        (
            [USER, legacy_call("f"), USER],
            "incomplete_tool_unit: message 1 makes the call 'f', which has no result",
        ),
        (
            [USER, legacy_call("f"), legacy_result("f"), legacy_result("f")],
            "orphan_result: message 3 answers the call 'f', which no message before it makes",
        ),
        (
            [USER, {"role": "tool", "content": "x"}, USER],
            "orphan_result: message 1 answers a call, which no message before it makes",
        ),
        (
            [USER, {"role": "moderator", "content": "x"}],
            "unknown_role: message 1 has the role 'moderator', which no chat API knows",
        ),
        ([{"content": "x"}], "unknown_role: message 0 has the role None, which no chat API knows"),
    ],
)
def test_each_violation_is_named(messages: list[dict], violation: str) -> None:
    assert check_valid(messages) == [violation]


def test_all_violations_are_named() -> None:
    messages = [ANSWER, result("a"), call("b"), ANSWER]
    assert [violation.split(":")[0] for violation in check_valid(messages)] == [
        "first_user",
        "last",
        "orphan_result",
        "incomplete_tool_unit",
    ]


def test_a_custom_tool_is_called_by_its_name() -> None:
    custom = {
        "role": "assistant",
        "tool_calls": [{"type": "custom", "custom": {"name": "sql", "input": "x"}}],
    }
    assert check_valid([USER, custom, {"role": "tool", "name": "sql", "content": "1"}, USER]) == []


def test_turns_are_checked_like_messages() -> None:
    turns = [
        Turn.of("user", "hi"),
        Turn("assistant", tool_calls=(ToolCall("a", "f", "{}"),)),
        Turn.of("user", "well?"),
    ]
    assert check_valid(turns) == ["incomplete_tool_unit: message 1 makes the call 'a', which has no result"]
