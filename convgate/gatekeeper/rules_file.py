"""A file of rules that a person may edit while the program runs."""

from __future__ import annotations

import logging
import os
import threading
import time
from pathlib import Path

from convgate.gatekeeper.errors import RulesError
from convgate.gatekeeper.rules import Rules, decode_rules, read_bytes

log = logging.getLogger(__name__)

_FRESH = 2.0  # seconds after a change in which another may leave time and size as they are

_Stamp = tuple[int, int, int, int] | None  # inode, size, times of change in nanoseconds; None: no file


class RulesFile:
    """The rules of a file as they stand in it now. Thread-safe.

    A file that became broken, or went away, leaves the rules that were; `problem` says so until it is mended,
    and the log once. `required`: whether there has to be a file at first.

    Raises RulesError when the file that is there at first cannot be used.
    """

    def __init__(self, path: Path, *, required: bool) -> None:
        self.path = path
        self.problem: str | None = None
        self._lock = threading.Lock()
        self._rules = Rules()
        self._data: bytes | None = None  # what the rules were read from, or could not be
        self._stamp = self._now()
        if required or self._stamp is not None:
            self._data = read_bytes(path)
            self._rules = decode_rules(self._data, file=str(path))

    def current(self) -> Rules:
        """The rules: a call looks at the file's size and times, and reads it again when they changed."""
        with self._lock:
            stamp = self._now()
            if stamp != self._stamp or (stamp is not None and _fresh(stamp)):
                self._stamp = stamp
                self._read()
            return self._rules

    def _read(self) -> None:
        if self._stamp is None and self._data is None:
            return
        former, self._data = self._data, None  # what cannot be read is read again, whatever it says then
        try:
            self._data = read_bytes(self.path)
            if self._data == former:
                return
            self._rules = decode_rules(self._data, file=str(self.path))
        except RulesError as error:
            self._tell(f"{error} The rules from before it changed are used on.")
        else:
            self.problem = None

    def _tell(self, problem: str) -> None:
        if problem != self.problem:
            self.problem = problem
            log.warning("%s", problem)

    def _now(self) -> _Stamp:
        try:
            status = os.stat(self.path)  # noqa: PTH116 - a third of the time, and it is asked for each decision
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def _fresh(stamp: tuple[int, int, int, int]) -> bool:
    return abs(time.time() - stamp[2] / 1e9) < _FRESH
