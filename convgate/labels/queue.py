"""Queues of turns to label, each turn with the reason why it is asked about.

    items = make_queue(store, NamedPolicy("shipped", gate), size=50, seed=1)
    queue = Queues(store).add("Monday", items, by="Ada", seed=1)

Turns near the threshold and those on which versions, policies or annotators disagree teach most and come
first; a random share shows what all of them overlook.
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

from convgate.core.conversation import Conversation
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import StoreError
from convgate.labels.gold import gold_answers
from convgate.labels.weekly_agreement import check_not_paused
from convgate.policies.base import Policy
from convgate.store.conversations import Conversations
from convgate.store.database import Store
from convgate.store.label_log import CurrentKey
from convgate.store.labels import Labels
from convgate.store.queues import NewItem, ReasonKind

_REASONS: Sequence[ReasonKind] = (
    "annotators", "versions", "policies", "threshold", "threshold", "audit",
)  # fmt: skip
"""Reasons take turns in this order; what one cannot fill goes to the others."""

NEAR = 0.15
"""Largest distance of a score from the threshold that is near it."""

MAX_SIZE = 10_000
"""Turns of one queue."""

MAX_MESSAGES = 200
"""Messages that are scored for one queue, however large the library is."""

_MAX_PER_MESSAGE = 8  # turns of one message in a queue, when there are enough messages


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """A policy by the name that people read."""

    name: str
    policy: Policy
    kind: Literal["versions", "policies"] = "policies"  # whether it is another version of the gate


_Ranked = tuple[float, NewItem]  # lower ranks are asked about first


def make_queue(
    store: Store,
    gate: NamedPolicy,
    other: NamedPolicy | None = None,
    *,
    size: int,
    seed: int,
    by: str | None = None,
) -> list[NewItem]:
    """Return at most `size` turns to label, none twice, those of a message together, the most telling first.

    Turns with a gold label are left out, and those that `by` answered, unless annotators disagree on them.
    other: a version or policy whose disagreements with the gate are asked about.

    The same library and arguments give the same queue. Raises StoreError for a size out of range, and
    LabellingPausedError while labelling pauses.
    """
    check_not_paused(store)
    if not 1 <= size <= MAX_SIZE:
        raise StoreError(f"the size of a queue is 1 to {MAX_SIZE:,} turns; got {size}")
    answered: dict[CurrentKey, set[int]] = defaultdict(set)
    for current, answers in gold_answers(store).items():
        answered[current].update(turn for turn, answer in answers.items() if answer != "unsure")
    for entry in Labels(store).entries():
        if entry.annotator == by:
            answered[entry.current].add(entry.turn)
    candidates: dict[ReasonKind, list[_Ranked]] = defaultdict(list)
    for rank, row in enumerate(Labels(store).disagreements()):
        reason = f"{len(row.answers)} annotators disagree."
        candidates["annotators"].append((rank, NewItem(row.current, row.turn, "annotators", reason)))
    messages = _draw_messages(Conversations(store), seed)
    for message, conversation in messages:
        for distance, item in _rank_turns(message, conversation, answered[message], gate, other, seed, size):
            candidates[item.kind].append((distance, item))
    return _choose(candidates, size, max(_MAX_PER_MESSAGE, ceil(size / max(len(messages), 1))))


def _draw_messages(library: Conversations, seed: int) -> list[tuple[CurrentKey, Conversation]]:
    """Return at most MAX_MESSAGES random messages, as many of each conversation."""
    keys = sorted(library.keys())
    chosen = _generator(seed, "conversations").permutation(len(keys))[:MAX_MESSAGES]
    messages = []
    for key in (keys[row] for row in chosen):
        conversation = library.get(key).conversation
        answerable = [turn for turn in conversation.answerable() if turn]
        # What people say is easier to judge than what tools return.
        said = [turn for turn in answerable if conversation.turns[turn].role != "tool"] or answerable
        sample = _generator(seed, "messages", key).permutation(said)[: MAX_MESSAGES // len(chosen)]
        # The longest history first: the gate keeps its scores for the shorter ones.
        messages += [(CurrentKey(key, int(turn)), conversation) for turn in sorted(sample, reverse=True)]
    return messages


def _rank_turns(
    message: CurrentKey,
    conversation: Conversation,
    answered: Collection[int],
    gate: NamedPolicy,
    other: NamedPolicy | None,
    seed: int,
    size: int,
) -> Iterator[_Ranked]:
    """Yield the turns to ask about by reason, each at most once for a reason, and `size` of them at random.

    Instructions are always sent, and empty turns say nothing, so neither is asked about.
    """
    assert message.turn is not None
    current, history = conversation.at(message.turn)
    decisions = gate.policy.decide(current, history)
    other_decisions = other.policy.decide(current, history) if other else None
    turns = [
        index
        for index, turn in enumerate(conversation.turns[: message.turn])
        if not turn.is_instruction and turn.scored_text.strip() and index not in answered
    ]
    draws = _generator(seed, "turns", message.conversation, message.turn).random(len(turns))
    random = dict(zip(turns, draws.tolist(), strict=True))
    for turn in sorted(turns, key=random.__getitem__)[:size]:
        yield random[turn], NewItem(message, turn, "audit", "Drawn at random.")
    for turn in turns:
        if decisions.scores is not None and decisions.threshold is not None:
            score = float(decisions.scores[turn])
            if (distance := abs(score - decisions.threshold)) <= NEAR:
                reason = f"Score {score:.2f}, threshold {decisions.threshold:.2f}."
                yield distance, NewItem(message, turn, "threshold", reason)
        if other and other_decisions and decisions.kept[turn] != other_decisions.kept[turn]:
            reason = f"{_describe(gate, decisions, turn)}, {_describe(other, other_decisions, turn)}."
            yield _rank_dispute(decisions, turn), NewItem(message, turn, other.kind, reason)


def _rank_dispute(decisions: TurnDecisions, turn: int) -> float:
    """Return a rank: what the gate may miss comes first, then what it is surest of; high scores first."""
    return float(decisions.kept[turn]) - (TurnDecisions.value(decisions.scores, turn) or 0.0)


def _describe(named: NamedPolicy, decisions: TurnDecisions, turn: int) -> str:
    score = TurnDecisions.value(decisions.scores, turn)
    numbers = "" if score is None else f" (score {score:.2f})"
    return f"{named.name} {'keeps' if decisions.kept[turn] else 'drops'} it{numbers}"


def _choose(candidates: Mapping[ReasonKind, list[_Ranked]], size: int, max_per_message: int) -> list[NewItem]:
    """Return the items of a queue: reasons take turns, and a message stands where its first item would."""
    ranked = {
        kind: sorted(candidates[kind], key=lambda entry: (entry[0], str(entry[1]))) for kind in candidates
    }
    iterators = {kind: iter(entries) for kind, entries in ranked.items()}
    chosen: dict[CurrentKey, dict[int, NewItem]] = defaultdict(dict)
    n_chosen = 0
    for kind in cycle(_REASONS):
        if not iterators or n_chosen == size:
            break
        _, item = next(iterators.get(kind, iter(())), (0.0, None))
        if item is None:
            iterators.pop(kind, None)
        elif len(chosen[item.current]) < max_per_message and item.turn not in chosen[item.current]:
            chosen[item.current][item.turn] = item
            n_chosen += 1
    return [item for items in chosen.values() for item in items.values()]


def _generator(seed: int, *names: object) -> np.random.Generator:
    """Return a generator whose numbers depend on the seed and the names alone."""
    text = "\0".join(map(str, (seed, *names)))
    return np.random.default_rng(int.from_bytes(hashlib.sha256(text.encode()).digest()))
