"""What a tool's call does, by its arguments: reads lines of a file, runs a command, or something else.

Tools are not known by their names, which differ between agents. A call whose only text is a path reads that
file; one with a command runs it, and `cat`, `head`, `nl` and `sed -n` of a file read it, too.

>>> read_use("Read", '{"file_path": "./src/app.py", "offset": 11, "limit": 10}').lines
(11, 20)
>>> read_use("shell", '{"command": ["bash", "-lc", "cd repo && sed -n 1,80p app.py"]}').path
'app.py'
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from posixpath import normpath
from typing import Any

END = 1 << 60
"""The last line of a file, where the call names none."""

_MAX_COMMAND = 2_000  # characters of a command that are looked at
_COMMANDS = ("command", "cmd", "script", "shell_command")
_FIRST = ("offset", "start_line", "line_start", "start", "first_line", "from_line", "StartLine")
_LAST = ("end_line", "line_end", "end", "last_line", "to_line", "EndLine")
_COUNTS = ("limit", "num_lines", "max_lines", "n_lines")
_RANGES = ("view_range", "line_range", "range")
_VIEWS = {"view", "read", "open"}  # values of `command` in tools that also edit

_FOLDER = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*|[A-Z_]+=\S*\s+)*")
_BEHIND = re.compile(r"\s*(?:2>&1|2>\s*/dev/null|\|\s*(?:tail|head|cat)\b[^|&;>]*|\|\|\s*true)\s*$")
_READS = re.compile(
    r"^(?:cat(?:\s+-n)?\s+(?P<cat>[^\s|;&<>$*]+)"
    r"|nl(?:\s+-\w+)*\s+(?P<nl>[^\s|;&<>$*]+)(?:\s*\|\s*sed\s+-n\s+['\"]?(?P<nl1>\d+),(?P<nl2>\d+)p['\"]?)?"
    r"|sed\s+-n\s+['\"]?(?P<sed1>\d+),(?P<sed2>\d+)p['\"]?\s+(?P<sed>[^\s|;&<>$*]+)"
    r"|head\s+-n?\s*(?P<head2>\d+)\s+(?P<head>[^\s|;&<>$*]+))$"
)


@dataclass(frozen=True, slots=True)
class ToolUse:
    """What a call does."""

    key: str  # the same for calls that do the same
    task: str  # the same for runs of one command with other options, and for a tool's calls on one file
    path: str | None = None  # of the file that it reads; None: it reads none
    lines: tuple[int, int] = (1, END)  # the first and the last one that it reads, from 1
    cut: str = ""  # the end of a command that shows a part of what it prints


@lru_cache(maxsize=10_000)
def read_use(name: str, arguments: str) -> ToolUse:
    """Return what a call of that tool does; arguments: as the transcript has them."""
    given = _parse(arguments)
    key = f"{name}({json.dumps(given, sort_keys=True, ensure_ascii=False)})"
    if command := _command(given):
        return _read_command(command)
    paths = [value for field, value in given.items() if _is_path(field, value)]
    if len(paths) != 1:
        return ToolUse(key, key)
    path = normpath(paths[0])
    others = {field: value for field, value in given.items() if value != paths[0] and value is not None}
    views = others.pop("command", "view") in _VIEWS
    lines = _lines(others)
    if not views or lines is None:
        return ToolUse(key, f"{name} {path}")
    return ToolUse(f"{name} {path} {lines}", f"{name} {path}", path, lines)


def _parse(arguments: str) -> Mapping[str, Any]:
    try:
        given = json.loads(arguments) if arguments.lstrip().startswith("{") else {"input": arguments}
    except (ValueError, RecursionError):
        given = {"input": arguments}
    return given if isinstance(given, Mapping) else {"input": arguments}


def _command(given: Mapping[str, Any]) -> str:
    """Return the command line that a call runs; empty where it runs none."""
    value = next((given[field] for field in _COMMANDS if given.get(field)), "")
    if isinstance(value, list) and value and all(isinstance(word, str) for word in value):
        return value[-1] if value[1:2] in (["-c"], ["-lc"]) else " ".join(value)
    is_editor = any(_is_path(field, each) for field, each in given.items())
    return value if isinstance(value, str) and not is_editor else ""


def _read_command(command: str) -> ToolUse:
    line = " ".join(command[:_MAX_COMMAND].split())
    where = match.group() if (match := _FOLDER.match(line)) else ""
    own = line
    while (shorter := _BEHIND.sub("", own)) != own:
        own = shorter
    key = f"$ {own}" if len(command) <= _MAX_COMMAND else f"$ {command}"
    match = _READS.match(line[len(where) :])
    if match is not None:
        found = {name: value for name, value in match.groupdict().items() if value}
        path = next(normpath(found[name]) for name in ("cat", "nl", "sed", "head") if name in found)
        first = next((int(found[name]) for name in ("nl1", "sed1") if name in found), 1)
        last = next((int(found[name]) for name in ("nl2", "sed2", "head2") if name in found), END)
        return ToolUse(f"$ {where}{path} {first} {last}", f"$ {where}{path}", path, (first, last))
    words = [word for word in own.split() if not word.startswith("-")]
    return ToolUse(key, "$ " + " ".join(words), cut=line[len(own) :])


def _is_path(field: str, value: Any) -> bool:
    name = field.lower()
    is_named = "path" in name or "file" in name or name == "uri"
    return is_named and isinstance(value, str) and 0 < len(value) < 500 and "\n" not in value


def _lines(others: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return the lines that are read; None where the call has more than a range."""
    first, last, count = 1, END, None
    for field, value in others.items():
        if isinstance(value, bool):
            continue
        if field in _RANGES and isinstance(value, list) and len(value) == 2 and _are_integers(value):
            first, last = value[0], value[1] if value[1] > 0 else END
        elif not _are_integers([value]):
            return None
        elif field in _FIRST:
            first = max(1, int(value))
        elif field in _LAST:
            last = int(value)
        elif field in _COUNTS:
            count = int(value)
        else:
            return None
    return first, last if count is None else min(last, first + count - 1)


def _are_integers(values: list[Any]) -> bool:
    return all(
        isinstance(value, int) or (isinstance(value, float) and value.is_integer()) for value in values
    )
