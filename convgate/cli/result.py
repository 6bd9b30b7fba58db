"""What commands give back, as JSON with `--json` and `--out`, else as lines and tables."""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, ParamSpec, TypeAlias

import typer

from convgate.core.errors import ConvgateError
from convgate.core.files import write_whole
from convgate.core.text import to_line

if TYPE_CHECKING:
    from rich.table import Table as RichTable

P = ParamSpec("P")
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON alone on standard output.")]
Cells = Literal["number", "word", "line", "prose"]
_COLUMNS: Mapping[Cells, dict[str, Any]] = {
    "number": {"justify": "right"},
    "word": {"max_width": 20, "overflow": "ellipsis", "no_wrap": True},
    "line": {"overflow": "ellipsis", "no_wrap": True, "ratio": 2},  # cut at the edge
    "prose": {"ratio": 3},  # wrapped
}


@dataclass(frozen=True)
class Table:
    """Rows with the same names, which head the columns; without rows, the line `empty` instead."""

    rows: Sequence[Mapping[str, Any]]
    columns: Mapping[str, Cells] = field(default_factory=dict)  # where not prose for text, else number
    styles: Sequence[str] = ()  # of each row; none: plain
    empty: str = ""
    names: Sequence[str] = ()  # of the columns, in order; none: those of the first row


Part: TypeAlias = "str | Table | RichTable | Iterable[Part]"
"""A line, a table, or several of them in order; an iterator is not read when JSON is asked for."""


class Result:
    """The JSON of a command, and what a person reads instead: parts, or one text, which --out can save."""

    def __init__(self, values: Any, *parts: Part, text: str | None = None) -> None:
        self.values = values
        self.parts = parts
        self.text = text


def with_json(command: Callable[P, Result | None]) -> Callable[P, None]:
    """Give a command --json and --out, and emit the result that it returns."""

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        is_json, out = bool(kwargs.pop("json_output")), kwargs.pop("out")
        assert out is None or isinstance(out, Path)
        check_folder(out, "--out")
        if (result := command(*args, **kwargs)) is not None:
            emit(result, is_json=is_json, out=out)

    signature = inspect.signature(command, eval_str=True)
    parameters = [
        *signature.parameters.values(),
        *inspect.signature(_options, eval_str=True).parameters.values(),
    ]
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


def _options(
    *,
    json_output: JsonOption = False,
    out: Annotated[Path | None, typer.Option(help="Write to this file instead.", dir_okay=False)] = None,
) -> None: ...


def emit(result: Result, *, is_json: bool, out: Path | None = None) -> None:
    """Write the JSON, or the text, to the file or standard output; show the parts where neither is due."""
    if is_json or (out is not None and result.text is None):
        text = json.dumps(result.values, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
        write_text(text, out)
    elif result.text is not None:
        write_text(result.text, out)
    else:
        show(*result.parts)


def show(*parts: Part) -> None:
    """Print lines and tables on standard output, without the control characters of what they quote."""
    from rich.console import Console
    from rich.table import Table as RichTable

    from convgate.core.text import printable

    for part in parts:
        if isinstance(part, str):
            typer.echo(printable(part))
        elif isinstance(part, RichTable):
            Console().print(part)
        elif not isinstance(part, Table):
            show(*part)
        elif part.rows:
            Console().print(_draw(part))
        elif part.empty:
            typer.echo(part.empty)


def _draw(table: Table) -> RichTable:
    """Return a table as wide as the terminal; a cell is one line of text that cannot steer it."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    from convgate.core.text import printable

    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    names = table.names or list(table.rows[0])
    for name in names:
        cells = table.columns.get(name) or ("prose" if isinstance(table.rows[0][name], str) else "number")
        title = name.replace("_", " ")
        drawn.add_column(Text(printable(title)), min_width=min(max(len(name), 4), 12), **_COLUMNS[cells])
    for row, style in zip(table.rows, table.styles or [""] * len(table.rows), strict=True):
        drawn.add_row(*(Text(printable(to_line(_format(row[name])))) for name in names), style=style)
    return drawn


def fields(values: Mapping[str, Any], name: str = "total") -> Iterable[str]:
    """Yield the lines of a JSON object, one for it and one for each object in it; lists are left out."""
    is_nested = {key: isinstance(value, Mapping) for key, value in values.items()}
    scalars = [
        f"{key.replace('_', ' ')} {_format(value)}"
        for key, value in values.items()
        if not is_nested[key] and not isinstance(value, list)
    ]
    if scalars:
        yield f"{name}: {', '.join(scalars)}"
    for key, value in values.items():
        if is_nested[key]:
            yield from fields(value, key.replace("_", " ") if name == "total" else f"{name}, {key}")


def _format(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(_format, value))
    if isinstance(value, Mapping):
        return _format(value.get("value"))
    return f"{value:,}" if isinstance(value, int) else str(value)


def pick(record: object, *names: str) -> dict[str, Any]:
    """Return the named attributes of a record for JSON, times in ISO 8601."""
    values = {name: getattr(record, name) for name in names}
    return {
        name: value.isoformat() if isinstance(value, datetime) else value for name, value in values.items()
    }


def check_folder(path: Path | None, option: str) -> None:
    """Raise BadParameter, before an hour of work and not after it, when a file cannot be written there."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"the folder of {path} does not exist", param_hint=option)


def write_text(text: str, out: Path | None) -> None:
    """Write text to the file, whole or not at all, or to standard output."""
    if out is None:
        sys.stdout.write(text)
    else:
        write_export(text.encode(), out, force=True)


def write_export(content: bytes, out: Path, *, force: bool) -> None:
    """Write a file whole or not at all; ConvgateError when it exists already, unless `force`."""
    if out.is_file() and not force:
        raise ConvgateError(f"{out} exists already; choose another --out, or overwrite it with --force")
    try:
        write_whole(out, content)
    except OSError as error:
        raise ConvgateError(f"{out} cannot be written: {error}") from error
