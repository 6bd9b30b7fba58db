"""The command line, run in the tests' process, and programs in a fresh one."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable

import pytest

Run = Callable[..., tuple[int, str, str]]
"""Runs `convgate WORDS…`, with `stdin` as its input: exit code, standard output, standard error."""


def runner(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    from convgate.cli.main import main

    def call(*words: object, stdin: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["convgate", *map(str, words)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return call


def run_python(code: str, *words: str, **environment: str) -> str:
    """What a fresh interpreter prints; a failure shows its standard error."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code, *words],  # -P: not from the folder the tests run in
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
