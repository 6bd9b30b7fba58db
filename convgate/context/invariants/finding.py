"""What the user said that has to hold on, in a conversation up to its last turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from convgate.context.invariant import Invariant
from convgate.context.invariants.edits import edits_of
from convgate.context.invariants.judge import Said
from convgate.context.invariants.linking import Linking
from convgate.context.invariants.statement import Statement
from convgate.conversation import Turn


class Judges(Protocol):
    """What classifies statements: `KindJudge`, or a test's own."""

    def judged(self, messages: Sequence[Said]) -> list[tuple[Statement, ...]]:
        """Return the statements of each message with their kinds."""
        ...


def find_invariants(turns: Sequence[Turn], judge: Judges) -> list[Invariant]:
    """Return every invariant that the turns state, in their order, with its state after the last turn.

    Only the user's words make one; what a person made of them stands in a turn's metadata (`with_edits`).
    Raises ContextError when that cannot be read.
    """
    finding = Finding()
    finding.add(turns, judge)
    return finding.invariants


class Finding:
    """The same for a conversation that grows: what was read is not read again."""

    def __init__(self) -> None:
        self._linking = Linking()
        self._before: str | None = None
        self._turns = 0

    def add(self, turns: Sequence[Turn], judge: Judges) -> None:
        """Go on with the next turns."""
        messages: dict[int, Said] = {}
        for index, turn in enumerate(turns, self._turns):
            if turn.role == "user":
                messages[index] = Said(turn.text, self._before)
                self._before = self._before or ""
            elif turn.role == "assistant" and turn.text:
                self._before = turn.text
        judged = dict(zip(messages, judge.judged(list(messages.values())), strict=True))
        for index, turn in enumerate(turns, self._turns):
            if index in judged:
                self._linking.add(index, turn.text, judged[index], first=messages[index].before is None)
            if turn.metadata and (edits := edits_of(turn, index)):
                self._linking.rules.edit(index, turn.text, edits)
        self._turns += len(turns)

    @property
    def invariants(self) -> list[Invariant]:
        """Of the turns so far."""
        return [rule.invariant for rule in self._linking.rules.all]
