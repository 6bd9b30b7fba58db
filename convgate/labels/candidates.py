"""Turns that could go into a queue, gathered message by message, and those that do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.decisions import Floats, TurnDecisions
from convgate.labels import reasons
from convgate.labels.drawing import Drawn, generator
from convgate.labels.reasons import NEAR, Verdict
from convgate.policies.base import Policy
from convgate.store.label_log import SituationKey
from convgate.store.queues import NewItem, ReasonKind

Known = Mapping[SituationKey, Collection[int]]
"""Turns that need not be asked about, by message."""

_OF_A_STARTING_MESSAGE = 5


@dataclass(frozen=True, slots=True)
class Judge:
    """Something that decides about turns, by the name that people read."""

    name: str
    policy: Policy


@dataclass(frozen=True, slots=True)
class Judges:
    """Whose decisions are asked about."""

    gate: Judge  # the version that is in use
    version: Judge | None = None  # another version of the gate
    other: Judge | None = None  # another policy


@dataclass(frozen=True, slots=True)
class Disagreeing:
    """A turn on which people disagree."""

    situation: SituationKey
    turn: int
    answers: Mapping[str, str]  # by annotator


@dataclass(frozen=True, slots=True)
class _Candidate:
    rank: float  # the smaller, the sooner it is asked about
    situation: SituationKey
    turn: int
    reason: str


class Pools:
    """Candidates by reason, of each message at most `size`."""

    def __init__(self, seed: int, size: int, known: Known) -> None:
        self._seed, self._size, self._known = seed, size, known
        self._found: dict[ReasonKind, list[_Candidate]] = {}
        self._turns = self._messages = 0

    def look_at(self, message: Drawn, judges: Judges) -> None:
        """Have the judges decide about a message, each once, and gather the turns that are open."""
        place = message.situation
        open_turns = np.array(sorted(set(message.turns) - set(self._known.get(place, ()))), dtype=np.int64)
        if not len(open_turns) or place.turn is None:
            return
        self._messages += 1
        self._turns += len(open_turns)
        lots = generator(self._seed, "turns", place.conversation, place.turn).random(len(open_turns))
        self._gather("audit", place, open_turns, lots, [""] * len(open_turns))
        situation, history = message.conversation.at(place.turn)
        gate = _Column(judges.gate, judges.gate.policy.decide(situation, history), open_turns)
        if gate.scores is not None and gate.threshold is not None:
            away = np.abs(gate.scores - gate.threshold)
            near = np.flatnonzero(away <= NEAR)
            why = [reasons.near_threshold(float(gate.scores[row]), gate.threshold) for row in near]
            self._gather("threshold", place, open_turns[near], away[near], why)
        for kind, judge in (("versions", judges.version), ("policies", judges.other)):
            if judge is None:
                continue
            other = _Column(judge, judge.policy.decide(situation, history), open_turns)
            rows = np.flatnonzero(gate.kept != other.kept)
            why = [reasons.disagree(gate.verdict(row), other.verdict(row)) for row in rows.tolist()]
            self._gather(kind, place, open_turns[rows], lots[rows], why)  # type: ignore[arg-type]

    def add_disagreements(self, disagreements: Iterable[Disagreeing]) -> None:
        """Turns on which people disagree, the most urgent first."""
        self._found["annotators"] = [
            _Candidate(rank, one.situation, one.turn, reasons.annotators_disagree(len(one.answers)))
            for rank, one in enumerate(disagreements)
        ]

    def best(self, kind: ReasonKind) -> Iterator[NewItem]:
        """The candidates of a kind, those to be asked about first in front."""
        found = sorted(self._found.get(kind, ()), key=lambda one: (one.rank, str(one.situation), one.turn))
        for one in found:
            reason = one.reason or reasons.audit(self._turns, self._messages)
            yield NewItem(one.situation, one.turn, kind, reason)

    def start(self, drawn: Iterable[Drawn]) -> Iterator[NewItem]:
        """A first sample: a few turns by lot of one message after the other, as these were drawn."""
        reason = reasons.start(self._turns, self._messages)
        by_message: dict[SituationKey, list[_Candidate]] = {}
        for one in self._found.get("audit", ()):
            by_message.setdefault(one.situation, []).append(one)
        for message in drawn:
            for one in by_message.get(message.situation, [])[:_OF_A_STARTING_MESSAGE]:
                yield NewItem(one.situation, one.turn, "start", reason)

    def _gather(
        self,
        kind: ReasonKind,
        place: SituationKey,
        turns: NDArray[np.int64],
        ranks: Floats,
        why: Sequence[str],
    ) -> None:
        pool = self._found.setdefault(kind, [])
        for row in np.argsort(ranks, kind="stable")[: self._size]:
            pool.append(_Candidate(float(ranks[row]), place, int(turns[row]), why[row]))


class Chosen:
    """What goes into a queue: no turn twice, and of one message at most `together`."""

    def __init__(self, together: int) -> None:
        self.together = together
        self._items: dict[tuple[SituationKey, int], NewItem] = {}
        self._of: Counter[SituationKey] = Counter()

    def __len__(self) -> int:
        return len(self._items)

    def take(self, items: Iterable[NewItem], most: int) -> None:
        """The first `most` of them that can still be taken."""
        for item in items:
            if most <= 0:
                return
            name = (item.situation, item.turn)
            if name in self._items or self._of[item.situation] >= self.together:
                continue
            self._items[name] = item
            self._of[item.situation] += 1
            most -= 1

    def in_order(self, rng: np.random.Generator) -> list[NewItem]:
        """Those of a message together, by turn; messages of the first sample in front, the rest shuffled."""
        groups: dict[SituationKey, list[NewItem]] = {}
        for item in self._items.values():
            groups.setdefault(item.situation, []).append(item)
        ordered = [list(groups.values())[row] for row in rng.permutation(len(groups))]
        ordered.sort(key=lambda group: all(item.kind != "start" for item in group))
        return [item for group in ordered for item in sorted(group, key=lambda item: item.turn)]


class _Column:
    """The decisions of a judge about some turns; the history begins with turn 0."""

    def __init__(self, judge: Judge, decisions: TurnDecisions, turns: NDArray[np.int64]) -> None:
        self._name, self.threshold = judge.name, decisions.threshold
        self.kept = decisions.kept[turns]
        self.scores = None if decisions.scores is None else decisions.scores[turns]  # NaN: a turn has none

    def verdict(self, row: int) -> Verdict:
        score = TurnDecisions.value(self.scores, row)
        return Verdict(self._name, bool(self.kept[row]), score, self.threshold)
