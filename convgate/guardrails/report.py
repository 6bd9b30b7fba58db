"""A period of the log in figures, for the terminal, JSON and the Monitor page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.settings import Settings
from convgate.guardrails.rules import DRIFT_WINDOW, Observation, divergence, failures_for_alert, observe
from convgate.modes.mode import MODES, Mode
from convgate.store.database import Store
from convgate.store.guard_states import Alert, Baseline, GuardStates
from convgate.store.requests import NO_OUTCOMES, Outcomes, Requests, Sums

MAX_BINS = 96
MAX_LATENCIES = 20_000  # requests from which percentiles are taken; of more, about so many are drawn

_WIDTHS = tuple(
    60.0 * minutes for minutes in (1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 10_080, 43_200)
)


@dataclass(frozen=True, slots=True)
class Totals(Sums):
    """Sums over the requests of a period, or of one bin of it."""

    latency: tuple[float, ...] | None  # seconds that building took: p50, p95, p99; None without requests

    @property
    def low_share(self) -> float | None:
        """The share that the classifier was unsure of, 0…1; None without any request to judge."""
        return self.unsure / self.judged if self.judged else None

    @property
    def tokens_sent(self) -> int:
        """Tokens sent, without the current messages."""
        return sum(self.tokens)

    @property
    def tokens_saved(self) -> int:
        """Tokens of the histories not sent; below 0 where capsules are longer than what was left out."""
        return self.tokens_total - self.tokens_sent


@dataclass(frozen=True, slots=True)
class Bin:
    """A part of the period."""

    start: datetime  # UTC, inclusive
    end: datetime  # exclusive
    totals: Totals
    divergence: float | None  # nats: the highest of the hours that end in it; None with too few requests


@dataclass(frozen=True, slots=True)
class ModeErrors:
    """How requests in a mode ended."""

    mode: Mode
    period: Outcomes  # of the whole period
    newest: Outcomes  # that the guardrails judge by
    alert_from: int | None  # failures of the newest at which it is overruled; None with too few outcomes
    is_held: bool  # GENERAL stands in for it


@dataclass(frozen=True)
class GuardrailsReport:
    """The log from `since` to `until`, and what the guardrails see now."""

    since: datetime  # UTC
    until: datetime
    totals: Totals
    bins: tuple[Bin, ...]
    latest: Observation  # the last hour, the baseline, confidences and outcomes
    period_divergence: float | None  # nats between the period and the baseline; None without a baseline
    errors: tuple[ModeErrors, ...]  # all modes
    alerts: tuple[Alert, ...]  # of the period and open ones, the newest first
    lost: int  # requests of the period that could not be logged

    @property
    def open_alerts(self) -> tuple[Alert, ...]:
        """Alerts that are not cleared."""
        return tuple(alert for alert in self.alerts if alert.open)


def report(
    store: Store, settings: Settings, since: datetime, until: datetime, now: datetime
) -> GuardrailsReport:
    """Return the figures from `since` to `until` (exclusive), and what the guardrails see at `now`.

    Raises StoreError when the database cannot be read.
    """
    since = min(since, until)
    requests, states = Requests(store), GuardStates(store)
    latest, open_alerts = observe(store, settings, now), states.open_alerts()
    edges = bin_edges(since, until)
    seconds = np.array(requests.seconds(since, until, limit=MAX_LATENCIES), dtype=np.float64).reshape(-1, 2)
    places = np.searchsorted([edge.timestamp() for edge in edges], seconds[:, 0], side="right") - 1
    bins = tuple(
        Bin(
            *span,
            _totals(requests, *span, seconds[places == place, 1]),
            _max_divergence(requests, *span, latest.baseline, settings.guard.drift_min_requests),
        )
        for place, span in enumerate(pairwise(edges))
    )
    totals = _totals(requests, since, until, seconds[:, 1])
    baseline, overall = latest.baseline, latest.overall_rate
    period_outcomes = requests.outcomes(since, until, MODES)
    held = {alert.mode for alert in open_alerts if alert.kind == "errors"} - {"GENERAL"}
    return GuardrailsReport(
        since,
        until,
        totals,
        bins,
        latest,
        None if baseline is None else divergence(totals.classified, baseline.counts),
        tuple(
            ModeErrors(
                mode,
                period_outcomes.get(mode, NO_OUTCOMES),
                newest := latest.outcomes[mode],
                None
                if overall is None or newest.count < settings.guard.error_min_outcomes
                else failures_for_alert(newest.count, overall, settings),
                mode in held,
            )
            for mode in MODES
        ),
        tuple(states.alerts(since, until)),
        requests.lost(since, until),
    )


def bin_edges(since: datetime, until: datetime) -> list[datetime]:
    """Return `since`, `until`, and round times between them that make about MAX_BINS bins of one width.

    The width is the smallest of `_WIDTHS`, or the smallest multiple of the last, that gives so few.
    """
    min_width = (until - since).total_seconds() / MAX_BINS
    width = next((w for w in _WIDTHS if w >= min_width), _WIDTHS[-1] * ceil(min_width / _WIDTHS[-1]))
    first = ceil((since.timestamp() + 1e-6) / width) * width
    last = until.timestamp() - 1e-6
    inner = np.arange(first, max(first, last), width)
    return [since, *(datetime.fromtimestamp(float(edge), UTC) for edge in inner), until]


def _totals(requests: Requests, since: datetime, until: datetime, seconds: NDArray[np.float64]) -> Totals:
    sums = requests.sums(since, until, MODES)
    latency = tuple(np.percentile(seconds, (50, 95, 99)).tolist()) if seconds.size else None
    values = {field.name: getattr(sums, field.name) for field in fields(Sums)}
    return Totals(**values, latency=latency)


def _max_divergence(
    requests: Requests, start: datetime, end: datetime, baseline: Baseline | None, min_requests: int
) -> float | None:
    """Return the highest divergence of the hours of a bin with enough requests; of bins of days, its own."""
    if baseline is None:
        return None
    length = end - start
    window = length if length > 24 * DRIFT_WINDOW else DRIFT_WINDOW
    hours = [
        requests.classified(end - window * (step + 1), end - window * step)
        for step in range(ceil(length / window))
    ]
    return max(
        (divergence(counts, baseline.counts) for counts in hours if sum(counts.values()) >= min_requests),
        default=None,
    )


def report_json(report: GuardrailsReport) -> dict[str, Any]:
    """Return the report as plain JSON: shares and rates in 0…1, divergences in nats, times in ISO 8601."""
    latest = report.latest
    figures: dict[str, Any] = _plain(asdict(report))
    return figures | {
        "divergence": latest.divergence,
        "low_share": latest.low_share,
        "misclassification_rate": latest.misclassification_rate,
        "overall_rate": latest.overall_rate,
        "tokens_saved": report.totals.tokens_saved,
        "alerts": [alert.to_json() for alert in report.alerts],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return value.isoformat() if isinstance(value, datetime) else value
