"""The tools of a scripted agent, on a folder: list, search, read, edit and run commands, for real."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

MAX_LINES = 600
"""Of a result; what is beyond is cut with a note, as agents' tools do."""

SECONDS = re.compile(r"\bin \d+\.\d+s\b")


class Workspace:
    """A folder, and the tools by their names.

    root: the folder. shown: what results call it, so that they are the same wherever it is.
    numbers_lines: whether files are shown with line numbers, and edits as a numbered snippet, not as a diff.
    """

    def __init__(self, root: Path, shown: str, *, numbers_lines: bool) -> None:
        self._root = root.resolve()
        self._shown = shown
        self._numbers_lines = numbers_lines

    def write(self, files: Mapping[str, str]) -> None:
        """Write files by their relative paths."""
        for path, text in files.items():
            file = self._root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Return the result of a tool; its name is one of either family's."""
        tools: dict[str, Callable[..., str]] = {
            "Glob": self._list,
            "list_directory": self._list,
            "Grep": self._search,
            "search_files": self._search,
            "Read": self._read,
            "read_file": lambda path, start_line=1, end_line=MAX_LINES: self._read(
                path, start_line, end_line - start_line + 1
            ),
            "Edit": self._edit,
            "edit_file": lambda path, old_text, new_text: self._edit(path, old_text, new_text),
            "Bash": self._run,
            "run_command": self._run,
        }
        text = tools[name](**arguments)
        lines = text.splitlines()
        if len(lines) > MAX_LINES:
            text = "\n".join([*lines[:MAX_LINES], f"... ({len(lines) - MAX_LINES} more lines)"])
        return text

    def _path(self, shown: str) -> Path:
        return (
            self._root / os.path.relpath(shown, self._shown) if shown.startswith("/") else self._root / shown
        )

    def _list(self, pattern: str) -> str:
        files = sorted(file for file in self._root.glob(pattern) if file.is_file())
        if self._numbers_lines:
            return "\n".join(f"{self._shown}/{file.relative_to(self._root)}" for file in files)
        return "\n".join(f"{file.stat().st_size:>9}  {file.relative_to(self._root)}" for file in files)

    def _search(self, pattern: str, path: str = ".") -> str:
        """The lines that match; as `grep -rn`."""
        start = self._path(path)
        files = [start] if start.is_file() else sorted(file for file in start.rglob("*") if file.is_file())
        matches = [
            f"{file.relative_to(self._root)}:{number}:{line}"
            for file in files
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
            if re.search(pattern, line)
        ]
        return "\n".join(matches) or "No matches found"

    def _read(self, file_path: str, offset: int = 1, limit: int = MAX_LINES) -> str:
        lines = self._path(file_path).read_text(encoding="utf-8").splitlines()
        return self._show(lines, offset, offset + limit)

    def _show(self, lines: list[str], start: int, stop: int) -> str:
        start = max(1, start)
        chosen = enumerate(lines[start - 1 : stop - 1], start)
        return "\n".join(f"{number:>6}\t{line}" if self._numbers_lines else line for number, line in chosen)

    def _edit(self, file_path: str, old_string: str, new_string: str) -> str:
        file = self._path(file_path)
        before = file.read_text(encoding="utf-8")
        if before.count(old_string) != 1:
            return (
                f"Error: old_string occurs {before.count(old_string)} times in {file_path}; nothing changed."
            )
        after = before.replace(old_string, new_string)
        file.write_text(after, encoding="utf-8")
        if self._numbers_lines:
            line = before[: before.index(old_string)].count("\n") + 1
            stop = line + new_string.count("\n") + 11
            snippet = self._show(after.splitlines(), line - 10, stop)
            return f"The file {file_path} has been updated. A snippet of the result (`cat -n`):\n{snippet}"
        diff = difflib.unified_diff(
            before.splitlines(), after.splitlines(), file_path, file_path, n=8, lineterm=""
        )
        return "\n".join(diff)

    def _run(self, command: str) -> str:
        """Standard output and error of a shell command, without the time that it took."""
        path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/bin", "/bin"])
        done = subprocess.run(
            command,
            shell=True,
            cwd=self._root,
            env={"PATH": path, "LC_ALL": "C", "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        text = done.stdout.replace(str(self._root), self._shown).replace(sys.base_prefix, "/usr")
        text = SECONDS.sub("in 0.01s", text).rstrip()
        return text if done.returncode == 0 else f"Exit code {done.returncode}\n{text}"
