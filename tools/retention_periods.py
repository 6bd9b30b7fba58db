"""Does the checkpoint period of retention matter? Periods 0, 2, 3, 4 and 5 on relevance sets.

    python -m tools.retention_periods SET… [--seeds 5] [--base-windows 4000 1000]

The sets state no confidence, so it is drawn, once for each message of each case and each seed: as likely
anywhere from 0.40 to 0.90, and correlated with whether the message is relevant to that case. A message's own
confidence cannot know what will be asked, so this is the most that a real one of that correlation could do.
Beside it stand the estimate from hedging language, and no confidence at all.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw
from convgate.evaluation.judged_cases import TokenCounts, cases_in_order, count_tokens
from convgate.evaluation.metrics import METRICS, Bools, Terms, case_terms, ratios
from convgate.evaluation.results import Summary, summarise
from convgate.policies.retention import Confidence, confidences
from convgate.policies.retention.policy import Pruning, Retention, RetentionResult
from convgate.transcripts import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions.card import Metric

PERIODS = (0, 2, 3, 4, 5)
CORRELATIONS = (0.0, 0.3, 0.6)
LOW, HIGH = 0.4, 0.9  # two fifths from 0.70, and a fifth in each band below
_F1 = METRICS.index("f1")
PRUNING = 0  # in place of a base window: what is stored is pruned
SHOWN = ("recall", "precision", "f1", "kept_token_share")

Values = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """What one period did in one way with one kind of confidence."""

    base_window: int  # characters; PRUNING for what stays of a stored conversation
    confidence: str
    period: int
    summary: Summary
    gain: Metric  # F1 less that of period 0, with its interval

    @property
    def way(self) -> str:
        """In a few words."""
        return f"window {self.base_window:,}" if self.base_window else "pruning"

    def same(self, other: Row) -> bool:
        """Whether both keep the same, as far as it is measured."""
        return all(self.summary[name] == other.summary[name] for name in SHOWN)


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What else to know about a set."""

    dataset: str
    conversations: int
    cases: int
    relevant: float  # share of turns, 0…1
    whole: dict[int, float]  # by base window: share of the cases whose history fits into it
    correlations: dict[str, float]  # by kind of confidence: between what the policy sees and relevance


@dataclass(frozen=True, eq=False, slots=True)
class Posed:
    """One case: the turns before its message, and which of them matter."""

    conversation: str
    turns: tuple[Turn, ...]
    rows: NDArray[np.int64]  # of the turns whose relevance is known
    relevant: Bools  # (rows,)
    tokens: TokenCounts  # (rows,)

    @property
    def mask(self) -> Bools:
        """(turns,) which are known to be relevant."""
        mask = np.zeros(len(self.turns), dtype=np.bool_)
        mask[self.rows] = self.relevant
        return mask


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sets", type=Path, nargs="+", metavar="SET")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--base-windows", type=int, nargs="+", default=[Retention().base_window], metavar="CHARACTERS"
    )
    given = parser.parse_args()
    results = [measured(read_relevance_set(path), given.seeds, given.base_windows) for path in given.sets]
    print("\n".join(by_period(results)))
    for facts, rows in results:
        print("\n".join(whole_table(facts, rows)))


def measured(
    relevance_set: RelevanceSet, seeds: int, base_windows: Sequence[int]
) -> tuple[SetFacts, list[Row]]:
    """Every period, way and kind of confidence on one set."""
    cases = posed(relevance_set)
    names, clusters = np.unique([case.conversation for case in cases], return_inverse=True)
    draws = draw(len(names))
    rows, correlations = [], {}
    for name, given in kinds(cases, seeds):
        sys.stderr.write(f"{relevance_set.name}: {name}\n")
        terms, correlations[name] = _terms(cases, given, base_windows)
        for way in (*base_windows, PRUNING):
            off = cluster_sums(terms[way, 0], clusters, len(names))
            for period in PERIODS:
                summary = summarise(terms[way, period], clusters, draws)
                sums = cluster_sums(terms[way, period], clusters, len(names))
                gain = Metric.of(
                    (ratios(sums.sum(axis=0)) - ratios(off.sum(axis=0)))[_F1],
                    *difference_interval(off, sums, draws)[_F1],
                )
                rows.append(Row(way, name, period, summary, gain))
    relevant = float(np.concatenate([case.relevant for case in cases]).mean())
    lengths = np.array([sum(len(turn.scored_text) for turn in case.turns) for case in cases])
    whole = {base_window: float((lengths <= base_window).mean()) for base_window in base_windows}
    return SetFacts(relevance_set.name, len(names), len(cases), relevant, whole, correlations), rows


def posed(relevance_set: RelevanceSet) -> list[Posed]:
    """The cases in the order in which policies are measured, those without earlier turns left out."""
    tokens = count_tokens(relevance_set)
    cases = []
    for case in cases_in_order(relevance_set):
        _, history = relevance_set.current(case)
        if not len(history):
            continue
        known = range(history.start, history.stop) if case.judged is None else sorted(case.judged)
        inside = [index - history.start for index in known if history.start <= index < history.stop]
        rows = np.array(inside, dtype=np.int64)
        relevant = np.isin(rows + history.start, list(case.relevant))
        counted = tokens[case.conversation][history.start : history.stop][rows]
        cases.append(Posed(case.conversation, history.turns, rows, relevant, counted))
    return cases


TranscriptAnswer = Iterable[Sequence[Sequence[Confidence]]]  # by seed, then by case, then by turn


def kinds(cases: Sequence[Posed], seeds: int) -> Iterator[tuple[str, TranscriptAnswer]]:
    """Each kind of confidence with its name."""
    yield "none stated", [[confidences(case.turns) for case in cases]]
    yield "estimate", [[confidences(case.turns, estimate=True) for case in cases]]
    for correlation in CORRELATIONS:
        yield f"drawn, {correlation:.1f}", (_stated(cases, correlation, seed) for seed in range(seeds))


def _stated(cases: Sequence[Posed], correlation: float, seed: int) -> list[Sequence[Confidence]]:
    values = drawn(np.concatenate([case.mask for case in cases]), correlation, seed)
    each = np.split(values, np.cumsum([len(case.turns) for case in cases])[:-1])
    return [confidences(stating(case.turns, of_case)) for case, of_case in zip(cases, each, strict=True)]


def stating(turns: Sequence[Turn], values: Values) -> list[Turn]:
    """The turns with those confidences in their metadata."""
    return [
        replace(turn, metadata={"confidence": value})
        for turn, value in zip(turns, values.tolist(), strict=True)
    ]


def drawn(relevant: Bools, correlation: float, seed: int) -> Values:
    """(n,) values spread evenly from LOW to HIGH with that correlation to `relevant`, or the most there is.

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
    cases: Sequence[Posed], given: TranscriptAnswer, base_windows: Sequence[int]
) -> tuple[dict[tuple[int, int], Terms], float]:
    """By base window and period the terms of each case; the correlation."""
    keys = [(way, period) for way in (*base_windows, PRUNING) for period in PERIODS]
    terms = {key: np.zeros((len(cases), 2, len(METRICS))) for key in keys}
    values, mattered = [], []
    for answers in given:
        for place, (case, confidence) in enumerate(zip(cases, answers, strict=True)):
            values += [confidence[row].value for row in case.rows]
            mattered += case.relevant.tolist()
            for way, period in keys:
                retained = _retained(way, case.turns, confidence, period)
                terms[way, period][place] += case_terms(
                    case.relevant, retained.kept[case.rows], None, case.tokens
                )
    correlation = float(np.corrcoef(values, mattered)[0, 1]) if len(set(values)) > 1 else float("nan")
    return terms, correlation


def _retained(way: int, turns: Sequence[Turn], answers: Sequence[Confidence], period: int) -> RetentionResult:
    if way == PRUNING:
        return Pruning(period=period).retain(turns, answers)
    return Retention(base_window=way, period=period).retain(turns, answers)


def by_period(results: Sequence[tuple[SetFacts, Sequence[Row]]]) -> Iterator[str]:
    """F1 without checkpoints, and what each period adds to it, a line for each kind of confidence."""
    periods = sorted({row.period for _, rows in results for row in rows if row.period})
    headings = ["set", "way", "confidence", "F1, period 0", *(f"period {period}" for period in periods)]
    yield f"| {' | '.join(headings)} |"
    yield f"|{'---|' * len(headings)}"
    for facts, rows in results:
        for (way, confidence), group in groupby(rows, key=lambda row: (row.way, row.confidence)):
            off, *on = group
            gains = ["same" if row.same(off) else figure(row.gain, sign="+") for row in on]
            yield f"| {' | '.join([facts.dataset, way, confidence, figure(off.summary['f1']), *gains])} |"
    yield ""


def whole_table(facts: SetFacts, rows: Sequence[Row]) -> Iterator[str]:
    """Every measure of one set; a period that changes nothing has no row."""
    correlations = ", ".join(
        f"{name}: {value:.2f}" for name, value in facts.correlations.items() if value == value
    )
    fit = ", ".join(f"{share:.0%} into {base:,} characters" for base, share in facts.whole.items())
    yield f"### {facts.dataset}"
    yield ""
    yield (
        f"{facts.cases:,} cases of {facts.conversations:,} conversations; {facts.relevant:.1%} of the turns"
        f" are relevant; whole histories that fit: {fit}. Correlation of confidence, as the policy sees it,"
        f" with relevance: {correlations or 'none'}."
    )
    yield ""
    yield "| way | confidence | period | recall | precision | F1 | tokens kept |"
    yield "|---|---|---|---|---|---|---|"
    for (way, confidence), group in groupby(rows, key=lambda row: (row.way, row.confidence)):
        off, *on = group
        for row in [off, *(row for row in on if not row.same(off))]:
            measures = [figure(row.summary[name]) for name in SHOWN]
            yield f"| {' | '.join([way, confidence, str(row.period), *measures])} |"
    yield ""


def figure(measure: Metric, sign: str = "") -> str:
    """A measure with its interval.

    >>> figure(Metric(0.5, 0.25, 0.75)), figure(Metric(None))
    ('.500 [.250, .750]', '–')
    """
    if measure.value is None:
        return "–"
    bounds = [] if measure.low is None or measure.high is None else [measure.low, measure.high]
    value, *interval = [f"{number:{sign}.3f}".replace("0.", ".", 1) for number in (measure.value, *bounds)]
    return f"{value} [{', '.join(interval)}]" if interval else value


if __name__ == "__main__":
    main()
