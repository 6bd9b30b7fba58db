"""`convgate monitor` and `convgate record-outcome`: what the guardrails logged, and how requests ended."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
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
    from convgate.core.settings import load_settings
    from convgate.guardrails import rules
    from convgate.guardrails.report import report, report_json
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
    values = report_json(report(store, settings, begin, now, now))
    totals, errors = values["totals"], values["errors"]

    def show() -> None:
        if change:
            output.print_lines(change)
        if not settings.guard_log:
            output.print_lines("guard_log is off: requests are not logged, and no guardrail works.")
        by_mode = {name: totals.pop(name) for name in ("classified", "applied")}
        figures = ("divergence", "low_share", "overall_rate", "tokens_saved", "lost")
        output.print_fields(totals | {name: values[name] for name in figures})
        output.print_rows(
            [
                {
                    "mode": mode["mode"],
                    **{name: counts[mode["mode"]] for name, counts in by_mode.items()},
                    "outcomes": mode["period"]["count"],
                    "failed": mode["period"]["failures"],
                    "limit": mode["limit"],
                    "held": mode["is_held"],
                }
                for mode in errors
            ]
        )
        columns = ("raised", "cleared", "message", "because")
        output.print_rows([{name: alert[name] for name in columns} for alert in values["alerts"]])

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
    request_id: Annotated[str, typer.Argument(help="The `request_id` of a selection.", metavar="ID")],
    ok: Annotated[bool, typer.Option("--ok/--failed", help="Whether the answer was useful.")],
    error: Annotated[bool, typer.Option("--error", help="There was no answer; with --failed.")] = False,
    seconds: Annotated[float | None, typer.Option(help="Seconds until the answer.", min=0)] = None,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Record how a request ended; it replaces an earlier outcome of the request.

    A mode whose requests fail much more often than others is replaced by GENERAL for an hour.
    """
    from convgate.guardrails.outcomes import record_outcome as record

    record(request_id, ok=ok, error=error, seconds=seconds, place=inputs.open_library())
    text = f"Recorded: request {request_id} {'succeeded' if ok else 'failed'}."
    values = {"recorded": [{"request_id": request_id, "ok": ok}]}
    output.write_result(values, lambda: output.print_lines(text), json_output, out)
