"""The nouns that everything shares: a conversation, its turns, and what one looks at from a turn.

Here text comes in: NUL and halves of surrogate pairs, which no file, database or tokenizer takes, become
U+FFFD. A turn's `source` keeps them.

>>> talk = Conversation(id="demo", turns=(Turn.of("user", "Hi"), Turn.of("assistant", "Hello!")))
>>> current, history = talk.at(1)
>>> current.turn.text, [turn.text for turn in history]
('Hello!', ['Hi'])
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from typing import Any, TypeVar

from convgate.core.errors import ConversationError
from convgate.core.text import make_writable

V = TypeVar("V")

INSTRUCTION_ROLES = frozenset({"system", "developer"})
"""Roles whose turns instruct the model; they are always sent, whatever their score."""

ANSWERED_ROLES = frozenset({"user", "tool", "function"})
"""Roles whose turns a model answers."""

CHAT_ROLES = INSTRUCTION_ROLES | ANSWERED_ROLES | {"assistant"}
"""Roles that chat APIs know; transcripts may have any other."""


TEXT_PARTS = frozenset({"text", "refusal", "thinking", "tool", "tool_result"})
"""Kinds of parts that are text: "tool" is a call with its result, "tool_result" one beside a user's words."""

DATA_PART = "data"
"""The kind of a part that only the app that made it can read."""

SUMMARY_PART = "compaction"
"""The kind of a part that stands for earlier messages, which were removed."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool that an assistant's turn asks for."""

    id: str
    name: str
    arguments: str  # as the transcript has them, usually a JSON object

    def __post_init__(self) -> None:
        make_writable(self, "id", "name", "arguments")


@dataclass(frozen=True, slots=True)
class ContentPart:
    """One part of a turn's content; only text parts have text that a model without eyes can read."""

    kind: str  # "text", "image_url", "input_audio", "file", …
    text: str  # a non-text part is named in brackets, such as "[image]"
    call_id: str | None = field(default=None, repr=False, compare=False)
    """The call whose result it is; None where the turn has no other parts than one result."""

    def __post_init__(self) -> None:
        make_writable(self, "kind", "text", "call_id")

    @property
    def is_placeholder(self) -> bool:
        """Whether the text stands for something that is none, such as an image."""
        return self.kind not in TEXT_PARTS and self.text.startswith("[")


@dataclass(frozen=True)
class Turn:
    """One message of a conversation, from whatever format it came.

    `source` is the message exactly as its format has it, so that writers give back what was read.
    """

    role: str
    parts: tuple[ContentPart, ...] = ()
    id: str | None = None
    name: str | None = None
    timestamp: datetime | None = None  # with a zone, or naive in the transcript's own local time
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None  # the call that this turn answers
    also_answers: tuple[str, ...] = ()  # ids of further calls that it answers
    continues: bool = False  # whether it is of the same response of a model as the turn before
    needs_next: bool = False  # whether APIs refuse it without a turn that continues it, as reasoning is
    pruned: str | None = None  # why it was pruned from what is stored, as a part of a sentence
    metadata: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        make_writable(self, "role", "id", "name", "tool_call_id", "also_answers")

    @classmethod
    def of(cls, role: str, text: str, **fields: Any) -> Turn:
        """Return a turn that is one piece of text."""
        return cls(role=role, parts=(ContentPart("text", text),) if text else (), **fields)

    @cached_property
    def text(self) -> str:
        """What was said, non-text parts named in brackets; empty when the turn only calls tools."""
        return "\n".join(part.text for part in self.parts)

    @cached_property
    def scored_text(self) -> str:
        """What encoders and BM25 read: the text, then each tool call as `name(arguments)`."""
        calls = [f"{call.name}({call.arguments})" for call in self.tool_calls]
        return "\n".join([self.text, *calls] if self.text else calls)

    @property
    def users_text(self) -> str:
        """What the user said: all of a user's turn, and what stands beside a tool's results in a message."""
        if self.role == "user":
            return self.text
        if all(part.kind != "tool_result" for part in self.parts):
            return ""
        return "\n".join(part.text for part in self.parts if part.kind == "text")

    def with_metadata(self, field: str, value: object) -> Turn:
        """Return the turn with a field of its metadata set."""
        return replace(self, metadata={**self.metadata, field: value})

    @property
    def said(self) -> bytes:
        """Who said what, as bytes that no other turn has."""
        texts = (self.role, self.name or "", self.scored_text)
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        return b"".join(f"{len(text)}:".encode() + text for text in encoded)

    @property
    def speaker(self) -> str:
        """The name when there is one, else the role."""
        return self.name or self.role

    @property
    def held_because(self) -> str | None:
        """Why it is always sent, whoever it is from, as a sentence; None: a policy decides."""
        kinds = {part.kind for part in self.parts}
        if SUMMARY_PART in kinds:
            return "it has a summary that stands for earlier messages."
        return "it has only data of an app, of which nothing can be scored." if kinds == {DATA_PART} else None

    @property
    def is_instruction(self) -> bool:
        """Whether the turn instructs the model (system, developer) rather than taking part."""
        return self.role in INSTRUCTION_ROLES


@dataclass(frozen=True)
class CurrentMessage:
    """What the model has to answer now: a turn of the conversation, or a question typed by a person."""

    turn: Turn
    index: int | None = None  # 0-based place in the conversation; None for a typed question


@dataclass(frozen=True)
class History:
    """The turns before a current message, oldest first: `conversation.turns[start:stop]`."""

    conversation: Conversation
    start: int  # inclusive, 0-based
    stop: int  # exclusive

    def __getitem__(self, index: int) -> Turn:
        return self.turns[index]

    def __len__(self) -> int:
        return self.stop - self.start

    def __iter__(self) -> Iterator[Turn]:
        return iter(self.turns)

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """The turns themselves, oldest first."""
        return self.conversation.turns[self.start : self.stop]


@dataclass(frozen=True)
class Conversation:
    """Turns in order, and what the transcript says about them as a whole."""

    id: str
    turns: tuple[Turn, ...]
    title: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    format: str = "openai"  # the reader that made it; its writer gives the same format back

    def __post_init__(self) -> None:
        make_writable(self, "id", "title")

    def __len__(self) -> int:
        return len(self.turns)

    def at(self, index: int, *, window: int | None = None) -> tuple[CurrentMessage, History]:
        """Return turn `index` (0-based) as the current message, and the (last `window`) turns before it.

        Raises ConversationError when there is no such turn or the window is negative.
        """
        if not 0 <= index < len(self.turns):
            raise ConversationError(f"turn {index} asked for, but the conversation has {len(self)} turns")
        return CurrentMessage(self.turns[index], index), self._history(index, window)

    def with_question(
        self, question: str | Turn, *, window: int | None = None
    ) -> tuple[CurrentMessage, History]:
        """Return a current message that is not in the conversation: a question put after its last turn."""
        turn = question if isinstance(question, Turn) else Turn.of("user", question)
        return CurrentMessage(turn), self._history(len(self.turns), window)

    def find_current(
        self, index: int | None = None, question: str | None = None
    ) -> tuple[CurrentMessage, History]:
        """Return the turn (0-based) or the question as the current message; without both, `current_index`.

        Raises ConversationError when both are given, or there is no such turn.
        """
        if question is None:
            return self.at(self.current_index() if index is None else index)
        if index is not None:
            raise ConversationError("ask for a turn or for a question, not for both")
        return self.with_question(question)

    def current_index(self) -> int:
        """Return the turn that a model would answer: the last one from the user or a tool, else the last.

        Raises ConversationError when there is no turn at all.
        """
        if not self.turns:
            raise ConversationError("the conversation has no turns")
        places = range(len(self) - 1, -1, -1)
        return next((i for i in places if self.turns[i].role in ANSWERED_ROLES), len(self) - 1)

    def change_turns(self, change: Callable[[Turn, V], Turn], values: Mapping[int, V]) -> Conversation:
        """Return the conversation with the turns changed by values at their 0-based indices, if any."""
        turns = list(self.turns)
        for index, value in values.items():
            if 0 <= index < len(turns):
                turns[index] = change(turns[index], value)
        return replace(self, turns=tuple(turns)) if values else self

    def answerable(self) -> list[int]:
        """Return the turns that a model would answer: those of users and tools.

        Of a transcript without such roles, everything that nobody's model said; all turns when there is none.
        """
        roles = {turn.role for turn in self.turns}
        wanted = roles & ANSWERED_ROLES or roles - INSTRUCTION_ROLES - {"assistant"} or roles
        return [index for index, turn in enumerate(self.turns) if turn.role in wanted]

    def _history(self, stop: int, window: int | None) -> History:
        if window is not None and window < 0:
            raise ConversationError(f"a window is a number of turns, 0 or more; got {window}")
        start = 0 if window is None else max(0, stop - window)
        return History(self, start, stop)


def prefix_hashes(turns: Sequence[Turn], *, after: bytes = b"") -> list[bytes]:
    """Return a hash of the first 0, 1, 2, … turns: of who said what. after: the hash of the turns before."""
    hashes = [after]
    for turn in turns:
        digest = hashlib.blake2b(hashes[-1], digest_size=12)
        digest.update(turn.said)
        hashes.append(digest.digest())
    return hashes
