"""What is asked of a selection: a message to answer, the turns before it, and how much may be sent."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.errors import RequestError
from convgate.core.settings import Settings
from convgate.guardrails.request import Fallback
from convgate.invariants.invariant import Invariant
from convgate.messages.table import TurnTable
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.modes.mode import Mode, find_mode
from convgate.selection.added import AddedMessage, Capsule, Message, read_capsules
from convgate.selection.memory import NamedIntents, PastRequest
from convgate.transcripts.dialects.base import Dialect
from convgate.transcripts.message_reader import dialect_named


class Options(TypedDict, total=False):
    """What else a selection may depend on."""

    capsules: Sequence[str | Message | Capsule]  # summaries by the caller
    pair_answers: bool | None  # whether a question and its answer stay together; None: as the settings say
    adds: bool  # whether messages may be sent that are no turns; True unless given
    elide: bool | None  # whether tool results may be sent as stubs; None: as the settings say
    dialect: str | None  # of added messages, such as "anthropic"; None: that of the list, else OpenAI's
    request_id: str | None  # the request's name for `record_outcome`; None: a new one
    at: float | None  # when the request is made, in seconds since 1970; None: now
    with_run: bool  # whether the turns after the message, calls and results, are sent behind it, too


class AllOptions(Options, total=False):
    """All options, with what limits a selection and names it in figures."""

    budget: int | None
    intent: str | None
    session: str | None


_MAX_TIME = 32_503_680_000  # seconds from 1970 to 3000


def _no_costs() -> NDArray[np.int64]:
    return np.zeros(0, dtype=np.int64)


def _overrules_nothing(_: Mode) -> Fallback | None:
    return None


@dataclass(frozen=True, eq=False)
class Request:
    """A message to answer, and what its selection depends on."""

    id: str  # `record_outcome` names it
    started: float  # of `time.perf_counter`
    at: float  # seconds since 1970
    current: CurrentMessage
    history: History
    table: TurnTable  # of all turns up to the message to answer, which is its last
    dialect: Dialect  # the shape of messages that are added
    messages: Sequence[Message] | None = None  # the caller's; None: the sources of the turns
    run: Sequence[Turn] = ()  # turns after the message to answer, which are sent behind it
    run_costs: NDArray[np.int64] = field(default_factory=_no_costs)  # (k,) tokens of each
    limit: int | None = None  # tokens of everything that is sent; None: none
    budget: int | None = None  # the same without the run
    intent: Mode | None = None  # the mode that the caller named
    capsules: Sequence[AddedMessage] = ()
    pair_answers: bool = False  # whether a question and its answer stay together
    adds: bool = True  # whether messages may be sent that are no turns
    elides: bool = False  # whether tool results may be sent as stubs
    session: str | None = None
    past: PastRequest | None = None  # the request before, of the same conversation
    overruled: Callable[[Mode], Fallback | None] = _overrules_nothing  # why GENERAL replaces a mode now

    @property
    def turns(self) -> list[Turn]:
        """The caller's turns up to the message to answer; those of the table may be others that are equal."""
        return [*self.history.conversation.turns[: self.history.stop], self.current.turn]

    @property
    def sent_turns(self) -> list[Turn]:
        """The turns of the table, and the run."""
        return [*self.table.turns, *self.run]

    @property
    def run_indices(self) -> range:
        """The indices of the run."""
        return range(len(self.table), len(self.table) + len(self.run))

    @property
    def intents(self) -> NamedIntents | None:
        """The intents that callers named so far in this conversation."""
        before = self.past.intents if self.past else None
        if self.intent is None:
            return before
        asked = self.table.user_turn(self.table.current)
        return NamedIntents(self.table.current if asked is None else asked, self.intent, before)

    @property
    def earlier_breaches(self) -> tuple[Invariant, ...]:
        """What had to hold and was missing in an earlier request of this conversation."""
        return self.past.breaches if self.past else ()


def ask(
    current: CurrentMessage,
    history: History,
    *,
    table: TurnTable,
    settings: Settings,
    started: float,
    messages: Sequence[Message] | None,
    budget: int | None,
    counter: TokenCounter | None,
    options: AllOptions,
) -> Request:
    """Return the request; RequestError for a wrong option. budget: that of the options, or the settings'."""
    id = options.get("request_id")
    id = uuid.uuid4().hex if id is None else id
    if not isinstance(id, str) or not id:
        raise RequestError(f"the id of a request is text that is not empty; got {id!r}")
    intent, dialect, paired = options.get("intent"), options.get("dialect"), options.get("pair_answers")
    shape = table.dialect if dialect is None else dialect_named(dialect)
    if messages is not None and current.index is None:
        messages = [*messages, shape.message(current.turn.role, current.turn.text)]
    run = (
        history.conversation.turns[current.index + 1 :]
        if options.get("with_run") and current.index is not None
        else ()
    )
    run_costs = turn_tokens(run, counter) if run else _no_costs()
    adds, elide, at = options.get("adds", True), options.get("elide"), options.get("at")
    if at is not None and not 0 <= at < _MAX_TIME:  # NaN, too
        raise RequestError(f"`at` is a time in seconds since 1970; got {at!r}")
    return Request(
        id,
        started,
        time.time() if at is None else at,
        current,
        history,
        table,
        shape,
        messages,
        run,
        run_costs,
        budget,
        None if budget is None else max(0, budget - int(run_costs.sum())),
        intent=None if intent is None else find_mode(intent, settings),
        capsules=read_capsules(options.get("capsules", ()), counter) if adds else (),
        pair_answers=settings.pair_answers if paired is None else paired,
        adds=adds,
        elides=settings.elide if elide is None else elide,
        session=options.get("session"),
    )
