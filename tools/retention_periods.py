"""Does the checkpoint period of retention matter? Periods 0, 2, 3, 4 and 5 on relevance sets.

    python -m tools.retention_periods SET… [--seeds 5] [--base-windows 4000 1000]

The sets state no confidence, so it is drawn, once for each message of each case and each seed: as likely
anywhere from 0.40 to 0.90, and correlated with whether the message is relevant to that case. A message's own
confidence cannot know what will be asked, so this is the most that a real one of that correlation could do.
Beside it stand the estimate from hedging language, and no confidence at all.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.judged_cases import cases_in_order
from convgate.evaluation.metrics import METRICS, Bools, Terms, case_terms, ratios
from convgate.policies.retention import Confidence, confidences
from convgate.policies.retention.policy import Pruning, Retention
from convgate.transcripts import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set

PERIODS = (0, 2, 3, 4, 5)
CORRELATIONS = (0.0, 0.3, 0.6)
LOW, HIGH = 0.4, 0.9  # two fifths from 0.70, and a fifth in each band below
_F1 = METRICS.index("f1")
PRUNING = 0  # in place of a base window: what is stored is pruned

Values = NDArray[np.float64]
CaseConfidences = Sequence[Sequence[Confidence]]  # by case, then by turn


@dataclass(frozen=True, eq=False, slots=True)
class LabelledHistory:
    """One case: the turns before its message, and which of them matter."""

    conversation: str
    turns: tuple[Turn, ...]
    rows: NDArray[np.int64]  # of the turns whose relevance is known
    relevant: Bools  # (rows,)

    @property
    def mask(self) -> Bools:
        """(turns,) which are known to be relevant."""
        mask = np.zeros(len(self.turns), dtype=np.bool_)
        mask[self.rows] = self.relevant
        return mask


def main() -> None:
    """Print F1 without checkpoints, and what each period adds to it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--base-windows", type=int, nargs="+", default=[Retention().base_window], metavar="CHARACTERS"
    )
    given = parser.parse_args()
    headings = ["set", "policy", "confidence", *(f"period {period}" for period in PERIODS)]
    print(f"| {' | '.join(headings)} |\n|{'---|' * len(headings)}")
    for path in given.sets:
        for cells in measure(read_relevance_set(path), given.seeds, given.base_windows):
            print(f"| {' | '.join(cells)} |", flush=True)


def measure(relevance_set: RelevanceSet, seeds: int, base_windows: Sequence[int]) -> Iterator[list[str]]:
    """Yield a row for each kind of confidence and policy."""
    cases = labelled_histories(relevance_set)
    names, clusters = np.unique([case.conversation for case in cases], return_inverse=True)
    draws = draw(len(names))
    for name, given in kinds(cases, seeds):
        terms = _terms(cases, given, base_windows)
        for window in (*base_windows, PRUNING):
            off, *on = (cluster_sums(terms[window, period], clusters, len(names)) for period in PERIODS)
            f1 = ratios(off.sum(axis=0))[_F1]
            cells = [_figure(f1, interval(off, draws)[_F1])]
            for sums in on:
                gain = ratios(sums.sum(axis=0))[_F1] - f1
                cells.append(_figure(gain, difference_interval(off, sums, draws)[_F1], sign="+"))
            policy = f"window {window:,}" if window else "pruning"
            yield [relevance_set.name, policy, name, *cells]


def labelled_histories(relevance_set: RelevanceSet) -> list[LabelledHistory]:
    """Return the cases in the order in which policies are measured, those without earlier turns left out."""
    cases = []
    for case in cases_in_order(relevance_set):
        _, history = relevance_set.current(case)
        if not len(history):
            continue
        known = range(history.start, history.stop) if case.judged is None else sorted(case.judged)
        inside = [index - history.start for index in known if history.start <= index < history.stop]
        rows = np.array(inside, dtype=np.int64)
        relevant = np.isin(rows + history.start, list(case.relevant))
        cases.append(LabelledHistory(case.conversation, history.turns, rows, relevant))
    return cases


def kinds(cases: Sequence[LabelledHistory], seeds: int) -> Iterator[tuple[str, Iterable[CaseConfidences]]]:
    """Yield each kind of confidence: its name, and the confidences of each seed."""
    yield "none stated", [[confidences(case.turns) for case in cases]]
    yield "estimate", [[confidences(case.turns, estimate=True) for case in cases]]
    for correlation in CORRELATIONS:
        yield f"simulated, {correlation:.1f}", (_stated(cases, correlation, seed) for seed in range(seeds))


def _stated(cases: Sequence[LabelledHistory], correlation: float, seed: int) -> CaseConfidences:
    values = draw_confidences(np.concatenate([case.mask for case in cases]), correlation, seed)
    each = np.split(values, np.cumsum([len(case.turns) for case in cases])[:-1])
    return [
        confidences(
            [
                replace(turn, metadata={"confidence": value})
                for turn, value in zip(case.turns, of_case.tolist(), strict=True)
            ]
        )
        for case, of_case in zip(cases, each, strict=True)
    ]


def draw_confidences(relevant: Bools, correlation: float, seed: int) -> Values:
    """Return (n,) values spread evenly from LOW to HIGH with that correlation to `relevant`, or the most.

    Normal noise and relevance are added up, in the proportion that gives the correlation, and the sums' ranks
    spread over the range. Where few turns are relevant, an even spread allows only a lower correlation:
    the relevant ones are at its top then.
    """
    noise = np.random.default_rng(seed).standard_normal(len(relevant))
    deviation = relevant.std()
    if not deviation:
        return _spread(noise)
    standard = (relevant - relevant.mean()) / deviation

    def at(share: float) -> Values:
        return _spread(share * standard + np.sqrt(1 - share**2) * noise)

    low, high = 0.0, 1 - 1e-6
    if not correlation or np.corrcoef(at(high), relevant)[0, 1] <= correlation:
        return at(high if correlation else 0.0)
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (low, middle) if np.corrcoef(at(middle), relevant)[0, 1] > correlation else (middle, high)
    return at(low)


def _spread(sums: Values) -> Values:
    places = np.empty(len(sums))
    places[np.argsort(sums)] = np.arange(len(sums)) + 0.5
    return LOW + (HIGH - LOW) * places / len(sums)


def _terms(
    cases: Sequence[LabelledHistory], given: Iterable[CaseConfidences], base_windows: Sequence[int]
) -> dict[tuple[int, int], Terms]:
    """Return the terms of each case, summed over seeds, by base window and period."""
    keys = [(window, period) for window in (*base_windows, PRUNING) for period in PERIODS]
    terms = {key: np.zeros((len(cases), 2, len(METRICS))) for key in keys}
    for of_seed in given:
        for place, (case, confidence) in enumerate(zip(cases, of_seed, strict=True)):
            for window, period in keys:
                policy = Retention(base_window=window, period=period) if window else Pruning(period=period)
                kept = policy.retain(case.turns, confidence).kept[case.rows]
                terms[window, period][place] += case_terms(
                    case.relevant, kept, None, np.zeros(len(kept), dtype=int)
                )
    return terms


def _figure(value: float, bounds: Sequence[float], sign: str = "") -> str:
    first, low, high = (f"{number:{sign}.3f}".replace("0.", ".", 1) for number in (value, *bounds))
    return f"{first} [{low}, {high}]"


if __name__ == "__main__":
    main()
