"""A report as plain JSON: what `convgate monitor --json` prints."""

from __future__ import annotations

from typing import Any

from convgate.context.guardrails.drift import smoothed
from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.report_records import Bin, Latency, ModeErrors, Report, Totals
from convgate.context.mode import MODES
from convgate.store.guard_states import Baseline
from convgate.store.requests import Outcomes


def report_json(report: Report, limits: Limits) -> dict[str, Any]:
    """Shares and rates in 0…1, divergences in nats, times in ISO 8601; null where too few requests tell."""
    seen, totals = report.seen, report.totals
    held = {alert.kind for alert in report.open_alerts}
    return {
        "since": report.since.isoformat(),
        "until": report.until.isoformat(),
        **_totals(totals),
        "lost": report.lost,
        "drift": {
            "drifting": "drift" in held,
            "divergence": report.divergence,
            "limit": limits.drift,
            "requests": seen.requests,
            "least": limits.drift_least,
            "period_divergence": report.period_divergence,
            "baseline": _baseline(seen.baseline),
        },
        "low_confidence": {
            "alert": "low_confidence" in held,
            "share": seen.low_share,
            "limit": limits.low_share,
            "requests": seen.judged,
            "least": limits.low_least,
            "minutes": limits.low_seconds / 60,
        },
        "errors": {
            "overall": seen.overall_rate,
            "modes": {one.mode: _errors(one) for one in report.errors},
        },
        "alerts": [alert.to_json() for alert in report.alerts],
        "bins": [_bin(one) for one in report.bins],
    }


def _totals(totals: Totals) -> dict[str, Any]:
    return {
        "requests": totals.requests,
        "classified": dict(totals.classified),
        "applied": dict(totals.applied),
        "low_share": totals.low_share,
        "fallbacks": {"requests": totals.fallbacks, **totals.by_cause},
        "breaches": totals.breaches,
        "over_budget": totals.over_budget,
        "tokens": {
            "sent": totals.tokens,
            "total": totals.tokens_total,
            "saved": totals.tokens_saved,
            "sections": dict(totals.sections),
        },
        "outcomes": _outcomes(totals.outcomes),
        "seconds": _latency(totals.latency),
    }


def _bin(one: Bin) -> dict[str, Any]:
    return {
        "start": one.start.isoformat(),
        "end": one.end.isoformat(),
        "divergence": one.divergence,
        **_totals(one.totals),
    }


def _errors(one: ModeErrors) -> dict[str, Any]:
    state = "held" if one.held else "probation" if one.probation else "applied"
    return {
        "state": state,
        "limit": one.limit,
        "period": _outcomes(one.period),
        "newest": _outcomes(one.newest),
    }


def _outcomes(outcomes: Outcomes) -> dict[str, Any]:
    return {"count": outcomes.count, "failures": outcomes.failures, "rate": outcomes.rate}


def _latency(latency: Latency | None) -> dict[str, float] | None:
    return None if latency is None else {"p50": latency.p50, "p95": latency.p95, "p99": latency.p99}


def _baseline(baseline: Baseline | None) -> dict[str, Any] | None:
    if baseline is None:
        return None
    shares = smoothed(baseline.counts)
    return {
        "at": baseline.at.isoformat(),
        "since": baseline.since and baseline.since.isoformat(),
        "until": baseline.until and baseline.until.isoformat(),
        "counts": {mode: baseline.counts.get(mode, 0) for mode in MODES},
        "shares": dict(shares),
        "outcomes": _outcomes(baseline.outcomes),
    }
