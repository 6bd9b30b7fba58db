"""`convgate record-outcome`: how requests ended, one at a time or from a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convgate.cli.output import (
    JsonOption,
    OutOption,
    SkipBadOption,
    open_library,
    open_source,
    tell_problems,
    write_json,
)
from convgate.ui.wording import counted


def record_outcome(
    request_id: Annotated[
        str | None,
        typer.Argument(help="The `request_id` of a context that was built.", metavar="ID"),
    ] = None,
    ok: Annotated[bool | None, typer.Option("--ok/--failed", help="Whether the answer was of use.")] = None,
    file: Annotated[
        Path | None,
        typer.Option(
            help='Or many: lines {"request_id": ID, "ok": true}; - reads standard input.',
            metavar="FILE.jsonl",
            allow_dash=True,
        ),
    ] = None,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Tell how a request ended; what was told of it before no longer counts.

    A mode whose requests fail much more often than others gives way to GENERAL for a while. Of a file, all
    lines are recorded, or none when one is bad.
    """
    if (request_id is None) == (file is None):
        raise typer.BadParameter("the ID of a request or --file, one of the two")
    if file is None and ok is None:
        raise typer.BadParameter("say --ok or --failed")
    if file is not None and ok is not None:
        raise typer.BadParameter("a file says itself how each request ended", param_hint="--ok/--failed")
    from convgate.context.guardrails.outcomes import record_outcome as record

    store = open_library()
    if request_id is not None and ok is not None:
        record(request_id, ok=ok, place=store)
        recorded = [(request_id, ok)]
    else:
        from convgate.context.guardrails.outcomes import record_outcome_lines

        assert file is not None
        recorded, problems = record_outcome_lines(store, open_source(file), skip_bad=skip_bad)
        tell_problems(problems)
    if json_output or out:
        write_json({"recorded": [{"request_id": id, "ok": good} for id, good in recorded]}, out)
        return
    failed = sum(not good for _, good in recorded)
    typer.echo(f"{counted(len(recorded), 'outcome')} recorded, {failed:,} of them failed.")
