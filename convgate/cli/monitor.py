"""`convgate monitor` and `convgate record-outcome`: what the guardrails logged, and how requests ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import typer

from convgate.cli import inputs, options
from convgate.cli.result import Part, Result, Table, fields, with_json
from convgate.core.text import format_age, pluralize

_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@with_json
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
) -> Result:
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
    notes: list[Part] = []
    if set_baseline:
        new = rules.set_baseline(store, settings, begin, now, now)
        notes.append(f"Baseline set from {pluralize(new.requests, 'request')}.")
    elif clear_baseline and (old := GuardStates(store).put_baseline(None)) is not None:
        notes.append(f"Baseline of {pluralize(old.requests, 'request')} removed, set {format_age(old.at)}.")
    elif clear_baseline:
        notes.append("There was no baseline.")
    if not settings.guard.log:
        notes.append("guard.log is off: requests are not logged, and no guardrail works.")
    values = report_json(report(store, settings, begin, now, now))
    return Result(values, notes, _show(values))


def _show(values: dict[str, Any]) -> Iterable[Part]:
    by_mode = {name: values["totals"][name] for name in ("classified", "applied")}
    totals = {name: value for name, value in values["totals"].items() if name not in by_mode}
    names = ("divergence", "low_share", "overall_rate", "tokens_saved", "lost")
    yield fields(totals | {name: values[name] for name in names})
    yield Table(
        [
            {
                "mode": mode["mode"],
                **{name: counts[mode["mode"]] for name, counts in by_mode.items()},
                "outcomes": mode["period"]["count"],
                "failed": mode["period"]["failures"],
                "alert from": mode["alert_from"],
                "held": mode["is_held"],
            }
            for mode in values["errors"]
        ]
    )
    yield Table(values["alerts"], names=("raised", "cleared", "message", "because"))


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


@with_json
def record_outcome(
    request_id: Annotated[str, typer.Argument(help="The `request_id` of a selection.", metavar="ID")],
    ok: Annotated[bool, typer.Option("--ok/--failed", help="Whether the answer was useful.")],
    error: Annotated[bool, typer.Option("--error", help="There was no answer; with --failed.")] = False,
    seconds: Annotated[float | None, typer.Option(help="Seconds until the answer.", min=0)] = None,
) -> Result:
    """Record how a request ended; it replaces an earlier outcome of the request.

    A mode whose requests fail much more often than others is replaced by GENERAL for an hour.
    """
    from convgate.guardrails.outcomes import record_outcome as record

    record(request_id, ok=ok, error=error, seconds=seconds, place=inputs.open_library())
    text = f"Recorded: request {request_id} {'succeeded' if ok else 'failed'}."
    values = {"recorded": [{"request_id": request_id, "ok": ok}]}
    return Result(values, text)
