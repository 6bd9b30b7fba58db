"""`convgate monitor`: what the guardrails saw, the baseline, and whether all is well."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli.output import JsonOption, OutOption, SettingsFileOption, write_json
from convgate.ui.wording import ago, counted

if TYPE_CHECKING:
    from convgate.store.guard_states import Baseline

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def monitor(
    since: Annotated[
        str,
        typer.Option(help="How far back: 90m, 24h, 7d, 4w, or a time such as 2026-03-05.", metavar="TIME"),
    ] = "24h",
    set_baseline: Annotated[
        bool, typer.Option("--set-baseline", help="Take the requests since then for the baseline.")
    ] = False,
    clear_baseline: Annotated[
        bool, typer.Option("--clear-baseline", help="Have no baseline, and so no drift.")
    ] = False,
    settings_file: SettingsFileOption = None,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Tell how requests were answered: modes, drift, confidence, fallbacks, tokens, times, errors, alerts."""
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
    store = Store(settings.database)
    quiet = json_output or out is not None
    if set_baseline:
        told = baseline.set_baseline(store, settings, since=begin, until=now, now=now)
        if not quiet:
            typer.echo(f"The baseline is that of {counted(told.requests, 'request')} now.")
    elif clear_baseline:
        before = baseline.clear_baseline(store)
        if not quiet:
            typer.echo(_cleared(before))
    found = report(store, settings, begin, now=now)
    if quiet:
        write_json(report_json(found, Limits.of(settings)), out)
    else:
        from convgate.cli.monitor_tables import show

        show(found, Limits.of(settings), log=settings.guard_log)


def beginning(text: str, now: datetime) -> datetime:
    """The time that is meant; one without a zone is this machine's.

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


def _cleared(before: Baseline | None) -> str:
    if before is None:
        return "There was no baseline."
    return f"The baseline of {counted(before.requests, 'request')}, set {ago(before.at)}, is gone."
