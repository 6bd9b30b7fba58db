"""Forked processes with everything imported that the test has, and threads that start together.

What a signal does to a forked process is what it does to any other, and importing torch anew takes seconds.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import pytest

T = TypeVar("T")

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system forks no processes")


class ForkedProcess:
    """A process, as `subprocess.Popen` shows it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None  # negative: the signal that ended it
        self._waiting = threading.Lock()

    def wait(self) -> int:
        """Return its exit code when it has ended."""
        with self._waiting:
            if self.returncode is None:
                self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def kill(self) -> None:
        """End it, unless it is over."""
        with suppress(ProcessLookupError):  # who waits for it knows that it is over, and has not said so yet
            if self.returncode is None:
                os.kill(self.pid, signal.SIGKILL)


def run_threads(count: int, target: Callable[[int], T]) -> list[T]:
    """Return what the target gives for 0, 1, … in threads that start together."""
    barrier = threading.Barrier(count)

    def run(number: int) -> T:
        barrier.wait()
        return target(number)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def fork(
    does: Callable[[], object],
    *,
    output: int | Path = 2,
    errors: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> ForkedProcess:
    """Return a process, in a session of its own, that only calls `does`.

    output: where what it prints goes, and what it says on standard error unless `errors` takes that.
    """
    pid = os.fork()
    if pid:
        return ForkedProcess(pid)
    code = 1
    try:
        os.setsid()
        _redirect(output, 1)
        _redirect(output if errors is None else errors, 2)
        if environment is not None:
            os.environ.clear()
            os.environ.update(environment)
        does()
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:  # noqa: BLE001 whatever it is, the test's own process must not go on in this one
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _redirect(target: int | Path, descriptor: int) -> None:
    file = os.open(target, os.O_CREAT | os.O_WRONLY | os.O_APPEND) if isinstance(target, Path) else target
    os.dup2(file, descriptor)
    stream = open(descriptor, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 as long as the process lives
    if descriptor == 1:
        sys.stdout = stream
    else:
        sys.stderr = stream


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when the condition holds; fail after a minute."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)
