"""How one context is made, step by step."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from convgate.context.assembly import Added, Assembled, assemble, restated
from convgate.context.baseline import baseline
from convgate.context.bundle import ContextBundle
from convgate.context.check import missing_invariants
from convgate.context.invariant import Invariant
from convgate.context.memory import Remembered, number_of
from convgate.context.mode import Mode
from convgate.context.moment import Moment
from convgate.context.packing import Chosen, Packed, Packer, Room
from convgate.context.prefix import prefix_report, steadied
from convgate.context.reading import read_modes
from convgate.context.request import Fallback, RequestRecord
from convgate.context.telling import Told
from convgate.context.wishes import Wishes
from convgate.conversation import History, Situation
from convgate.messages.tokens import TokenCounter
from convgate.messages.validity import ValidSelection, make_valid
from convgate.transcripts import to_messages

if TYPE_CHECKING:
    from convgate.context.builder import ContextBuilder

log = logging.getLogger(__name__)


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """A request, its arguments read."""

    situation: Situation
    history: History
    budget: int | None
    intent: Mode | None
    capsules: list[Added]
    request_id: str


@dataclass(frozen=True, eq=False, slots=True)
class _Listed:
    """A packing made into a valid list."""

    packed: Packed
    valid: ValidSelection
    assembled: Assembled
    missing: list[Invariant]  # that should stand in it and do not


def make_context(builder: ContextBuilder, asked: Asked) -> ContextBundle:
    """The context for a request; the guard hears of it, and the memory keeps it."""
    started = time.perf_counter()
    own = [*asked.history.turns, asked.situation.turn]  # the moment's may be equal ones of an earlier request
    moment = Moment(builder.known.of(own, builder.counter))
    before = builder.memory.before(moment.columns.chain)
    read = read_modes(
        moment,
        builder.readings,
        builder.classifier,
        builder.guard,
        asked.intent,
        before.intents if before else {},
    )
    invariants = read.invariants
    decisions = builder.policy.decide(asked.situation, asked.history)
    steady = steadied(decisions, before, builder.hysteresis)
    cells = builder.budgets.cells(read.mode)
    total = builder.budget if asked.budget is None else asked.budget
    wishes = Wishes(
        moment,
        read.mode,
        read.labels,
        kept=steady.kept.tolist(),
        scores=_ranks(decisions.scores, len(decisions)),
        uses=None if decisions.logits is None else _uses(decisions.scores),
        invariants=invariants,
        goals=read.goals,
        off=frozenset(section for section, tokens in cells.items() if not tokens),
        fills=decisions.scores is not None and total is not None and sum(moment.tokens) > total,
        filters=builder.filters and read.fallback is None,
        paired=builder.pair_answers,
    )
    capsules = [] if "capsules" in wishes.off else asked.capsules
    total = builder.budgets.total(read.mode) if total is None else total
    notes, shortened = _stated(wishes, total, builder.counter)
    if shortened:
        wishes = replace(wishes, shortened=shortened)
    barred = frozenset(wishes.corrected if wishes.filters else ())
    shares = builder.budgets.shares(read.mode, total)
    room = Room(total, shares, sum(one.tokens for one in notes), barred)

    def listed(packer: Packer) -> _Listed:
        claims = wishes.claims(room.shares["recent"])
        packed = packer(moment, wishes.always, claims, [one.tokens for one in capsules], room)
        valid = _valid(moment, packed)
        messages = to_messages(valid.of(own))
        extra = [*notes, *(capsules[place] for place in packed.capsules)]
        assembled = assemble(moment, valid.indices, messages, extra)
        missing = missing_invariants(invariants, assembled.messages, assembled.places)
        return _Listed(packed, valid, assembled, missing)

    broken = before.breaches if before else ()
    made = listed(baseline if broken else builder.packer)
    lost, fallbacks = made.missing, [read.fallback] if read.fallback else []
    if lost:
        log.error(
            "request %s: %d of the invariants that must hold were missing from the context (turns %s);"
            " the baseline context is used for the rest of this conversation",
            asked.request_id, len(lost), sorted({one.source for one in lost}),
        )  # fmt: skip
        made = listed(baseline)
    breaches = (*broken, *(one for one in lost if one not in broken))
    if breaches:
        fallbacks.append(_breach(lost, len(breaches)))
    told = Told(
        decisions, steady, wishes, made.packed.placed, made.valid.overrides, made.valid.indices, room.total,
        builder.hysteresis,
    )  # fmt: skip
    held = [turn for turn in steady.stay & told.stands if told.section(turn) == "evidence"]
    sent = [
        number_of(turn.text) if place is None else place
        for place, turn in zip(made.assembled.places, made.assembled.turns, strict=True)
    ]
    tokens = sum(made.assembled.tokens)
    typed = asked.situation.index is None
    chosen = [capsules[place] for place in made.packed.capsules]
    bundle = ContextBundle(
        request_id=asked.request_id,
        mode=read.mode,
        found=read.found,
        labels=read.labels,
        sections=told.sections(room.shares, notes, chosen),
        budget=room.total,
        tokens=tokens,
        tokens_total=sum(moment.tokens),
        over_budget=max(0, tokens - room.total),
        invariants=tuple(invariants),
        breaches=breaches,
        fallbacks=tuple(fallbacks),
        decisions=told.as_decisions(),
        messages=made.assembled.messages,
        places=[None if typed and place == moment.current else place for place in made.assembled.places],
        indices=made.valid.indices[:-1] if typed else made.valid.indices,
        missing_results=made.valid.missing_results,
        sent=made.assembled.turns,
        prefix=prefix_report(before, sent, made.assembled.tokens, sorted(held)),
        capsules_left_out=tuple(
            place for place, one in enumerate(asked.capsules) if not any(one is other for other in chosen)
        ),
    )
    builder.memory.keep(
        moment.columns.chain[-1],
        Remembered(moment.current, read.intents, np.array(sent, dtype=np.int64), tokens, breaches),
    )
    history_tokens = bundle.tokens_total - moment.tokens[moment.current]
    builder.guard.record(_record(bundle, history_tokens, len(lost), time.perf_counter() - started))
    return bundle


def _valid(moment: Moment, packed: Packed) -> ValidSelection:
    """What `make_valid` makes of the packing; it is shown only turns that may be sent, whole units each."""
    chosen = {*packed.placed, *moment.present}
    first = min((index for index in chosen if not moment.columns.instructs[index]), default=moment.current)
    opening = moment.asked[first]
    seen = sorted(chosen if opening is None else {*chosen, opening})
    kept = [place for place, index in enumerate(seen) if index in packed.placed]
    valid = make_valid([moment.turns[index] for index in seen], kept, len(seen) - 1)
    return replace(
        valid,
        indices=[seen[place] for place in valid.indices],
        overrides={seen[place]: override for place, override in valid.overrides.items()},
    )


def _ranks(scores: np.ndarray | None, n: int) -> Sequence[float]:
    """What orders turns as evidence: scores, the lowest where there is none; else age."""
    if scores is None:
        return range(n)
    return [-math.inf if math.isnan(score) else score for score in scores.tolist()]


def _stated(wishes: Wishes, total: int, counter: TokenCounter | None) -> tuple[list[Added], frozenset[int]]:
    """Return the messages that state invariants apart from their turns, and the turns that these replace.

    Where the turns that must stay exceed the total, those whose statements save the most are replaced by
    the statements, until the rest fits.
    """
    moment, invariants = wishes.moment, wishes.invariants
    notes = restated(invariants, moment, counter)
    chosen = Chosen(moment, Room(total, {}, sum(one.tokens for one in notes)))
    chosen.place_all(wishes.always)
    over, shortened = chosen.tokens - total, set[int]()
    if over <= 0:
        return notes, frozenset()
    savings = []
    for source in {one.source for one in invariants if one.held and one.source in wishes.always}:
        apart = restated([one for one in invariants if one.source == source], moment, counter, {source})
        savings.append((moment.tokens[source] - sum(one.tokens for one in apart), source))
    for saved, source in sorted(savings, reverse=True):
        if over <= 0 or saved <= 0:
            break
        over -= saved
        shortened.add(source)
    return restated(invariants, moment, counter, shortened), frozenset(shortened)


def _uses(scores: np.ndarray | None) -> list[float] | None:
    """Return what sending each turn adds to the log-probability that no needed turn is missing.

    That is -log(1 - score): scores are read as independent probabilities that a turn is needed, 0 where there
    is none.
    """
    return None if scores is None else (-np.log1p(-np.clip(np.nan_to_num(scores), 0.0, 1 - 1e-9))).tolist()


def _breach(lost: Sequence[Invariant], ever: int) -> Fallback:
    when = "in this request" if lost else "earlier in this conversation"
    what = "an invariant that must hold was" if ever == 1 else f"{ever} invariants that must hold were"
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
        invariants=sum(one.held for one in bundle.invariants),
        breaches=breaches,
        over_budget=bundle.over_budget,
        fallbacks=bundle.fallbacks,
        seconds=seconds,
    )
