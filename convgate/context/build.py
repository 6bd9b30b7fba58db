"""How one context is built, step by step."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from convgate.context.assembly import AddedMessage, MessageList, assemble, restate
from convgate.context.bundle import ContextBundle
from convgate.context.claims import SectionClaims
from convgate.context.explanation import Explanation
from convgate.context.invariant import Invariant, find_missing
from convgate.context.memory import PastRequest, apply_hysteresis, compare_prefix, message_number
from convgate.context.mode import Mode
from convgate.context.packing import ContextBudget, PackedTurns, Packer, Packing, pack_baseline
from convgate.context.reading import read_conversation
from convgate.context.request import Fallback, RequestRecord
from convgate.context.turn_table import TurnTable
from convgate.core.conversation import CurrentMessage, History
from convgate.messages.tokens import TokenCounter
from convgate.messages.validity import ValidSelection, make_valid
from convgate.transcripts import to_messages

if TYPE_CHECKING:
    from convgate.context.builder import ContextBuilder

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, slots=True)
class ContextRequest:
    """A request, its arguments checked."""

    current: CurrentMessage
    history: History
    budget: int | None
    intent: Mode | None
    capsules: list[AddedMessage]
    request_id: str


def build_context(builder: ContextBuilder, request: ContextRequest) -> ContextBundle:
    """Return the context for a request; the guard logs it, and the memory keeps it."""
    started = time.perf_counter()
    turns = [*request.history.turns, request.current.turn]  # a known table may have equal ones
    table = builder.tables.get(turns, lambda known, new: (known or TurnTable()).extend(new, builder.counter))
    before = builder.memory.find(table.chain)
    reading = read_conversation(
        table,
        builder.reader,
        builder.classifier,
        builder.guard,
        request.intent,
        before.intents if before else {},
    )
    decisions = builder.policy.decide(request.current, request.history)
    steady = apply_hysteresis(decisions, before, builder.hysteresis)
    total = builder.budget if request.budget is None else request.budget
    claims = SectionClaims(
        table,
        reading.mode,
        reading.labels,
        kept=steady.kept.tolist(),
        scores=_ranks(decisions.scores, len(decisions)),
        uses=None if decisions.logits is None else _uses(decisions.scores),
        invariants=reading.invariants,
        goals=reading.goals,
        off=frozenset(name for name, tokens in builder.budgets.cells(reading.mode).items() if not tokens),
        fills=decisions.scores is not None and total is not None and sum(table.tokens) > total,
        filters=builder.filters and reading.fallback is None,
        paired=builder.pair_answers,
    )
    capsules = [] if "capsules" in claims.off else request.capsules
    total = builder.budgets.total(reading.mode) if total is None else total
    notes, shortened = _state_invariants(claims, total, builder.counter)
    claims = replace(claims, shortened=shortened) if shortened else claims
    budget = ContextBudget(
        total,
        builder.budgets.shares(reading.mode, total),
        sum(note.tokens for note in notes),
        frozenset(claims.corrected if claims.filters else ()),
    )

    def attempt(packer: Packer) -> tuple[PackedTurns, ValidSelection, MessageList, list[Invariant]]:
        packed = packer(claims, [capsule.tokens for capsule in capsules], budget)
        valid = _make_valid(table, packed)
        added = [*notes, *(capsules[place] for place in packed.capsules)]
        listed = assemble(table, valid.indices, to_messages(valid.of(turns)), added)
        return packed, valid, listed, find_missing(reading.invariants, listed.messages, listed.places)

    earlier = before.breaches if before else ()
    packed, valid, listed, missing = attempt(pack_baseline if earlier else builder.packer)
    fallbacks = [reading.fallback] if reading.fallback else []
    if missing:
        log.error(
            "request %s: %d of the invariants that must hold were missing from the context (turns %s);"
            " the baseline context is used for the rest of this conversation",
            request.request_id, len(missing), sorted({invariant.source for invariant in missing}),
        )  # fmt: skip
        packed, valid, listed, _ = attempt(pack_baseline)
    breaches = (*earlier, *(invariant for invariant in missing if invariant not in earlier))
    if breaches:
        fallbacks.append(_explain_breach(missing, len(breaches)))
    explanation = Explanation(
        decisions, steady, claims, packed.placed, valid.overrides, valid.indices, total,
        builder.hysteresis,
    )  # fmt: skip
    held = sorted(t for t in steady.stay & explanation.stands if explanation.section(t) == "evidence")
    tokens = sum(listed.tokens)
    sent = [
        message_number(turn.text) if place is None else place
        for place, turn in zip(listed.places, listed.turns, strict=True)
    ]
    is_typed = request.current.index is None
    packed_capsules = [capsules[place] for place in packed.capsules]
    bundle = ContextBundle(
        request_id=request.request_id,
        mode=reading.mode,
        found=reading.found,
        labels=reading.labels,
        sections=explanation.sections(budget.shares, {"rules": notes, "capsules": packed_capsules}),
        budget=total,
        tokens=tokens,
        tokens_total=sum(table.tokens),
        over_budget=max(0, tokens - total),
        invariants=tuple(reading.invariants),
        breaches=breaches,
        fallbacks=tuple(fallbacks),
        decisions=explanation.to_decisions(),
        messages=listed.messages,
        places=[None if is_typed and place == table.current else place for place in listed.places],
        indices=valid.indices[:-1] if is_typed else valid.indices,
        missing_results=valid.missing_results,
        sent=listed.turns,
        prefix=compare_prefix(before, sent, listed.tokens, held),
    )
    builder.memory.keep(
        table.chain[-1],
        PastRequest(table.current, reading.intents, np.array(sent, dtype=np.int64), tokens, breaches),
    )
    history_tokens = bundle.tokens_total - table.tokens[table.current]
    if builder.guard:
        builder.guard.record(_record(bundle, history_tokens, len(missing), time.perf_counter() - started))
    return bundle


def _make_valid(table: TurnTable, packed: PackedTurns) -> ValidSelection:
    """Return the valid selection of the packed turns; only whole units of sendable turns are looked at."""
    chosen = {*packed.placed, *table.current_unit}
    first = min((index for index in chosen if not table.instructs[index]), default=table.current)
    opening = table.asked[first]
    seen = sorted(chosen if opening is None else {*chosen, opening})
    kept = [place for place, index in enumerate(seen) if index in packed.placed]
    valid = make_valid([table.turns[index] for index in seen], kept, len(seen) - 1)
    return replace(
        valid,
        indices=[seen[place] for place in valid.indices],
        overrides={seen[place]: override for place, override in valid.overrides.items()},
    )


def _ranks(scores: np.ndarray | None, n: int) -> Sequence[float]:
    """Return what orders turns as evidence: scores, the lowest where there is none; without scores, age."""
    if scores is None:
        return range(n)
    return [-math.inf if math.isnan(score) else score for score in scores.tolist()]


def _state_invariants(
    claims: SectionClaims, total: int, counter: TokenCounter | None
) -> tuple[list[AddedMessage], frozenset[int]]:
    """Return the messages that state invariants apart from their turns, and the turns that these replace.

    Where the turns that must stay exceed the total, those whose statements save the most are replaced by
    the statements, until the rest fits.
    """
    table, invariants = claims.table, claims.invariants
    notes = restate(invariants, table, counter)
    excess = Packing(claims, ContextBudget(total, {}, sum(note.tokens for note in notes))).tokens - total
    if excess <= 0:
        return notes, frozenset()
    savings = []
    for source in {
        invariant.source for invariant in invariants if invariant.held and invariant.source in claims.always
    }:
        apart = restate(
            [invariant for invariant in invariants if invariant.source == source], table, counter, {source}
        )
        savings.append((table.tokens[source] - sum(note.tokens for note in apart), source))
    shortened = set[int]()
    for saving, source in sorted(savings, reverse=True):
        if excess <= 0 or saving <= 0:
            break
        excess -= saving
        shortened.add(source)
    return restate(invariants, table, counter, shortened), frozenset(shortened)


def _uses(scores: np.ndarray | None) -> list[float] | None:
    """Return -log(1 - score) of each turn: scores are read as independent probabilities that it is needed."""
    return None if scores is None else (-np.log1p(-np.clip(np.nan_to_num(scores), 0.0, 1 - 1e-9))).tolist()


def _explain_breach(missing: Sequence[Invariant], count: int) -> Fallback:
    when = "in this request" if missing else "earlier in this conversation"
    what = "an invariant that must hold was" if count == 1 else f"{count} invariants that must hold were"
    return Fallback(
        "breach",
        f"{what} missing from the context {when}: the newest turns that fit, all invariants and the"
        " instructions are sent for the rest of the conversation.",
    )


def _record(bundle: ContextBundle, history_tokens: int, breaches: int, seconds: float) -> RequestRecord:
    return RequestRecord(
        id=bundle.request_id,
        at=datetime.now(UTC),
        mode=bundle.mode,
        classified=bundle.found.mode,
        confidence=bundle.found.confidence,
        source=bundle.found.source,
        tokens={section.name: section.tokens for section in bundle.sections},
        tokens_total=history_tokens,  # the current message stands in no section either
        budget=bundle.budget,
        invariants=sum(invariant.held for invariant in bundle.invariants),
        breaches=breaches,
        over_budget=bundle.over_budget,
        fallbacks=bundle.fallbacks,
        seconds=seconds,
    )
