"""Agreement between annotators: Cohen's kappa for two of them, Krippendorff's alpha for more.

    agreement(store)[0].value      # kappa of the two annotators with the most shared turns

Both coefficients are ratios of sums over turns, so one call computes them for every bootstrap resample. Turns
of which an annotator is unsure are left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, groupby
from math import floor
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.bootstrap import LEVEL, draw
from convgate.store.database import Store
from convgate.store.label_log import CurrentKey
from convgate.store.labels import Labels

TARGET = 0.70
"""Kappa or alpha that labels should reach."""

MIN_AGREEMENT = 0.60
"""Below this, training warns."""

MIN_SHARED = 20
"""Shared turns needed to judge agreement."""

_MIN_CONVERSATIONS = 10  # for an interval over conversations; with fewer it is over messages
_MAX_CLUSTERS = 200

Level = Literal["good", "fair", "low", "few", "undefined"]
Sums = NDArray[np.floating[Any]]

_READINGS: dict[Level, str] = {
    "good": "Good agreement.",
    "fair": f"Below the target of {TARGET:.2f}.",
    "low": f"Below {MIN_AGREEMENT:.2f}. Adjudicate the disagreements before training.",
    "few": f"Not enough data: at least {MIN_SHARED} shared turns are needed.",
    "undefined": "Not defined, because all answers are the same.",
}


@dataclass(frozen=True, slots=True)
class TurnAnswers:
    """The answers of at least two people to one turn, without those who are unsure."""

    current: CurrentKey
    relevant: Mapping[str, bool]  # by annotator, in the order of names


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well some annotators agree."""

    annotators: tuple[str, ...]  # by name
    coefficient: Literal["kappa", "alpha"]
    value: float | None  # at most 1; None when it is not defined
    interval: tuple[float, float] | None  # 95%, over conversations, or over messages when there are few
    shared: int  # turns that at least two of them answered, none of both unsure
    agreed: int  # of these, turns with one answer by all

    @property
    def level(self) -> Level:
        """Return the value as a category."""
        if self.shared < MIN_SHARED:
            return "few"
        if self.value is None:
            return "undefined"
        return "good" if self.value >= TARGET else "fair" if self.value >= MIN_AGREEMENT else "low"

    @property
    def summary(self) -> str:
        """Return the numbers and what they mean, in a line."""
        numbers = f"{self.agreed:,} of {self.shared:,} shared turns have the same answer"
        if self.interval is not None:
            numbers = f"95% interval {self.interval[0]:.2f} to {self.interval[1]:.2f}, {numbers}"
        if self.value is not None:
            # Rounded down, so that a value below a limit never reads as if it reached it.
            numbers = f"{self.coefficient} {floor(self.value * 100 + 1e-9) / 100:.2f}, {numbers}"
        return f"{', '.join(self.annotators)}: {numbers}. {_READINGS[self.level]}"


def agreement(store: Store, *, training: bool = False) -> list[Agreement]:
    """Return kappa of every two annotators, most shared turns first, then alpha when there are more than two.

    training: only of annotators whose labels are trained on.
    """
    turns = shared_turns(store, training=training)
    by_pair: dict[tuple[str, str], list[TurnAnswers]] = defaultdict(list)
    for turn in turns:
        for pair in combinations(turn.relevant, 2):
            by_pair[pair].append(turn)
    results = [pair_agreement(*pair, shared) for pair, shared in by_pair.items()]
    results.sort(key=lambda result: (-result.shared, result.annotators))
    names = sorted({name for pair in by_pair for name in pair})
    if len(names) > 2:
        results.append(group_agreement(names, turns))
    return results


def shared_turns(store: Store, *, training: bool = False) -> list[TurnAnswers]:
    """Return the turns that at least two people answered; training: people whose labels are trained on."""
    entries = [
        entry
        for entry in Labels(store).entries(training=training)
        if entry.kind == "person" and entry.value != "unsure"
    ]
    turns = []
    for (current, _), answers in groupby(entries, lambda entry: (entry.current, entry.turn)):
        relevant = {entry.annotator: entry.value == "relevant" for entry in answers}
        if len(relevant) > 1:
            turns.append(TurnAnswers(current, relevant))
    return turns


def pair_agreement(first: str, second: str, turns: Sequence[TurnAnswers]) -> Agreement:
    """Return kappa of two annotators over turns that both answered."""
    a, b = (np.array([turn.relevant[name] for turn in turns], dtype=np.bool_) for name in (first, second))
    cells = np.stack([a & b, a & ~b, ~a & b, ~a & ~b], axis=1).astype(np.float64)
    value, interval = _estimate(kappa, cells, turns)
    n_agreed = int((a == b).sum())
    return Agreement((first, second), "kappa", value, interval, shared=len(turns), agreed=n_agreed)


def group_agreement(names: Sequence[str], turns: Sequence[TurnAnswers]) -> Agreement:
    """Return alpha of several annotators over turns that at least two of them answered."""
    counts = np.array([len(turn.relevant) for turn in turns], dtype=np.float64)
    relevant = np.array([sum(turn.relevant.values()) for turn in turns], dtype=np.float64)
    conflict = relevant * (counts - relevant) / (counts - 1)
    value, interval = _estimate(alpha, np.stack([relevant, counts - relevant, conflict], axis=1), turns)
    return Agreement(
        tuple(names), "alpha", value, interval, shared=len(turns), agreed=int((conflict == 0).sum())
    )


def training_warnings(store: Store) -> list[str]:
    """Return what to know before training on the labels: low agreement, open disagreements."""
    warnings = [pair.summary for pair in agreement(store, training=True) if pair.level == "low"]
    if n_open := len(Labels(store).disagreements(training=True)):
        turns = "1 turn has" if n_open == 1 else f"{n_open:,} turns have"
        warnings.append(
            f"{turns} contradicting answers and no adjudication. Without a majority, a turn is left out of"
            " training."
        )
    return warnings


def kappa(cells: Sums) -> Sums:
    """Return (…) Cohen's kappa of (…, 4) counts: both relevant, only the first, only the second, neither.

    NaN where both always gave the same answer: agreement by chance is then certain.

        >>> kappa(np.array([20.0, 5, 10, 15])).round(2).tolist()  # 35 of 50 agree, 25 would by chance
        0.4
    """
    both, first, second, neither = np.moveaxis(np.asarray(cells, dtype=np.float64), -1, 0)
    by_chance = (both + first) * (first + neither) + (both + second) * (second + neither)
    return _ratio(2 * (both * neither - first * second), by_chance)


def alpha(sums: Sums) -> Sums:
    """Return (…) Krippendorff's alpha, nominal, of (…, 3): relevant answers, others, conflict.

    Over turns with at least two answers; conflict sums relevant · not relevant / (answers - 1) of each.
    NaN where all answers are the same.

        >>> alpha(np.array([3.0, 3.0, 1.0])).round(2).tolist()  # by two: yes yes, no no, yes no
        0.44
    """
    relevant, not_relevant, conflict = np.moveaxis(np.asarray(sums, dtype=np.float64), -1, 0)
    return 1 - _ratio(conflict * (relevant + not_relevant - 1), relevant * not_relevant)


def _ratio(numerator: Sums, denominator: Sums) -> Sums:
    return np.divide(numerator, denominator, out=np.full_like(denominator, np.nan), where=denominator > 0)


def _estimate(
    coefficient: Callable[[Sums], Sums], sums: Sums, turns: Sequence[TurnAnswers]
) -> tuple[float | None, tuple[float, float] | None]:
    """Return the coefficient of (turns, k) sums and its 95% cluster bootstrap interval; None: not defined.

    Clusters are conversations when there are enough, as turns of one are no independent evidence.
    """
    value = coefficient(sums.sum(axis=0))
    clusters: list[object] = [turn.current.conversation for turn in turns]
    if len(set(clusters)) < _MIN_CONVERSATIONS:
        clusters = [turn.current for turn in turns]
    numbers = {cluster: number for number, cluster in enumerate(dict.fromkeys(clusters))}
    places = np.array([numbers[cluster] for cluster in clusters], dtype=np.intp)
    count = min(len(numbers), _MAX_CLUSTERS)
    by_cluster = np.zeros((count, sums.shape[1]))
    # Clusters are independent, so pooling some changes no variance, and bounds the work.
    np.add.at(by_cluster, places % max(count, 1), sums)
    values = coefficient(draw(count) @ by_cluster)
    interval = None
    if count > 1 and not np.isnan(values).all():
        low, high = np.nanquantile(values, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        interval = float(low), float(high)
    return None if np.isnan(value) else float(value), interval
