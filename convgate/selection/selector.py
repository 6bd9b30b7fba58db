"""Which earlier turns go to the model: one way from a list of messages to the messages that are sent.

    read → score → hold → fit → repair → cache → elide

| stage | what it does |
|---|---|
| read | the messages become turns, whatever their dialect; new ones are encoded |
| score | the policy scores every earlier turn, and keeps or drops it |
| hold | what may not be lost stays: what must hold, instructions, summaries |
| fit | with a budget alone: sections by the mode of the message |
| repair | the turns become a valid list of the same dialect |
| cache | with prices alone: a prefix that the provider has cached stays where that costs less |
| elide | if asked for: tool results that later turns replace become stubs |
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.settings import Settings
from convgate.costs.prices import Price
from convgate.elision.batches import Batches
from convgate.elision.elide import find_elisions
from convgate.elision.evidence import Evidence
from convgate.embedding.base import Progress
from convgate.invariants.finding import InvariantReader
from convgate.messages.table import TurnTable
from convgate.messages.tokens import TokenCounter
from convgate.messages.validity import quote_opening
from convgate.modes.budgets import check_total
from convgate.policies.base import Policy, encoder_of
from convgate.selection import responses
from convgate.selection.added import Message
from convgate.selection.around import Around
from convgate.selection.caching import PrefixReuse, find_room
from convgate.selection.memory import compare_prefix
from convgate.selection.originals import Originals
from convgate.selection.reading import encode_turns
from convgate.selection.request import AllOptions, Options, Request, ask
from convgate.selection.selection import Selection
from convgate.selection.sending import SentMessages, add_run, hold, send
from convgate.selection.shortening import (
    Elisions,
    ShortenedTurns,
    explain_elisions,
    shorten,
    shorten_sections,
)
from convgate.traces import span
from convgate.transcripts import MessageReader, list_messages, turns_from_messages
from convgate.transcripts.dialects.base import join_neighbours

if TYPE_CHECKING:
    from convgate.selection.fit import Fit


@dataclass(frozen=True, eq=False)
class Selector:
    """Selects the messages that go to a model. Thread-safe as long as its policy and its encoder are."""

    policy: Policy
    fit: Callable[[], Fit]  # loaded when there is a budget
    settings: Settings
    holds: Callable[[], InvariantReader] | None = None  # finds what must hold; None: nothing is held
    around: Sequence[Around] = ()  # memory, guardrails and log
    price: Price | None = None  # None: no prefix is kept for its price
    counter: TokenCounter | None = None  # None: the bundled tokenizer
    originals: Originals | None = None  # of results that are sent as stubs; None: they are not stored
    reader: MessageReader = field(default_factory=MessageReader, repr=False)
    tables: ConversationCache[TurnTable] = field(default_factory=ConversationCache, repr=False)
    evidence: ConversationCache[Batches] = field(default_factory=ConversationCache, repr=False)
    shortened: ConversationCache[ShortenedTurns] = field(default_factory=ConversationCache, repr=False)

    @property
    def name(self) -> str:
        """The name of the policy, and the version of the gate."""
        version = getattr(self.policy, "version", None)
        return f"{self.policy.name} {version}" if version else self.policy.name

    def select(
        self,
        messages: Iterable[Message],
        *,
        budget: int | None = None,
        intent: str | None = None,
        question: str | None = None,
        session: str | None = None,
        **options: Unpack[Options],
    ) -> Selection:
        """Return the messages to send for the current one: the last from the user or a tool.

        `messages` are dicts, oldest first, of OpenAI's API or another dialect (docs/formats.md); later ones
        are not sent. `question` is the current message instead, put behind the selected ones. `budget`:
        tokens of everything that is sent. `intent`: what the message is meant for, which chooses the sections
        of a budget; unknown: logged, ignored. `session`: an id for spans and the figures of a rollout.

        Raises TranscriptError for messages that cannot be read, ConversationError when there are none,
        RequestError for a wrong argument.
        """
        messages = list_messages(messages)
        current, history = Conversation("live", self.reader.read(messages)).find_current(question=question)
        return self.select_current(
            current, history, messages=messages, budget=budget, intent=intent, session=session, **options
        )

    def select_at(
        self,
        conversation: Conversation,
        index: int | None = None,
        *,
        question: str | None = None,
        **options: Unpack[AllOptions],
    ) -> Selection:
        """Return the same for a turn of a conversation (0-based), or a question put after its last turn."""
        return self.select_current(*conversation.find_current(index, question), **options)

    def select_current(
        self,
        current: CurrentMessage,
        history: History,
        *,
        messages: Sequence[Message] | None = None,
        decisions: TurnDecisions | None = None,
        **options: Unpack[AllOptions],
    ) -> Selection:
        """Return the same for a message and the turns before it.

        messages: those of all turns; None: their sources. decisions: the policy's, where they were made.
        """
        started = time.perf_counter()
        budget = options.get("budget")
        budget = self.settings.budget.tokens if budget is None else check_total(budget)
        turns = [*history.conversation.turns[: history.stop], current.turn]

        def extend(known: TurnTable | None, new: Sequence[Turn]) -> TurnTable:
            n_known = len(turns) - len(new)
            self.encode(new[max(0, history.start - n_known) :], with_modes=budget is not None)
            return (known or TurnTable()).extend(new, self.counter)

        table = self.tables.get(turns, extend)
        request = ask(
            current, history, table=table, settings=self.settings, started=started, messages=messages,
            budget=budget, counter=self.counter, options=options,
        )  # fmt: skip
        with span("convgate.select", operation="retrieval") as attributes:
            for each in self.around:
                request = each.before(request)
            selection, sent = self._answer(request, decisions)
            for each in self.around:
                each.after(request, selection, sent)
            attributes |= selection.to_attributes(self.policy.name)
            attributes["gen_ai.conversation.id"] = attributes["session.id"] = request.session
        return selection

    def _answer(self, request: Request, decisions: TurnDecisions | None) -> tuple[Selection, SentMessages]:
        """Return what is sent for a request: every stage in order."""
        if decisions is None:
            decisions = self.decide(request.current, request.history)
        invariants = [] if self.holds is None else self.holds().read(request.table.turns)
        held = [each for each in invariants if each.held]
        budgeted = reasons = None
        if request.budget is None:
            decisions, statements = hold(request, decisions, held, self.counter)
            sent = send(
                request, decisions.kept_indices, held=held,
                statements=statements, capsules=request.capsules, pair_answers=request.pair_answers,
            )  # fmt: skip
            decisions = sent.valid.applied_to(decisions)
        else:
            room = find_room(request, self.price) if self.price else 0
            sent, reasons, budgeted = self.fit().send(request, decisions, invariants, self.counter, room)
            decisions = reasons.to_decisions()
        evidence = self._read_evidence(request.sent_turns) if request.elides else Evidence()
        reuse = None
        if self.price is not None:
            saved = self._find_savings(request, evidence)
            corrected = reasons.budget.excluded if reasons else ()
            reuse = PrefixReuse(request, sent, self.price, self.counter, saved, held, corrected)
            sent, decisions = reuse.send(sent, decisions)
        if budgeted and reasons:
            sections = reasons.sections(sent, decisions)
            budgeted = replace(budgeted, total=request.limit or 0, sections=sections)
        indices, sent = [*sent.valid.indices, *request.run_indices], add_run(request, sent)
        elided: Elisions = {}
        if request.elides:
            found = self._find_elisions(evidence, indices)
            known = self.shortened.get(request.sent_turns, lambda known, _: known or ShortenedTurns())
            sent, elided = shorten(sent, found, request.dialect, known.by_place)
            decisions = explain_elisions(decisions, elided)
            budgeted = budgeted and shorten_sections(budgeted, elided)
        quotes = self.settings.assistant_first == "quote"
        messages, places = sent.messages, sent.places
        if quotes:
            messages, rows = quote_opening(sent.messages, sent.turns)
            places = [sent.places[row] for row in rows]
        tokens = sum(sent.tokens)
        prefix = compare_prefix(request.past, sent.numbers, sent.tokens, sent.shortened)
        selection = Selection(
            messages=join_neighbours(request.dialect, messages),
            decisions=decisions,
            indices=indices[:-1] if request.current.index is None else indices,
            invariants=tuple(invariants),
            tokens=tokens,
            tokens_total=int(request.table.costs[request.history.start :].sum() + request.run_costs.sum()),
            missing_results=sent.valid.missing_results,
            prefix=prefix,
            budgeted=budgeted,
            cache=None if reuse is None else reuse.report(tokens, prefix.tokens if prefix else 0),
            request_id=request.id,
            sent=turns_from_messages(messages) if messages is not sent.messages else sent.turns,
            places=[*places[:-1], None] if request.current.index is None else places,
            elided=elided,
            user_first=quotes or request.dialect.user_first,
        )
        return selection, sent

    def _find_savings(self, request: Request, evidence: Evidence) -> NDArray[np.int64]:
        """Return (n + k,) tokens of each turn that stubs would save if all turns were sent."""
        saved = np.zeros(len(request.table) + len(request.run), dtype=np.int64)
        for index, own in find_elisions(evidence, None, self.counter).items():
            saved[index] = sum(each.saved for each in own)
        return saved

    def _find_elisions(self, evidence: Evidence, kept: Collection[int]) -> Elisions:
        """Return the tool results to send as stubs: the stage `elide`. kept: the turns that are sent."""
        found = find_elisions(evidence, kept, self.counter)
        is_stored = self.originals is None or self.originals.keep(chain.from_iterable(found.values()))
        return found if is_stored else {}

    def _read_evidence(self, turns: Sequence[Turn]) -> Evidence:
        """Return the evidence that stubs are made by."""
        batches = self.evidence.get(
            turns, lambda known, new: (known or Batches()).extend(new, self.price, self.counter)
        )
        return batches.choose(self.price, self.counter)

    def expand(self, id: str) -> str:
        """Return the whole text of a result by the id in its stub; MissingResultError when none has it."""
        return (self.originals or Originals(self.settings)).expand(id)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the policy's decisions alone: the stage `score`."""
        return responses.decide(self.policy, current, history)

    def encode(
        self, turns: Sequence[Turn], progress: Progress | None = None, *, with_modes: bool = False
    ) -> None:
        """Encode turns in one pass for policy, statements and, with a budget, modes, into their caches."""
        encode_turns(
            turns,
            progress,
            encoder=encoder_of(self.policy),
            classifier=self.fit().classifier() if with_modes else None,
            reader=self.holds,
        )
