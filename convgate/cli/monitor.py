"""`convgate monitor` and `convgate record-outcome`: what the guardrails logged, and how requests ended."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.core.text import format_age, pluralize

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


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
    settings_file: options.SettingsFileOption = None,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Show how requests were answered: modes, drift, confidence, fallbacks, tokens, times, errors, alerts."""
    if set_baseline and clear_baseline:
        raise typer.BadParameter("--set-baseline or --clear-baseline, not both")
    from convgate.context.guardrails import rules
    from convgate.context.guardrails.report import report, report_json
    from convgate.core.settings import load_settings
    from convgate.store import Store
    from convgate.store.guard_states import GuardStates

    now = datetime.now(UTC)
    begin = beginning(since, now)
    settings = load_settings(settings_file)
    store = Store(settings.database)
    change = ""
    if set_baseline:
        new = rules.set_baseline(store, settings, begin, now, now)
        change = f"Baseline set from {pluralize(new.requests, 'request')}."
    elif clear_baseline:
        old = GuardStates(store).put_baseline(None)
        change = "There was no baseline."
        if old is not None:
            change = f"Baseline of {pluralize(old.requests, 'request')} removed, set {format_age(old.at)}."
    found = report(store, settings, begin, now, now)
    values = report_json(found)

    def show() -> None:
        if change:
            output.print_lines(change)
        if not settings.guard_log:
            output.print_lines("guard_log is off: requests are not logged, and no guardrail works.")
        totals = {
            key: value for key, value in values["totals"].items() if key not in ("classified", "applied")
        }
        figures = {
            key: values[key] for key in ("divergence", "low_share", "overall_rate", "tokens_saved", "lost")
        }
        output.print_fields(totals | figures)
        output.print_rows(
            [
                {
                    "mode": errors.mode,
                    "found": found.totals.classified[errors.mode],
                    "applied": found.totals.applied[errors.mode],
                    "outcomes": errors.period.count,
                    "failed": errors.period.failures,
                    "limit": errors.limit,
                    "held": errors.is_held,
                }
                for errors in found.errors
            ]
        )
        for alert in found.alerts:
            state = "open" if alert.open else "cleared"
            when = f"{alert.raised.astimezone():%Y-%m-%d %H:%M}"
            output.print_lines(f"alert, {when}, {state}: {alert.message} {alert.because}".rstrip())

    output.write_result(values, show, json_output, out)


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
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Record how a request ended; it replaces an earlier outcome of the request.

    A mode whose requests fail much more often than others is replaced by GENERAL for a while. All lines of a
    file are recorded, or none when one is bad.
    """
    from convgate.context.guardrails.outcomes import record_outcome as record
    from convgate.context.guardrails.outcomes import record_outcome_lines

    if (request_id is None) == (file is None):
        raise typer.BadParameter("the ID of a request or --file, one of the two")
    if (file is None) == (ok is None):
        raise typer.BadParameter(
            "an ID needs --ok or --failed; a file has its own", param_hint="--ok/--failed"
        )
    store = inputs.open_library()
    if file is not None:
        recorded, problems = record_outcome_lines(store, inputs.open_source(file), skip_bad=skip_bad)
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
