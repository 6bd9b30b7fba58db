"""`convgate monitor` and `convgate record-outcome`: what the guardrails logged, and how requests ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import output
from convgate.text import format_age, pluralize

if TYPE_CHECKING:
    from convgate.context.guardrails.limits import Limits
    from convgate.context.guardrails.report_records import Report

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_NONE = "–"


def monitor(
    since: Annotated[
        str,
        typer.Option(help="How far back: 90m, 24h, 7d, 4w, or a time such as 2026-03-05.", metavar="TIME"),
    ] = "24h",
    set_baseline: Annotated[
        bool, typer.Option("--set-baseline", help="Use the requests since then as the baseline.")
    ] = False,
    clear_baseline: Annotated[
        bool, typer.Option("--clear-baseline", help="Remove the baseline; drift is not measured without one.")
    ] = False,
    settings_file: output.SettingsFileOption = None,
    json_output: output.JsonOption = False,
    out: output.OutOption = None,
) -> None:
    """Show how requests were answered: modes, drift, confidence, fallbacks, tokens, times, errors, alerts."""
    if set_baseline and clear_baseline:
        raise typer.BadParameter("--set-baseline or --clear-baseline, not both")
    from convgate.context.guardrails import baseline
    from convgate.context.guardrails.limits import Limits
    from convgate.context.guardrails.report import report
    from convgate.context.guardrails.report_json import report_json
    from convgate.settings import load_settings
    from convgate.store import Store

    now = datetime.now(UTC)
    begin = beginning(since, now)
    settings = load_settings(settings_file)
    limits = Limits.of(settings)
    store = Store(settings.database)
    change = ""
    if set_baseline:
        new = baseline.set_baseline(store, settings, since=begin, until=now, now=now)
        change = f"Baseline set from {pluralize(new.requests, 'request')}."
    elif clear_baseline:
        old = baseline.clear_baseline(store)
        change = "There was no baseline."
        if old is not None:
            change = f"Baseline of {pluralize(old.requests, 'request')} removed, set {format_age(old.at)}."
    found = report(store, settings, begin, now=now)

    def show() -> None:
        if change:
            output.print_lines(change)
        if not settings.guard_log:
            output.print_lines("guard_log is off: requests are not logged, and no guardrail works.")
        _show(found, limits)

    output.write_result(report_json(found, limits), show, json_output, out)


def beginning(text: str, now: datetime) -> datetime:
    """Return the time of `--since`; one without a zone is local.

    >>> beginning("24h", datetime(2026, 3, 5, 9, tzinfo=UTC)).isoformat()
    '2026-03-04T09:00:00+00:00'
    """
    try:
        if length := re.fullmatch(r"(\d+(?:\.\d+)?)\s*([mhdw])", text.strip().lower()):
            return now - timedelta(**{_UNITS[length[2]]: float(length[1])})
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(
            f"{text!r} is neither a length of time (90m, 24h, 7d, 4w) nor a time (2026-03-05T09:00)",
            param_hint="--since",
        ) from error


def record_outcome(
    request_id: Annotated[
        str | None, typer.Argument(help="The `request_id` of a context.", metavar="ID")
    ] = None,
    ok: Annotated[bool | None, typer.Option("--ok/--failed", help="Whether the answer was useful.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help='Or many: lines {"request_id": ID, "ok": true}; - reads standard input.',
            metavar="FILE.jsonl",
            allow_dash=True,
        ),
    ] = None,
    skip_bad: output.SkipBadOption = False,
    json_output: output.JsonOption = False,
    out: output.OutOption = None,
) -> None:
    """Record how a request ended; it replaces an earlier outcome of the request.

    A mode whose requests fail much more often than others is replaced by GENERAL for a while. All lines of a
    file are recorded, or none when one is bad.
    """
    from convgate.context.guardrails.outcome import record_outcome as record
    from convgate.context.guardrails.outcome_file import record_outcome_lines

    if (request_id is None) == (file is None):
        raise typer.BadParameter("the ID of a request or --file, one of the two")
    if (file is None) == (ok is None):
        raise typer.BadParameter(
            "an ID needs --ok or --failed; a file has its own", param_hint="--ok/--failed"
        )
    store = output.open_library()
    if file is not None:
        recorded, problems = record_outcome_lines(store, output.open_source(file), skip_bad=skip_bad)
        output.tell_problems(problems)
    else:
        recorded = [(str(request_id), bool(ok))]
        record(str(request_id), ok=bool(ok), place=store)
    failed = sum(not was_ok for _, was_ok in recorded)
    output.write_result(
        {"recorded": [{"request_id": id, "ok": was_ok} for id, was_ok in recorded]},
        lambda: output.print_lines(
            f"{pluralize(len(recorded), 'outcome')} recorded, {failed:,} of them failed."
        ),
        json_output,
        out,
    )


def _show(report: Report, limits: Limits) -> None:
    if report.totals.requests:
        _show_modes(report)
    else:
        output.print_lines(
            f"No request is logged since {report.since.astimezone():%Y-%m-%d %H:%M}. Contexts that an agent"
            " builds with convgate.load_context() are logged here."
        )
    lines = [*(_totals(report) if report.totals.requests else ()), *_states(report, limits)]
    output.print_lines(*(f"{name:<16}{text}" for name, text in lines))
    for alert in report.alerts:
        state = "alert" if alert.open else "over"
        because = f" {alert.because}" if alert.because else ""
        output.print_lines(f"{alert.raised.astimezone():%Y-%m-%d %H:%M}  {state:<7}{alert.message}{because}")


def _show_modes(report: Report) -> None:
    from convgate.context.guardrails.drift import smoothed
    from convgate.context.mode import MODES

    totals, baseline = report.totals, report.seen.baseline
    usual = smoothed(baseline.counts) if baseline is not None else None
    rows = []
    for mode, errors in zip(MODES, report.errors, strict=True):
        requests = totals.classified[mode]
        state = " (held)" if errors.held else " (on probation)" if errors.probation else ""
        cells = (
            mode + state,
            f"{requests:,}",
            f"{requests / totals.requests:.1%}",
            _NONE if usual is None else f"{usual[mode]:.1%}",
            f"{totals.applied[mode]:,}",
            f"{errors.period.count:,}",
            _NONE if errors.period.rate is None else f"{errors.period.rate:.1%}",
            _NONE if errors.limit is None else f"{errors.limit:.1%}",
        )
        rows.append((cells, ""))
    names = ("found", "share", "baseline", "applied", "outcomes", "failed", "limit")
    output.print_table({"mode": "prose", **dict.fromkeys(names, "number")}, rows)


def _totals(report: Report) -> Iterator[tuple[str, str]]:
    """Yield names and values of the period's totals."""
    totals = report.totals
    causes = [f"{count:,} by {cause}" for cause, count in totals.by_cause.items() if count]
    saved = f" ({totals.tokens_saved / totals.tokens_total:.0%})" if totals.tokens_total else ""
    yield "requests", f"{totals.requests:,} since {report.since.astimezone():%Y-%m-%d %H:%M}"
    yield "fallbacks", ", ".join([f"{totals.fallbacks:,}", *causes])
    yield "breaches", f"{totals.breaches:,}"
    yield "over budget", pluralize(totals.over_budget, "request")
    sent = f"{totals.tokens:,} sent of {totals.tokens_total:,}"
    yield "tokens", f"{sent}; {totals.tokens_saved:,} saved{saved}"
    if latency := totals.latency:
        times = {"p50": latency.p50, "p95": latency.p95, "p99": latency.p99}
        yield "time to build", " · ".join(f"{name} {1000 * value:.1f} ms" for name, value in times.items())
    if report.lost:
        yield "lost", f"{pluralize(report.lost, 'request')} could not be logged"


def _states(report: Report, limits: Limits) -> Iterator[tuple[str, str]]:
    """Yield names and states of the three guardrails."""
    from convgate.context.guardrails.limits import DRIFT_RECOVERY

    seen = report.seen
    alert = next((alert for alert in report.open_alerts if alert.kind == "drift"), None)
    if report.divergence is None:
        drift = "not measured: there is no baseline (convgate monitor --since 7d --set-baseline)"
    elif alert is not None:
        recovery = DRIFT_RECOVERY * alert.figures["limit"]
        drift = f"{report.divergence:.3f} nats; every request is GENERAL until it is below {recovery:g}"
    elif report.requests_missing:
        drift = f"not enough data: {seen.requests:,} of {limits.drift_least:,} requests in the last hour"
    else:
        drift = f"none: {report.divergence:.3f} nats, limit {limits.drift:g}"
    yield "drift", drift
    share = _NONE if seen.low_share is None else f"{seen.low_share:.0%}"
    minutes = f"{limits.low_seconds / 60:g} minutes, limit {limits.low_share:.0%}"
    yield "low confidence", f"{share} of {pluralize(seen.judged, 'request')} in the last {minutes}"
    rate = seen.overall_rate
    yield "errors", "not enough outcomes" if rate is None else f"{rate:.1%} overall"
