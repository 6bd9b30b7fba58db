"""Build the context for the current message of a conversation, with a reason for every turn."""

from __future__ import annotations

import logging
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.errors import ContextError
from convgate.core.filling import expected_use
from convgate.core.settings import Settings, load_settings
from convgate.core.text import quote
from convgate.embedding.base import Encoder, Progress
from convgate.guardrails import load_guard
from convgate.guardrails.request import Fallback, Guard, RequestRecord
from convgate.invariants.invariant import Invariant
from convgate.invariants.judge import load_judge
from convgate.messages.tokens import TokenCounter
from convgate.modes.budgets import Budgets, check_total
from convgate.modes.classifier import ModeClassifier, load_classifier
from convgate.modes.mode import Mode, known_intents, mode_of_intent
from convgate.policies import responses
from convgate.policies.base import Policy
from convgate.policies.build import EncoderOnDemand, build_policy
from convgate.selection.assembly import (
    AddedMessage,
    Capsule,
    ContextPlan,
    pack_messages,
    read_capsules,
    state_invariants,
)
from convgate.selection.bundle import ContextBundle
from convgate.selection.claims import SectionClaims
from convgate.selection.explanation import Explanation
from convgate.selection.memory import (
    PastRequest,
    RequestMemory,
    SteadySelection,
    apply_hysteresis,
    compare_prefix,
)
from convgate.selection.packing import ContextBudget, Packer, pack, pack_baseline
from convgate.selection.reading import (
    ConversationReader,
    ConversationReading,
    encode_turns,
    read_conversation,
)
from convgate.selection.turn_table import TurnTable
from convgate.traces import span, start_traces
from convgate.transcripts import MessageReader, list_messages
from convgate.transcripts.dialects.base import Dialect
from convgate.transcripts.message_reader import dialect_named

log = logging.getLogger(__name__)

Message = Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class ContextBuilder:
    """Builds contexts. Thread-safe as long as its policy and its encoder are.

    It remembers the requests that it answered last (see `memory`).
    """

    policy: Policy  # what chooses the evidence
    classifier: ModeClassifier
    settings: Settings  # which intents there are
    reader: ConversationReader = field(repr=False)  # finds the invariants
    budgets: Budgets = field(default_factory=Budgets)
    budget: int | None = None  # tokens of a whole context; None: those of the table
    filters: bool = True  # whether policy and mode drop turns that would fit
    hysteresis: float = 0.0  # on the scale of the policy's scores, 0 or more; 0: off
    pair_answers: bool = False  # whether a question and its answer stay together
    shortens: bool = True  # whether a budget may have the statement of what must hold in place of its turn
    guard: Guard | None = None
    counter: TokenCounter | None = None  # None: the bundled tokenizer
    packer: Packer = pack
    arm: str | None = None  # of a rollout, for the log
    memory: RequestMemory = field(default_factory=RequestMemory, repr=False)
    messages: MessageReader = field(default_factory=MessageReader, repr=False)
    tables: ConversationCache[TurnTable] = field(default_factory=ConversationCache, repr=False)

    @classmethod
    def of(
        cls,
        settings: Settings,
        *,
        policy: Policy | None = None,
        encoder: Encoder | EncoderOnDemand | None = None,
        guard: Guard | None = None,
        classifier: ModeClassifier | None = None,
        reader: ConversationReader | None = None,
    ) -> ContextBuilder:
        """Return the builder that the settings describe; arguments override them.

        Raises ContextError, PolicyError, GateError or EncoderError for settings that cannot be had.
        """
        encoder = EncoderOnDemand(settings) if encoder is None else encoder
        start_traces(settings)
        return cls(
            policy=policy or build_policy(settings.policy, settings, encoder),
            classifier=classifier or load_classifier(settings),
            settings=settings,
            budgets=Budgets.of(settings),
            budget=settings.context_budget,
            filters=settings.context_filter,
            hysteresis=settings.context_hysteresis,
            pair_answers=settings.pair_answers,
            guard=guard,
            reader=reader or ConversationReader(load_judge(settings)),
        )

    def build(
        self,
        messages: Iterable[Message],
        *,
        budget: int | None = None,
        intent: str | None = None,
        question: str | None = None,
        capsules: Sequence[str | Message | Capsule] = (),
        request_id: str | None = None,
        session: str | None = None,
        dialect: str | None = None,
    ) -> ContextBundle:
        """Return the context for the current message: the last from the user or a tool.

        messages: dicts of OpenAI's API or another dialect, oldest first. question: the current message, put
        behind the others. budget: tokens of the whole context. intent: what the message is meant for;
        unknown: logged, ignored. capsules: summaries by the caller. request_id: the request's name for
        `record_outcome`. session: an id for spans and the figures of a rollout. dialect: the shape of added
        messages, such as "anthropic"; default: that of the list, OpenAI's where it shows none.

        Raises TranscriptError, ConversationError without messages, or ContextError for a wrong argument.
        """
        messages = list_messages(messages)
        return self.build_at(
            Conversation(id="live", turns=self.messages.read(messages)),
            budget=budget,
            intent=intent,
            question=question,
            capsules=capsules,
            request_id=request_id,
            session=session,
            messages=messages,
            dialect=dialect,
        )

    def build_at(
        self,
        conversation: Conversation,
        index: int | None = None,
        *,
        budget: int | None = None,
        intent: str | None = None,
        question: str | None = None,
        capsules: Sequence[str | Message | Capsule] = (),
        request_id: str | None = None,
        session: str | None = None,
        messages: Sequence[Message] | None = None,
        dialect: str | None = None,
    ) -> ContextBundle:
        """Return the same for a turn of a conversation (0-based), or a question after its last turn.

        messages: those of all turns; None: their sources.
        """
        current, history = conversation.find_current(index, question)
        total = self.budget if budget is None else check_total(budget)
        mode = None if intent is None else _find_mode(intent, self.settings)
        summaries = read_capsules(capsules, self.counter)
        shape = None if dialect is None else dialect_named(dialect)
        request_id = uuid.uuid4().hex if request_id is None else request_id
        if not isinstance(request_id, str) or not request_id:
            raise ContextError(f"the id of a request is text that is not empty; got {request_id!r}")
        with span("convgate.context", operation="retrieval") as attributes:
            bundle = self._build(
                current, history, total, mode, summaries, request_id, session, messages, shape
            )
            attributes |= bundle.to_attributes(self.policy.name)
            attributes["gen_ai.conversation.id"] = attributes["session.id"] = session
        return bundle

    def _build(
        self,
        current: CurrentMessage,
        history: History,
        total: int | None,
        intent: Mode | None,
        capsules: list[AddedMessage],
        request_id: str,
        session: str | None,
        messages: Sequence[Message] | None,
        dialect: Dialect | None,
    ) -> ContextBundle:
        """Return the context; the guard logs the request, and the memory keeps it."""
        started = time.perf_counter()
        turns = [*history.turns, current.turn]  # a known table may have equal ones
        table = self.tables.get(turns, self._extend)
        dialect = dialect or table.messages.dialect
        if messages is not None and current.index is None:
            messages = [*messages, dialect.message(current.turn.role, current.turn.text)]
        before = self.memory.find(table.digests)
        reading = read_conversation(
            table, self.reader, self.classifier, self.guard, intent, before.intents if before else None
        )
        decisions = responses.decide(self.policy, current, history)
        steady = apply_hysteresis(decisions, before, self.hysteresis)
        plan = self._plan(table, reading, decisions, steady, total, capsules)
        earlier = before.breaches if before else ()
        packed = pack_messages(plan, pack_baseline if earlier else self.packer, turns, messages, dialect)
        missing = packed.missing
        if missing:
            log.error(
                "request %s: %d of the invariants that must hold were missing from the context (turns %s);"
                " the baseline context is used for the rest of this conversation",
                request_id, len(missing), sorted({invariant.source for invariant in missing}),
            )  # fmt: skip
            packed = pack_messages(plan, pack_baseline, turns, messages, dialect)
        breaches = (*earlier, *(invariant for invariant in missing if invariant not in earlier))
        fallbacks = [reading.fallback] if reading.fallback else []
        if breaches:
            fallbacks.append(_explain_breach(missing, len(breaches)))
        explanation = Explanation(decisions, steady, plan, packed, self.hysteresis)
        bundle = _to_bundle(
            request_id, explanation, before, breaches, fallbacks, is_typed=current.index is None
        )
        self.memory.keep(
            table.digests[-1],
            PastRequest(table.current, reading.intents, packed.sent.numbers, bundle.tokens, breaches),
        )
        if self.guard:
            history_tokens = bundle.tokens_total - table.tokens[table.current]
            seconds = time.perf_counter() - started
            record = _to_record(bundle, history_tokens, len(missing), seconds)
            self.guard.record(replace(record, arm=self.arm, session=session if self.arm else None))
        return bundle

    def encode(self, turns: Sequence[Turn], progress: Progress | None = None) -> None:
        """Encode the turns in one pass for policy and classifiers, into their caches."""
        encoder: Encoder | None = getattr(self.policy, "encoder", None)
        encode_turns(turns, progress, encoder=encoder, classifier=self.classifier, judge=self.reader.judge)

    def _extend(self, known: TurnTable | None, new: Sequence[Turn]) -> TurnTable:
        self.encode(new)
        return (known or TurnTable()).extend(new, self.counter)

    def _plan(
        self,
        table: TurnTable,
        reading: ConversationReading,
        decisions: TurnDecisions,
        steady: SteadySelection,
        total: int | None,
        capsules: list[AddedMessage],
    ) -> ContextPlan:
        """Return the claims and the budgets of the sections."""
        cells, scores = self.budgets.cells(reading.mode), decisions.scores
        # a turn without a score comes last; without any scores, the newest comes first
        ranks: Floats = np.arange(len(decisions), dtype=np.float64)
        if scores is not None:
            ranks = np.where(np.isnan(scores), -np.inf, scores)
        uses: Floats | None = None
        if scores is not None and decisions.logits is not None:
            uses = expected_use(np.nan_to_num(scores))
        claims = SectionClaims(
            table,
            reading,
            kept=steady.kept,
            scores=ranks,
            ranked=scores is not None,
            uses=uses,
            disabled=frozenset(name for name, tokens in cells.items() if not tokens),
            fills_budget=scores is not None and total is not None and table.total > total,
            filters=self.filters and reading.fallback is None,
            paired=self.pair_answers,
        )
        total = self.budgets.total(reading.mode) if total is None else total
        statements, shortened = state_invariants(claims, total, self.counter, shortens=self.shortens)
        claims = replace(claims, shortened=shortened) if shortened else claims
        budget = ContextBudget(
            total,
            self.budgets.shares(reading.mode, total),
            sum(statement.tokens for statement in statements),
            frozenset(claims.corrected if claims.filters else ()),
        )
        return ContextPlan(claims, budget, statements, [] if "capsules" in claims.disabled else capsules)


def _find_mode(intent: str, settings: Settings) -> Mode | None:
    """Return the mode of an intent; None, with a warning, for an unknown one.

    Raises ContextError for settings that name an unknown mode.
    """
    known = known_intents(settings)
    try:
        return mode_of_intent(intent, settings)
    except ContextError:
        log.warning(
            "unknown intent %s (known: %s); the message is classified", quote(intent), ", ".join(known)
        )
        return None


def _explain_breach(missing: Sequence[Invariant], count: int) -> Fallback:
    when = "in this request" if missing else "earlier in this conversation"
    what = "an invariant that must hold was" if count == 1 else f"{count} invariants that must hold were"
    return Fallback(
        "breach",
        f"{what} missing from the context {when}: the newest turns that fit, all invariants and the"
        " instructions are sent for the rest of the conversation.",
    )


def _to_bundle(
    request_id: str,
    explanation: Explanation,
    before: PastRequest | None,
    breaches: tuple[Invariant, ...],
    fallbacks: Sequence[Fallback],
    *,
    is_typed: bool,
) -> ContextBundle:
    plan, packed = explanation.plan, explanation.packed
    reading, table, total, sent = plan.claims.reading, plan.claims.table, plan.budget.total, packed.sent
    tokens, indices = sum(sent.tokens), packed.valid.indices
    return ContextBundle(
        request_id=request_id,
        mode=reading.mode,
        mode_decision=reading.mode_decision,
        labels=reading.labels,
        sections=explanation.sections(),
        budget=total,
        tokens=tokens,
        tokens_total=table.total,
        over_budget=max(0, tokens - total),
        invariants=tuple(reading.invariants),
        breaches=breaches,
        fallbacks=tuple(fallbacks),
        decisions=explanation.to_decisions(),
        messages=sent.joined(),
        places=[None if is_typed and place == table.current else place for place in sent.places],
        indices=indices[:-1] if is_typed else indices,
        missing_results=packed.valid.missing_results,
        sent=sent.turns,
        prefix=compare_prefix(before, sent.numbers.tolist(), sent.tokens, explanation.held),
    )


def _to_record(bundle: ContextBundle, history_tokens: int, breaches: int, seconds: float) -> RequestRecord:
    return RequestRecord(
        id=bundle.request_id,
        at=datetime.now(UTC),
        mode=bundle.mode,
        classified=bundle.mode_decision.mode,
        confidence=bundle.mode_decision.confidence,
        source=bundle.mode_decision.source,
        tokens={section.name: section.tokens for section in bundle.sections},
        tokens_total=history_tokens,  # the current message stands in no section either
        budget=bundle.budget,
        invariants=sum(invariant.held for invariant in bundle.invariants),
        breaches=breaches,
        over_budget=bundle.over_budget,
        fallbacks=bundle.fallbacks,
        seconds=seconds,
        invariant_types=Counter(invariant.type for invariant in bundle.invariants if invariant.active),
    )


def load_context(
    settings: Settings | str | Path | None = None,
    *,
    encoder: Encoder | None = None,
    arm: Literal["candidate", "control"] | None = None,
) -> ContextBuilder:
    """Return the builder of the settings, or of a settings file, ready to build.

    Requests are logged, without their text, unless the settings say otherwise. arm: of a rollout, whose
    requests the builder builds; it is logged.
    """
    if not isinstance(settings, Settings):
        settings = load_settings(Path(settings) if settings else None)
    return replace(ContextBuilder.of(settings, encoder=encoder, guard=load_guard(settings)), arm=arm)
