"""What callers hand in as messages, to every function that takes some: iterators, changing lists, numbers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

import convgate
from convgate.errors import ConvgateError
from convgate.selector import Selector, load_gate
from tests.contexts import builder
from tests.fakes import FakeEncoder

MESSAGES = [
    {"role": "user", "content": "the oasis of Siwa lies two days east of the river"},
    {"role": "assistant", "content": "noted"},
    {"role": "user", "content": "where does it lie?"},
]
ANSWER = "As you said, the oasis of Siwa lies two days east of the river."
AGENTS = map("agent-{}".format, itertools.count())
HUGE = 10**5_000  # more digits than Python writes as text


def gate() -> Selector:
    return load_gate(encoder=FakeEncoder())


ENTRIES: dict[str, Callable[[Any], Any]] = {
    "select": lambda messages: gate().select(messages).messages,
    "select a question": lambda messages: gate().select(messages, question="Why?").messages,
    "build": lambda messages: builder().build(messages).messages,
    "build for a question": lambda messages: builder().build(messages, question="Why?").messages,
    "decide_messages": lambda messages: convgate.load_gatekeeper().decide_messages(messages).item,
    "feedback": lambda messages: convgate.feedback(messages, 0, relevant=True, source=next(AGENTS)).changed,
    "feedback_from_answer": lambda messages: convgate.feedback_from_answer(messages, ANSWER).quoted,
}  # fmt: skip


class Vanishing(list[Any]):
    """A list that another thread empties once it was read."""

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()
        self.clear()


@pytest.mark.parametrize("take", ENTRIES.values(), ids=ENTRIES)
def test_messages_are_read_once(take: Callable[[Any], Any]) -> None:
    expected = take(MESSAGES)
    assert take(message for message in MESSAGES) == expected
    assert take(Vanishing(MESSAGES)) == expected


@pytest.mark.parametrize("take", ENTRIES.values(), ids=ENTRIES)
@pytest.mark.parametrize(
    "fields",
    [
        {"id": HUGE},
        {"timestamp": HUGE},
        {"importance": HUGE},
        {"name": HUGE},
        {"content": HUGE},
        {"content": [{"type": "text", "text": HUGE}]},
        {"tool_calls": [{"id": "a", "function": {"name": "f", "arguments": {"n": HUGE}}}]},
        {"tool_calls": [{"id": HUGE, "function": {"name": "f", "arguments": ""}}]},
        {"confidence": HUGE},
    ],
    ids=["id", "timestamp", "metadata", "name", "content", "part", "arguments", "call id", "confidence"],
)
def test_a_number_of_thousands_of_digits_is_taken_or_refused(
    take: Callable[[Any], Any], fields: dict[str, Any]
) -> None:
    with suppress(ConvgateError):
        take([MESSAGES[0], {**MESSAGES[1], **fields}, MESSAGES[2]])


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "take",
    [
        lambda number: convgate.feedback(MESSAGES, number, relevant=True),
        lambda number: convgate.feedback(MESSAGES, 0, relevant=True, at=number),
        lambda number: builder().build(MESSAGES, budget=number),
    ],
    ids=["turn", "at", "budget"],
)
def test_so_is_one_beside_the_messages(take: Callable[[int], Any], sign: int) -> None:
    with suppress(ConvgateError):
        take(sign * HUGE)
