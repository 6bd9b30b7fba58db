"""Does the checkpoint period of retention matter? Periods 0, 2, 3, 4 and 5 on relevance sets.

    python -m tools.retention_periods SET… [--seeds 5] [--base-windows 4000 1000] [--out FILE.json]

The sets state no confidence, so it is drawn, once for each message of each case and each seed: as likely
anywhere from 0.40 to 0.90, and correlated with whether the message is relevant to that case. A message's own
confidence cannot know what will be asked, so this is the most that a real one of that correlation could do.
Beside it stand the estimate from hedging language, and no confidence at all.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.files import write_whole
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw
from convgate.evaluation.judged_cases import TokenCounts, cases_in_order, count_tokens
from convgate.evaluation.metrics import METRICS, Bools, Terms, case_terms, ratios
from convgate.evaluation.results import summarise
from convgate.policies.retention import Confidence, confidences
from convgate.policies.retention.policy import Pruning, Retention, RetentionResult
from convgate.transcripts import RelevanceSet
from convgate.transcripts.relevance_sets import read_relevance_set
from convgate.versions.card import Metric
from tools.retention_tables import PRUNING, Row, SetFacts, by_period, whole_table

PERIODS = (0, 2, 3, 4, 5)
CORRELATIONS = (0.0, 0.3, 0.6)
LOW, HIGH = 0.4, 0.9  # two fifths from 0.70, and a fifth in each band below
_F1 = METRICS.index("f1")

Values = NDArray[np.float64]


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
    parser.add_argument("--conversations", type=int, help="of each set, the first so many")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    results = [
        measured(read_relevance_set(path), given.seeds, given.base_windows, given.conversations)
        for path in given.sets
    ]
    if given.out:
        tables = [{**asdict(facts), "rows": [row.to_json() for row in rows]} for facts, rows in results]
        write_whole(given.out, json.dumps(tables, indent=1).encode())
    print(
        "\n".join(
            [*by_period(results), *(line for facts, rows in results for line in whole_table(facts, rows))]
        )
    )


def measured(
    relevance_set: RelevanceSet,
    seeds: int = 5,
    base_windows: Sequence[int] = (4_000,),
    conversations: int | None = None,
) -> tuple[SetFacts, list[Row]]:
    """Every period, way and kind of confidence on one set."""
    cases = posed(relevance_set, conversations)
    names, clusters = np.unique([case.conversation for case in cases], return_inverse=True)
    draws = draw(len(names))
    rows, correlations = [], {}
    for name, given in kinds(cases, seeds):
        sys.stderr.write(f"{relevance_set.name}: {name}\n")
        terms, at_checkpoints, correlations[name] = _terms(cases, given, base_windows)
        for way in (*base_windows, PRUNING):
            off = cluster_sums(terms[way, 0], clusters, len(names))
            for period in PERIODS:
                summary = summarise(terms[way, period], clusters, draws)
                sums = cluster_sums(terms[way, period], clusters, len(names))
                gain = Metric.of(
                    (ratios(sums.sum(axis=0)) - ratios(off.sum(axis=0)))[_F1],
                    *difference_interval(off, sums, draws)[_F1],
                )
                rows.append(Row(way, name, period, summary, gain, at_checkpoints[way, period]))
    relevant = float(np.concatenate([case.relevant for case in cases]).mean())
    lengths = np.array([sum(len(turn.scored_text) for turn in case.turns) for case in cases])
    whole = {base_window: float((lengths <= base_window).mean()) for base_window in base_windows}
    return SetFacts(relevance_set.name, len(names), len(cases), relevant, whole, correlations), rows


def posed(relevance_set: RelevanceSet, conversations: int | None = None) -> list[Posed]:
    """The cases in the order in which policies are measured, those without earlier turns left out."""
    tokens = count_tokens(relevance_set)
    used = sorted({case.conversation for case in cases_in_order(relevance_set)})[:conversations]
    cases = []
    for case in cases_in_order(relevance_set):
        _, history = relevance_set.current(case)
        if case.conversation not in used or not len(history):
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
) -> tuple[dict[tuple[int, int], Terms], dict[tuple[int, int], float], float]:
    """By base window and period the terms of each case and the share of checkpoints; the correlation."""
    keys = [(way, period) for way in (*base_windows, PRUNING) for period in PERIODS]
    terms = {key: np.zeros((len(cases), 2, len(METRICS))) for key in keys}
    checkpoints = dict.fromkeys(keys, 0)
    values, mattered, turns = [], [], 0
    for answers in given:
        for place, (case, confidence) in enumerate(zip(cases, answers, strict=True)):
            values += [confidence[row].value for row in case.rows]
            mattered += case.relevant.tolist()
            turns += len(case.turns)
            for way, period in keys:
                retained = _retained(way, case.turns, confidence, period)
                terms[way, period][place] += case_terms(
                    case.relevant, retained.kept[case.rows], None, case.tokens
                )
                checkpoints[way, period] += retained.rules.count("checkpoint")
    correlation = float(np.corrcoef(values, mattered)[0, 1]) if len(set(values)) > 1 else float("nan")
    return terms, {key: count / turns for key, count in checkpoints.items()}, correlation


def _retained(way: int, turns: Sequence[Turn], answers: Sequence[Confidence], period: int) -> RetentionResult:
    if way == PRUNING:
        return Pruning(period=period).retain(turns, answers)
    return Retention(base_window=way, period=period).retain(turns, answers)


if __name__ == "__main__":
    main()
