"""A period of the log in figures: quick with 100,000 requests, for SQLite adds them up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import ceil

import numpy as np
from numpy.typing import NDArray

from convgate.context.guardrails.drift import divergence
from convgate.context.guardrails.limits import DRIFT_WINDOW, Limits
from convgate.context.guardrails.report_records import Bin, Latency, ModeErrors, Report, Totals
from convgate.context.guardrails.seen import Seen, look
from convgate.context.guardrails.times import earlier, in_utc, wall_clock
from convgate.context.mode import MODES
from convgate.context.request import Cause
from convgate.context.section import SECTIONS
from convgate.settings import Settings
from convgate.store.database import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import NO_OUTCOMES, Outcomes, RequestCounts, RequestFigures, Sums

USUAL = timedelta(hours=24)
MOST_BINS = 96
LATENCIES = 20_000  # requests from which percentiles are taken; of more, about so many are drawn

_WIDTHS = tuple(
    60.0 * minutes for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080, 43_200)
)


def report(
    store: Store,
    settings: Settings,
    since: datetime | None = None,
    until: datetime | None = None,
    now: datetime | None = None,
    *,
    most_bins: int = MOST_BINS,
) -> Report:
    """The requests from `since` (24 hours before `until`, unless given) to `until` (now unless given).

    Raises StoreError when the database cannot be read.
    """
    moment = in_utc(now or wall_clock())
    end = in_utc(until) if until is not None else moment + timedelta(microseconds=1)
    begin = min(in_utc(since) if since is not None else end - USUAL, end)
    limits, figures, states = Limits.of(settings), RequestFigures(store), GuardStates(store)
    open_alerts = states.open_alerts()
    seen = look(store, limits, moment, open_alerts)
    edges = bin_edges(begin, end, most=most_bins)
    sums, classified = figures.sums(edges, MODES), figures.classified(edges, MODES)
    times = np.array(figures.seconds(begin, end, most=LATENCIES), dtype=np.float64).reshape(-1, 2)
    places = np.searchsorted([edge.timestamp() for edge in edges], times[:, 0], side="right") - 1
    width = bin_width(begin, end, most=most_bins)
    far = _hourly(figures, edges, width, seen.baseline, limits.drift_least)
    bins = tuple(
        Bin(
            start,
            stop,
            _totals(sums[place : place + 1], classified[place : place + 1], times[places == place, 1]),
            max((value for at, value in far if start < at <= stop), default=None),
        )
        for place, (start, stop) in enumerate(pairwise(edges))
    )
    totals = _totals(sums, classified, times[:, 1])
    counted = RequestCounts(store)
    return Report(
        begin,
        end,
        moment,
        totals,
        bins,
        seen,
        _far(seen.classified, seen.baseline),
        _far(totals.classified, seen.baseline),
        _errors(seen, limits, counted.outcomes(begin, end, MODES), open_alerts),
        tuple(states.alerts(begin, end)),
        counted.lost(begin, end),
        limits.drift_least,
    )


def bin_edges(since: datetime, until: datetime, *, most: int = MOST_BINS) -> list[datetime]:
    """`since`, `until`, and round times between them that make bins of one width, about `most` at most.

    >>> from datetime import datetime
    >>> [f"{edge:%H:%M}" for edge in bin_edges(datetime(2026, 1, 1, 9, 50, tzinfo=UTC),
    ...     datetime(2026, 1, 1, 12, 20, tzinfo=UTC), most=4)]
    ['09:50', '10:00', '11:00', '12:00', '12:20']
    """
    width = bin_width(since, until, most=most)
    first = ceil((since.timestamp() + 1e-6) / width) * width
    last = until.timestamp() - 1e-6
    inner = np.arange(first, max(first, last), width)
    return [since, *(datetime.fromtimestamp(float(edge), UTC) for edge in inner), until]


def bin_width(since: datetime, until: datetime, *, most: int = MOST_BINS) -> float:
    """Seconds of a bin: the least round number with which there are about `most`."""
    least = (until - since).total_seconds() / most
    return next((width for width in _WIDTHS if width >= least), _WIDTHS[-1] * ceil(least / _WIDTHS[-1]))


def _totals(
    sums: Sequence[Sums], classified: Sequence[Mapping[str, int]], seconds: NDArray[np.float64]
) -> Totals:
    outcomes = sum(one.outcomes for one in sums)
    causes: tuple[Cause, ...] = ("drift", "errors", "breach")
    return Totals(
        requests=sum(one.requests for one in sums),
        classified={mode: sum(one.get(mode, 0) for one in classified) for mode in MODES},
        applied={mode: sum(one.applied[mode] for one in sums) for mode in MODES},
        judged=sum(one.judged for one in sums),
        unsure=sum(one.unsure for one in sums),
        fallbacks=sum(one.fallbacks for one in sums),
        by_cause={cause: sum(one.by_cause[cause] for one in sums) for cause in causes},
        breaches=sum(one.breaches for one in sums),
        over_budget=sum(one.over_budget for one in sums),
        sections={name: sum(one.tokens[place] for one in sums) for place, name in enumerate(SECTIONS)},
        tokens_total=sum(one.tokens_total for one in sums),
        outcomes=Outcomes(outcomes, outcomes - sum(one.successes for one in sums)),
        latency=Latency(*map(float, np.percentile(seconds, (50, 95, 99)))) if seconds.size else None,
    )


def _far(classified: Mapping[str, int], baseline: Baseline | None) -> float | None:
    return None if baseline is None else divergence(classified, baseline.counts)


def _hourly(
    figures: RequestFigures,
    edges: Sequence[datetime],
    width: float,
    baseline: Baseline | None,
    least: int,
) -> list[tuple[datetime, float]]:
    """At round times of the period, the divergence of the hour before; where it has enough requests."""
    if baseline is None or len(edges) < 2:
        return []
    step = min(width, DRIFT_WINDOW) if width <= 24 * DRIFT_WINDOW else width
    first = earlier(edges[0], seconds=DRIFT_WINDOW).timestamp() // step * step
    slots = np.arange(first, edges[-1].timestamp() + step, step)
    moments = [datetime.fromtimestamp(float(slot), UTC) for slot in slots]
    counts = figures.classified(moments, MODES)
    table = np.array([[one.get(mode, 0) for mode in MODES] for one in counts], dtype=np.int64)
    running = np.vstack([np.zeros(len(MODES), np.int64), np.cumsum(table, axis=0)])
    back = max(1, round(DRIFT_WINDOW / step))
    found = []
    for place in range(1, len(moments)):
        inside = running[place] - running[max(0, place - back)]
        if inside.sum() >= least:
            hour: dict[str, float] = {mode: int(count) for mode, count in zip(MODES, inside, strict=True)}
            found.append((moments[place], divergence(hour, baseline.counts)))
    return found


def _errors(
    seen: Seen, limits: Limits, period: Mapping[str, Outcomes], alerts: Sequence[Alert]
) -> tuple[ModeErrors, ...]:
    phases = {one.mode: one.phase for one in alerts if one.kind == "errors"}
    overall = seen.overall_rate
    return tuple(
        ModeErrors(
            mode,
            period.get(mode, NO_OUTCOMES),
            seen.outcomes.get(mode, NO_OUTCOMES),
            None if overall is None else limits.error_factor * overall,
            phases.get(mode) == "held" and mode != "GENERAL",
            phases.get(mode) == "probation",
        )
        for mode in MODES
    )
