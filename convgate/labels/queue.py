"""Queues of turns to label, each turn with the reason why it is asked about.

    items = make_queue(store, Judge("shipped", gate), size=50, seed=1)
    queue = Queues(store).add("Monday", items, by="Ada", seed=1)

Turns near the threshold and those on which versions, policies or annotators disagree teach most; a random
share shows what all of them overlook.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from math import ceil
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.errors import StoreError
from convgate.policies.base import Policy
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.store.label_counts import LabelCounts
from convgate.store.label_log import SituationKey
from convgate.store.queues import NewItem, ReasonKind

_PATTERN: Sequence[ReasonKind] = (
    "annotators", "versions", "policies", "threshold", "threshold", "audit",
)  # fmt: skip
"""Reasons take turns in this order; what one cannot fill goes to the others."""

NEAR = 0.15
"""Largest distance of a score from the threshold that is near it."""

MAX_SIZE = 10_000
"""Turns of one queue."""

MAX_MESSAGES = 200
"""Messages that are scored for one queue, however large the library is."""

_MAX_PER_MESSAGE = 8  # turns of one message in a queue, as long as there are other messages


@dataclass(frozen=True, slots=True)
class Judge:
    """A policy by the name that people read."""

    name: str
    policy: Policy
    kind: Literal["versions", "policies"] = "policies"  # whether it is another version of the gate


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: float  # lower ranks are asked about first
    item: NewItem


def make_queue(
    store: Store,
    gate: Judge,
    other: Judge | None = None,
    *,
    size: int,
    seed: int,
    by: str | None = None,
    conversations: Sequence[str] | None = None,
) -> list[NewItem]:
    """Return at most `size` turns to label, none twice, those of a message together, messages shuffled.

    Turns with a gold label are left out, and those that `by` answered.
    other: a version or policy whose disagreements with the gate are asked about.
    conversations: keys of those to ask about; None for the whole library.

    The same library and arguments give the same queue. Raises StoreError for a size out of range, or an
    unknown conversation.
    """
    if not 1 <= size <= MAX_SIZE:
        raise StoreError(f"the size of a queue is 1 to {MAX_SIZE:,} turns; got {size}")
    library, counts = Conversations(store), LabelCounts(store)
    keys = sorted(library.keys() if conversations is None else set(conversations))
    known = counts.known(by=by)
    candidates: dict[ReasonKind, list[_Candidate]] = defaultdict(list)
    for rank, row in enumerate(counts.disagreements(per_page=MAX_SIZE).rows):
        if row.situation.conversation in keys:
            reason = f"{len(row.answers)} annotators disagree."
            item = NewItem(row.situation, row.turn, "annotators", reason)
            candidates["annotators"].append(_Candidate(rank, item))
    messages = _draw_messages(library, keys, seed)
    for place, conversation in messages:
        turns = _labellable(conversation, place.turn, known.get(place, ()))
        for candidate in _candidates(place, conversation, turns, gate, other, seed, size):
            candidates[candidate.item.kind].append(candidate)
    return _choose(candidates, size, max(_MAX_PER_MESSAGE, ceil(size / max(len(messages), 1))), seed)


def _draw_messages(
    library: Conversations, keys: Sequence[str], seed: int
) -> list[tuple[SituationKey, Conversation]]:
    """At most MAX_MESSAGES random messages, as many of each conversation."""
    chosen = _generator(seed, "conversations").permutation(len(keys))[:MAX_MESSAGES]
    messages = []
    for key in (keys[row] for row in chosen):
        conversation = library.get(key).conversation
        answerable = [turn for turn in conversation.answerable() if turn]
        drawn = _generator(seed, "messages", key).permutation(answerable)[: MAX_MESSAGES // len(chosen)]
        # The longest history first: the gate keeps its scores for the shorter ones.
        messages += [(SituationKey(key, int(turn)), conversation) for turn in sorted(drawn, reverse=True)]
    return messages


def _labellable(conversation: Conversation, current: int | None, known: Collection[int]) -> NDArray[np.int64]:
    """The turns to ask about: instructions are always sent, and empty turns say nothing."""
    history = enumerate(conversation.turns[:current])
    turns = [i for i, turn in history if not turn.is_instruction and turn.scored_text.strip()]
    return np.array([i for i in turns if i not in known], dtype=np.int64)


def _candidates(
    place: SituationKey,
    conversation: Conversation,
    turns: NDArray[np.int64],
    gate: Judge,
    other: Judge | None,
    seed: int,
    size: int,
) -> Iterator[_Candidate]:
    """The turns to ask about by reason, each turn at most once for a reason and `size` for each."""
    if place.turn is None or not len(turns):
        return
    situation, history = conversation.at(place.turn)
    random = _generator(seed, "turns", place.conversation, place.turn).random(len(turns))
    decisions = gate.policy.decide(situation, history)
    rows = np.arange(len(turns))
    pools: list[tuple[ReasonKind, NDArray[np.int64], Floats, list[str]]] = [
        ("audit", rows, random, ["Drawn at random."] * len(rows))
    ]
    if decisions.scores is not None and decisions.threshold is not None:
        distance = np.abs(decisions.scores[turns] - decisions.threshold)
        rows = np.flatnonzero(distance <= NEAR)
        scores = decisions.scores[turns[rows]]
        reasons = [f"Score {score:.2f}, threshold {decisions.threshold:.2f}." for score in scores]
        pools.append(("threshold", rows, distance, reasons))
    if other is not None:
        theirs = other.policy.decide(situation, history)
        rows = np.flatnonzero(decisions.kept[turns] != theirs.kept[turns])
        reasons = [
            f"{_verdict(gate, decisions, turn)}, {_verdict(other, theirs, turn)}."
            for turn in turns[rows].tolist()
        ]
        pools.append((other.kind, rows, random, reasons))
    for kind, rows, ranks, reasons in pools:
        for place_in_rows in np.argsort(ranks[rows], kind="stable")[:size].tolist():
            row = int(rows[place_in_rows])
            item = NewItem(place, int(turns[row]), kind, reasons[place_in_rows])
            yield _Candidate(float(ranks[row]), item)


def _verdict(judge: Judge, decisions: TurnDecisions, turn: int) -> str:
    score = TurnDecisions.value(decisions.scores, turn)
    numbers = "" if score is None else f" (score {score:.2f})"
    return f"{judge.name} {'keeps' if decisions.kept[turn] else 'drops'} it{numbers}"


def _choose(
    candidates: Mapping[ReasonKind, list[_Candidate]], size: int, max_per_message: int, seed: int
) -> list[NewItem]:
    """The items of a queue: reasons take turns, and turns of crowded messages come in only to fill it."""
    ranked = {
        kind: iter(sorted(candidates[kind], key=lambda one: (one.rank, str(one.item)))) for kind in candidates
    }
    chosen: dict[SituationKey, dict[int, NewItem]] = defaultdict(dict)
    crowded: list[NewItem] = []
    n_chosen = 0
    for kind in cycle(_PATTERN):
        if not ranked or n_chosen == size:
            break
        candidate = next(ranked.get(kind, iter(())), None)
        if candidate is None:
            ranked.pop(kind, None)
            continue
        item = candidate.item
        of_message = chosen[item.situation]
        if len(of_message) >= max_per_message:
            crowded.append(item)
        elif item.turn not in of_message:
            of_message[item.turn] = item
            n_chosen += 1
    for item in crowded:
        if n_chosen < size and item.turn not in chosen[item.situation]:
            chosen[item.situation][item.turn] = item
            n_chosen += 1
    messages = list(chosen.values())
    order = _generator(seed, "order").permutation(len(messages))
    return [item for row in order for _, item in sorted(messages[row].items())]


def _generator(seed: int, *names: object) -> np.random.Generator:
    """Random numbers that depend on the seed and the names alone, not on what was drawn before."""
    text = "\0".join(map(str, (seed, *names)))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()))
