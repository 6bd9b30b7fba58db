"""What is asked of a selection: a message to answer, the turns before it, and how much may be sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.guardrails.request import Fallback
from convgate.invariants.invariant import Invariant
from convgate.modes.mode import Mode
from convgate.selection.added import AddedMessage
from convgate.selection.memory import NamedIntents, PastRequest
from convgate.selection.table import TurnTable
from convgate.transcripts.dialects.base import Dialect


def _overrules_nothing(_: Mode) -> Fallback | None:
    return None


@dataclass(frozen=True, eq=False)
class Request:
    """A message to answer, and what its selection depends on."""

    id: str  # `record_outcome` names it
    started: float  # of `time.perf_counter`
    current: CurrentMessage
    history: History
    table: TurnTable  # of all turns up to the message to answer, which is its last
    dialect: Dialect  # the shape of messages that are added
    messages: Sequence[Mapping[str, Any]] | None = None  # the caller's; None: the sources of the turns
    budget: int | None = None  # tokens of everything that is sent; None: no limit
    intent: Mode | None = None  # the mode that the caller named
    capsules: Sequence[AddedMessage] = ()
    pair_answers: bool = False  # whether a question and its answer stay together
    adds: bool = True  # whether messages may be sent that are no turns
    session: str | None = None
    past: PastRequest | None = None  # the request before, of the same conversation
    overruled: Callable[[Mode], Fallback | None] = _overrules_nothing  # why GENERAL replaces a mode now

    @property
    def turns(self) -> list[Turn]:
        """The caller's turns up to the message to answer; those of the table may be others that are equal."""
        return [*self.history.conversation.turns[: self.history.stop], self.current.turn]

    @property
    def intents(self) -> NamedIntents | None:
        """The intents that callers named so far in this conversation."""
        before = self.past.intents if self.past else None
        if self.intent is None:
            return before
        asked = self.table.user_turn[self.table.current]
        return NamedIntents(self.table.current if asked is None else asked, self.intent, before)

    @property
    def earlier_breaches(self) -> tuple[Invariant, ...]:
        """What had to hold and was missing in an earlier request of this conversation."""
        return self.past.breaches if self.past else ()
