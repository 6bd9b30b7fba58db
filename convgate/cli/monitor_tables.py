"""A report of the guardrails for the eyes of a person at a terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from convgate.context.guardrails.drift import smoothed
from convgate.context.guardrails.limits import DRIFT_RECOVERY, Limits
from convgate.context.guardrails.report_records import Report
from convgate.context.mode import MODES
from convgate.store.requests import Outcomes
from convgate.transcripts.characters import printable
from convgate.ui.wording import counted

_NOTHING = "–"


def show(report: Report, limits: Limits, *, log: bool) -> None:
    """The figures of a period, and how things stand now."""
    console = Console()
    if not log:
        console.print("guard_log is off: requests are not logged, and nothing guards.", highlight=False)
    if not report.totals.requests:
        console.print(
            f"No request is logged since {report.since.astimezone():%Y-%m-%d %H:%M}. Contexts that an agent"
            " builds are logged here: convgate.load_context().",
            highlight=False, markup=False,
        )  # fmt: skip
    else:
        console.print(_modes(report))
        for name, told in _lines(report):
            console.print(Text.assemble((f"{name:<16}", "bold"), told), highlight=False)
        console.print()
    for name, told in _states(report, limits):
        console.print(Text.assemble((f"{name:<16}", "bold"), told), highlight=False)
    for alert in report.alerts:
        console.print(
            Text.assemble(
                (f"{alert.raised.astimezone():%Y-%m-%d %H:%M}  ", "dim"),
                ("alert  " if alert.open else "over   ", "bold red" if alert.open else "green"),
                printable(alert.message),
                f" {printable(alert.because)}" if alert.because else "",
            ),
            highlight=False,
        )


def _modes(report: Report) -> Table:
    totals, baseline = report.totals, report.seen.baseline
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("mode")
    for name in ("found", "share", "baseline", "applied", "outcomes", "failed", "limit"):
        table.add_column(name, justify="right")
    usual = smoothed(baseline.counts) if baseline is not None else {}
    for mode, errors in zip(MODES, report.errors, strict=True):
        found = totals.classified[mode]
        state = " (held)" if errors.held else " (on probation)" if errors.probation else ""
        table.add_row(
            mode + state,
            f"{found:,}",
            f"{found / totals.requests:.1%}",
            f"{usual[mode]:.1%}" if usual else _NOTHING,
            f"{totals.applied[mode]:,}",
            f"{errors.period.count:,}",
            _rate(errors.period),
            f"{errors.limit:.1%}" if errors.limit is not None else _NOTHING,
        )
    return table


def _lines(report: Report) -> list[tuple[str, str]]:
    totals = report.totals
    causes = [f"{count:,} by {cause}" for cause, count in totals.by_cause.items() if count]
    saved = f" ({totals.tokens_saved / totals.tokens_total:.0%})" if totals.tokens_total else ""
    lines = [
        ("requests", f"{totals.requests:,} since {report.since.astimezone():%Y-%m-%d %H:%M}"),
        ("fallbacks", ", ".join([f"{totals.fallbacks:,}", *causes])),
        ("breaches", f"{totals.breaches:,}"),
        ("over budget", counted(totals.over_budget, "request")),
        (
            "tokens",
            f"{totals.tokens:,} sent of {totals.tokens_total:,}; {totals.tokens_saved:,} saved{saved}",
        ),
    ]
    if totals.latency is not None:
        parts = (("p50", totals.latency.p50), ("p95", totals.latency.p95), ("p99", totals.latency.p99))
        lines.append(("time to build", " · ".join(f"{name} {1000 * value:.1f} ms" for name, value in parts)))
    if report.lost:
        lines.append(("lost", f"{counted(report.lost, 'request')} could not be logged"))
    return lines


def _states(report: Report, limits: Limits) -> list[tuple[str, str]]:
    seen = report.seen
    held = {alert.kind for alert in report.open_alerts}
    if report.divergence is None:
        drift = "not told: there is no baseline (convgate monitor --since 7d --set-baseline)"
    elif "drift" in held:
        raised_at = next(one.figures["limit"] for one in report.open_alerts if one.kind == "drift")
        drift = (
            f"{report.divergence:.3f} nats; everything is answered as GENERAL until it is below"
            f" {DRIFT_RECOVERY * raised_at:g}"
        )
    elif report.requests_missing:
        drift = f"not told: the last hour has {seen.requests:,} of {limits.drift_least:,} requests"
    else:
        drift = f"none: {report.divergence:.3f} nats, limit {limits.drift:g}"
    share = _NOTHING if seen.low_share is None else f"{seen.low_share:.0%}"
    unsure = (
        f"{share} of {counted(seen.judged, 'request')} of the last {limits.low_seconds / 60:g} minutes, limit"
        f" {limits.low_share:.0%}"
    )
    overall = seen.overall_rate
    errors = f"{overall:.1%} overall" if overall is not None else "not told: too few outcomes are known"
    return [("drift", drift), ("unsure", unsure), ("errors", errors)]


def _rate(outcomes: Outcomes) -> str:
    return _NOTHING if outcomes.rate is None else f"{outcomes.rate:.1%}"
