"""`convgate import`: transcripts into the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from convgate.cli.output import (
    FormatOption,
    JsonOption,
    OutOption,
    RedactOption,
    SkipBadOption,
    open_library,
    open_source,
    tell,
    tell_problems,
    write_json,
)

FilesArgument = Annotated[
    list[Path],
    typer.Argument(help="Transcripts; - reads standard input.", metavar="FILE", allow_dash=True),
]


def import_(
    files: FilesArgument,
    format: FormatOption = None,
    skip_bad: SkipBadOption = False,
    redact: RedactOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Add the conversations of files to the library: all of them, or none when a file cannot be read.

    What the library has already is left as it is.
    """
    from convgate.messages.tokens import turn_tokens
    from convgate.redaction import Redactor
    from convgate.store import Conversations, NewConversation
    from convgate.transcripts.characters import printable
    from convgate.transcripts.reading import read_source

    redactor = Redactor()
    found: list[NewConversation] = []
    for file in files:
        source = open_source(file)
        transcript = read_source(source, format, skip_bad=skip_bad)
        tell_problems(transcript.problems)
        origin = source.report.file
        talks = map(redactor.redact, transcript) if redact else transcript
        found += [NewConversation(talk, origin, int(turn_tokens(talk.turns).sum())) for talk in talks]
    if redact:
        tell(redactor.summary)
    additions = Conversations(open_library(check=True)).add(found)
    if json_output or out:
        rows = [
            {"key": one.key, "title": one.title, "new": one.new, "origin": item.origin}
            for one, item in zip(additions, found, strict=True)
        ]
        write_json({"conversations": rows}, out)
        return
    for one in additions:
        more = " (and more of it)" if one.grown else ""
        typer.echo(f"{one.key}  {'added ' if one.new else 'was in'}  {printable(one.title)}{more}")
    new = sum(one.new for one in additions)
    typer.echo(f"{new:,} added, {len(additions) - new:,} in the library already.")
