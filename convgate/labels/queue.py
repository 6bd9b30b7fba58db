"""What to ask next: turns worth a person's time, each with the reason.

    items = make_queue(conversations, Judges(Judge("shipped", gate)), size=50, seed=1)
    queue = Queues(store).add("Monday", items, by="Ada", seed=1)

Turns near the threshold and those on which versions, policies or people disagree teach most; a share that
is drawn by lot tells what all of them overlook.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import ceil, floor

import numpy as np

from convgate.conversation import Conversation
from convgate.decisions import Floats, TurnDecisions
from convgate.embedding.base import Progress
from convgate.errors import StoreError
from convgate.labels import reasons
from convgate.labels.candidates import Chosen, Disagreeing, Judge, Judges, Known, Pools
from convgate.labels.drawing import MESSAGES, OF_ONE, Drawn, draw_messages, generator
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.store.label_counts import LabelCounts
from convgate.store.queues import NewItem, ReasonKind

__all__ = [
    "SHARES",
    "Disagreeing",
    "Judge",
    "Judges",
    "Known",
    "Suggestion",
    "library_queue",
    "make_queue",
    "turns_to_label",
]

SHARES: Mapping[ReasonKind, float] = {
    "annotators": 0.2,
    "versions": 0.2,
    "policies": 0.1,
    "threshold": 0.35,
    "audit": 0.15,
}
"""How much of a queue each reason gets. Rare ones choose first; what one cannot fill goes to the others."""

START = 30
"""Turns drawn by lot at the front of a queue when nothing is labelled yet."""

TOGETHER = 8
"""Turns of one message in a queue, as long as there are other messages to ask about."""

MOST = 10_000
"""Turns of one queue."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """An earlier turn of the current message that is worth asking about."""

    turn: int  # 0-based
    kind: ReasonKind
    reason: str


def make_queue(
    conversations: Iterable[tuple[str, Conversation]],
    judges: Judges,
    *,
    size: int,
    seed: int,
    shares: Mapping[ReasonKind, float] = SHARES,
    known: Known | None = None,
    disagreements: Sequence[Disagreeing] = (),
    messages: int = MESSAGES,
    of_one: int = OF_ONE,
    progress: Progress | None = None,
) -> list[NewItem]:
    """At most `size` turns to judge, none twice, those of a message together, the messages shuffled.

    conversations: (key in the library, conversation); at most `messages` of their messages are looked at,
        at most `of_one` of a conversation, and every judge decides about each of these once.
    known: what is settled; when nothing is, the first START turns are a sample drawn by lot.
    disagreements: turns on which people disagree, the most urgent first.
    progress: hears how many of the messages were decided about.

    The same arguments give the same queue. Raises StoreError for a size or a share that cannot be.
    """
    if not 1 <= size <= MOST:
        raise StoreError(f"a queue has 1 to {MOST:,} turns; got {size}")
    if unknown := sorted(set(shares) - set(SHARES)):
        raise StoreError(f"a queue knows no reason {', '.join(unknown)}; it knows {', '.join(SHARES)}")
    if any(share < 0 for share in shares.values()) or not sum(shares.values()) > 0:
        raise StoreError("the shares of a queue are 0 or more, and at least one is more than 0")
    drawn = draw_messages(conversations, seed=seed, messages=messages, of_one=of_one)
    pools = Pools(seed, size, known or {})
    # The longest history of a conversation first: the gate keeps what it read of it for the shorter ones.
    for done, message in enumerate(sorted(drawn, key=_by_conversation), start=1):
        pools.look_at(message, judges)
        if progress:
            progress(done, len(drawn))
    pools.add_disagreements(disagreements)
    chosen = Chosen(max(TOGETHER, ceil(size / max(len(drawn), 1))))
    if not known and not disagreements:
        chosen.take(pools.start(drawn), min(START, size))
    quotas = _quotas(shares, size - len(chosen))
    for kind, wanted in quotas.items():
        chosen.take(pools.best(kind), wanted)
    for together in (chosen.together, size):  # what a reason, and then all messages but one, could not fill
        chosen.together = together
        for kind in quotas:
            chosen.take(pools.best(kind), size - len(chosen))
    return chosen.in_order(generator(seed, "order"))


def library_queue(
    store: Store,
    judges: Judges,
    *,
    size: int,
    seed: int,
    by: str | None = None,
    conversations: Sequence[str] | None = None,
    shares: Mapping[ReasonKind, float] = SHARES,
    messages: int = MESSAGES,
    progress: Progress | None = None,
) -> list[NewItem]:
    """A queue over a library, or over the conversations of these keys.

    However many there are, only as many as there are messages to look at are read. What is settled is left
    out, and what `by` answered; turns on which people disagree come newest first. Raises as `make_queue`,
    and StoreError for a conversation that the library does not have.
    """
    library, counts = Conversations(store), LabelCounts(store)
    keys = sorted(library.keys() if conversations is None else set(conversations))
    some = [keys[row] for row in generator(seed, "conversations").permutation(len(keys))[:messages]]
    disputes = counts.disagreements(per_page=size if conversations is None else MOST).rows
    return make_queue(
        ((key, library.get(key).conversation) for key in some),
        judges,
        size=size,
        seed=seed,
        shares=shares,
        known=counts.known(by=by),
        disagreements=[
            Disagreeing(one.situation, one.turn, one.answers)
            for one in disputes
            if conversations is None or one.situation.conversation in conversations
        ],
        messages=messages,
        progress=progress,
    )


def turns_to_label(
    decisions: TurnDecisions, known: Collection[int] = (), limit: int = 10, *, seed: int = 0
) -> list[Suggestion]:
    """At most `limit` earlier turns of one message, the most worthwhile first.

    Half are nearest to the threshold, three in ten have the highest scores, and the rest is drawn by lot;
    what one of these cannot fill goes to the next. known: turns that need not be asked about.
    """
    rows = [row for row, turn in enumerate(decisions.indices) if int(turn) not in known]
    by_lot = generator(seed, "suggestions", len(decisions)).permutation(np.array(rows, dtype=np.int64))
    lots = (Suggestion(int(decisions.indices[row]), "audit", reasons.audit(len(rows))) for row in by_lot)
    sources: list[tuple[Iterator[Suggestion], int]] = [
        (_nearest(decisions, rows), ceil(limit / 2)),
        (_highest(decisions, rows), floor(limit * 0.3)),
        (lots, limit),
    ]
    found: dict[int, Suggestion] = {}
    for source, wanted in sources:
        fresh = (one for one in source if one.turn not in found)
        for one in islice(fresh, min(wanted, limit - len(found))):
            found[one.turn] = one
    return list(found.values())


def _by_conversation(message: Drawn) -> tuple[str, int]:
    return message.situation.conversation, -(message.situation.turn or 0)


def _nearest(decisions: TurnDecisions, rows: Sequence[int]) -> Iterator[Suggestion]:
    scores, threshold = decisions.scores, decisions.threshold
    if scores is None or threshold is None:
        return
    for row in sorted(_scored(rows, scores), key=lambda row: abs(scores[row] - threshold)):
        if abs(scores[row] - threshold) > reasons.NEAR:
            return
        why = reasons.near_threshold(float(scores[row]), threshold)
        yield Suggestion(int(decisions.indices[row]), "threshold", why)


def _highest(decisions: TurnDecisions, rows: Sequence[int]) -> Iterator[Suggestion]:
    if decisions.scores is None:
        return
    place = np.empty(len(decisions), dtype=np.int64)
    place[np.argsort(-decisions.scores, kind="stable")] = np.arange(1, len(decisions) + 1)
    for row in sorted(_scored(rows, decisions.scores), key=lambda row: int(place[row])):
        why = reasons.high_score(float(decisions.scores[row]), int(place[row]))
        yield Suggestion(int(decisions.indices[row]), "score", why)


def _scored(rows: Sequence[int], scores: Floats) -> list[int]:
    return [row for row in rows if not np.isnan(scores[row])]


def _quotas(shares: Mapping[ReasonKind, float], size: int) -> dict[ReasonKind, int]:
    """`size` split by the shares; who is cut most by rounding down gets what is over."""
    wanted = {kind: size * shares[kind] / sum(shares.values()) for kind in SHARES if shares.get(kind)}
    quotas = {kind: floor(number) for kind, number in wanted.items()}
    by_rest = sorted(wanted, key=lambda kind: quotas[kind] - wanted[kind])
    for kind in by_rest[: size - sum(quotas.values())]:
        quotas[kind] += 1
    return quotas
