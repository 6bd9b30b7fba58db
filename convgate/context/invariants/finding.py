"""What the user said that has to hold on, in a conversation up to its last turn."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Protocol

from convgate.context.invariant import Invariant
from convgate.context.invariants.edits import edits_of
from convgate.context.invariants.linking import Linking, Message
from convgate.context.invariants.names import names_of
from convgate.context.invariants.reading import read
from convgate.context.invariants.statement import Statement
from convgate.context.invariants.words import About, about
from convgate.conversation import Turn
from convgate.gatekeeper.folding import fold

_LOOKED_AT = 4_000  # characters of an assistant's message, its last


class Judges(Protocol):
    """What reads statements besides the patterns; see `kinds.judge`."""

    def judged(self, messages: Sequence[tuple[str, Sequence[Statement]]]) -> list[tuple[Statement, ...]]:
        """The statements of each message, as patterns and it see them together."""
        ...


def find_invariants(turns: Sequence[Turn], judge: Judges | None = None) -> list[Invariant]:
    """Every invariant that the turns state, in their order, with what became of it by the last one.

    Patterns alone find them unless a judge reads along (`load_judge`). Only the user's words make one; what a
    person made of them stands in a turn's metadata (`with_edits`). Raises ContextError when that cannot be
    read.

    >>> talk = [Turn.of("user", "At most 300 words, please."), Turn.of("user", "Make it at most 500 words.")]
    >>> [(one.type, one.source, one.state, one.superseded_by) for one in find_invariants(talk)]
    [('hard_constraint', 0, 'superseded', 1), ('hard_constraint', 1, 'active', None)]
    """
    finding = Finding()
    finding.add(turns, judge)
    return finding.invariants


class Finding:
    """The same for a conversation that grows: what was looked at is not looked at again."""

    def __init__(self) -> None:
        self._linking = Linking()
        self._answered: About | None = None
        self._names: frozenset[bytes] = frozenset()
        self._asked = False
        self._turns = 0

    def add(self, turns: Sequence[Turn], judge: Judges | None = None) -> None:
        """Go on with the next turns."""
        told = [(turn.text, read(turn.text)) for turn in turns if turn.role == "user"]
        statements = iter([one for _, one in told] if judge is None else judge.judged(told))
        for index, turn in enumerate(turns, self._turns):
            if turn.role == "user":
                message = Message(
                    index, turn.text, next(statements), self._answered, self._asked, self._names
                )
                self._linking.add(message)
            elif turn.role == "assistant" and turn.text:
                self._answered, self._asked, self._names = _answer(turn.text[-_LOOKED_AT:])
            if turn.metadata and (edits := edits_of(turn, index)):
                self._linking.rules.edit(index, turn.text, edits)
        self._turns += len(turns)

    @property
    def invariants(self) -> list[Invariant]:
        """Of the turns so far."""
        return [rule.invariant for rule in self._linking.rules.all]


@functools.lru_cache(8_192)
def _answer(text: str) -> tuple[About, bool, frozenset[bytes]]:
    return about(fold(text).text), text.rstrip().endswith("?"), names_of(text)
