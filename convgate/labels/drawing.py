"""A random sample of messages to look at, bounded however long the conversations are."""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from convgate.conversation import Conversation
from convgate.store.label_log import SituationKey

MESSAGES = 200
"""Messages that are scored for one queue, however large the library is."""

OF_ONE = 40
"""Of these, at most so many of one conversation."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A message that was drawn."""

    situation: SituationKey
    conversation: Conversation

    @property
    def turns(self) -> list[int]:
        """The earlier turns to ask about: instructions are sent anyway, and empty turns say nothing."""
        before = self.conversation.turns[: self.situation.turn]
        return [i for i, turn in enumerate(before) if not turn.is_instruction and turn.scored_text.strip()]


def draw_messages(
    conversations: Iterable[tuple[str, Conversation]],
    *,
    seed: int,
    messages: int = MESSAGES,
    of_one: int = OF_ONE,
) -> list[Drawn]:
    """At most `messages` messages, drawn by lot, at most `of_one` of a conversation, by (key, conversation).

    Every conversation gives its first message before any gives a second, so that a long one does not crowd
    out the others. The same conversations and seed give the same messages, in whatever order they come.
    """
    found = heapq.nsmallest(messages, _lots(conversations, seed, of_one), key=lambda lot: lot[:4])
    return [Drawn(SituationKey(key, turn), talk) for _, _, key, turn, talk in found]


def generator(seed: int, *names: object) -> np.random.Generator:
    """Random numbers that depend on the seed and the names alone, not on what was drawn before."""
    text = "\0".join(map(str, (seed, *names)))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()))


def _lots(
    conversations: Iterable[tuple[str, Conversation]], seed: int, of_one: int
) -> Iterator[tuple[int, float, str, int, Conversation]]:
    for key, talk in conversations:
        rng = generator(seed, "messages", key)
        messages = [turn for turn in talk.answerable() if turn]  # the first has nothing before it
        for rank, turn in enumerate(rng.permutation(messages)[:of_one]):
            yield rank, float(rng.random()), key, int(turn), talk
