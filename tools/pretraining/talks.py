"""Talks: conversations that stay on one topic, the raw material of training data.

>>> talk = Talk("tea", (Turn.of("user", "How long does it steep?"), Turn.of("assistant", "Two minutes.")))
>>> [[turn.role for turn in exchange] for exchange in talk.exchanges]
[['user', 'assistant']]
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Literal, TypeVar

import numpy as np

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TrainingError

_T = TypeVar("_T")
Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")

Exchange = tuple[Turn, ...]
"""What a user said and all that came in answer: turns of the user, then turns of others."""

_SALT = "13"  # the first number with which the topics of today come out close to the shares below
_TRAIN, _DEV = 0.70, 0.15  # the rest is for the test
_LEANING_WORDS = 6


@dataclass(frozen=True, eq=False)
class Talk:
    """A conversation on one topic."""

    id: str
    turns: tuple[Turn, ...]
    domain: str | None = None  # such as "software"; talks of one domain are near each other
    pair: str | None = None  # what it shares with the one talk that is nearest to it
    returns: tuple[str, ...] = ()  # what its user says to come back to it after something else

    @classmethod
    def of(cls, conversation: Conversation) -> Talk:
        """The talk that a conversation holds; its metadata may name `domain`, `pair` and `returns`."""
        fields = conversation.metadata
        returns = tuple(fields.get("returns") or ())
        return cls(conversation.id, conversation.turns, fields.get("domain"), fields.get("pair"), returns)

    @property
    def split(self) -> Split:
        """Where the talk belongs; both of a pair belong to the same."""
        return split_of(self.pair or self.id)

    @cached_property
    def exchanges(self) -> tuple[Exchange, ...]:
        """Its answered questions in order, bare: role, content, tool calls, and the talk's id as `source`.

        Left out are turns before the user's first, instructions, and a last question without an answer.
        """
        bare = [_bare(turn, self.id) for turn in self.turns if not turn.is_instruction]
        runs = [tuple(run) for _, run in groupby(bare, key=lambda turn: turn.role == "user")]
        if runs and runs[0][0].role != "user":
            del runs[0]
        return tuple(questions + answers for questions, answers in zip(runs[::2], runs[1::2], strict=False))


def talks_of(conversations: Iterable[Conversation]) -> tuple[Talk, ...]:
    """Each conversation as a talk."""
    return tuple(map(Talk.of, conversations))


def split_of(key: str) -> Split:
    """Where a topic of this name belongs: 70 % train, 15 % dev, 15 % test; whatever other topics there are.

    >>> split_of("sourdough"), split_of("sourdough")
    ('train', 'train')
    """
    digest = hashlib.sha256(f"{_SALT}:{key}".encode()).digest()
    share = int.from_bytes(digest[:8], "big") / 2**64
    return "train" if share < _TRAIN else "dev" if share < _TRAIN + _DEV else "test"


def usable(talks: Iterable[Talk]) -> list[Talk]:
    """The talks that have an exchange; TrainingError when two of them have the same id."""
    by_id: dict[str, Talk] = {}
    for talk in talks:
        if talk.id in by_id:
            raise TrainingError(f"two talks have the id {talk.id!r}, but what is relevant is told by the id")
        by_id[talk.id] = talk
    return [talk for talk in by_id.values() if talk.exchanges]


def stands_alone(turn: Turn) -> bool:
    """Whether a message is long enough (7 words) to be understood by itself; "and why?" is not."""
    return len(turn.text.split()) > _LEANING_WORDS


def same_source(turns: Sequence[Turn], current: Turn) -> frozenset[int]:
    """Indices of the turns that are of the same talk as the current message; none when it is of no talk."""
    source = current.metadata.get("source")
    if source is None:
        return frozenset()
    return frozenset(index for index, turn in enumerate(turns) if turn.metadata.get("source") == source)


def _bare(turn: Turn, source: str) -> Turn:
    return Turn(
        turn.role,
        turn.parts,
        tool_calls=turn.tool_calls,
        tool_call_id=turn.tool_call_id,
        metadata={"source": source},
    )


def pick(rng: np.random.Generator, items: Sequence[_T]) -> _T:
    """Return one of the items, each as likely; TrainingError when there is none."""
    if not items:
        raise TrainingError("the talks are too few or too short: there is nothing to choose from")
    return items[int(rng.integers(len(items)))]


def draw_distinct(rng: np.random.Generator, items: Sequence[_T], count: int) -> list[_T]:
    """Return so many of the items in any order, none twice; all of them when there are fewer."""
    places = rng.choice(len(items), size=min(count, len(items)), replace=False)
    return [items[place] for place in places]
