"""The thread behind the guardrails: it alone waits for the database."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
import weakref
from collections.abc import Callable
from multiprocessing.util import Finalize
from pathlib import Path

from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.request_log import RequestLog
from convgate.context.guardrails.telling import Hook, Telling
from convgate.context.guardrails.times import Clock
from convgate.context.guardrails.watch import Watch

GATHER = 0.2  # seconds in which requests gather to a batch
REFRESH = 2.0  # seconds between two looks at the log, at least
REFRESH_SHARE = 0.05  # of the thread's time that looking may take
IDLE_AFTER = 60.0  # seconds without a request, after which it looks once a minute
PARKED_AFTER = 2 * 3_600.0  # seconds without a request, after which it waits for the next one
LONGEST_PAUSE = 30.0  # seconds between two attempts at a database that cannot be written
AT_END = 2.0  # seconds to write what waits when all is over

_WORKERS: weakref.WeakSet[Worker] = weakref.WeakSet()
_HELD: list[Worker] = []  # while this process forks


class Worker:
    """Writes the log and refreshes the watch, in a thread that starts with the first request.

    Knows nothing of the guardrails that use it, so that these can be collected while the thread runs.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits,
        *,
        most: int,
        days: float,
        webhook: str | None,
        hook: Hook | None,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
        threaded: bool = True,
        quiet: bool = False,
    ) -> None:
        self.telling = Telling(hook, webhook, quiet=quiet)
        self.log = RequestLog(path, most=most, days=days, clock=clock, monotonic=monotonic)
        self.watch = Watch(self.log.place, limits, clock, changed=self.telling.tell, monotonic=monotonic)
        self._threaded = threaded
        self._closed = False
        self._begin()
        _WORKERS.add(self)

    def wake(self) -> None:
        """Have the thread do what there is to do, soon; it is started when it is not there."""
        if not self._wake.is_set():
            self._wake.set()
        thread = self._thread
        if self._threaded and (thread is None or not thread.is_alive()) and not self._closed:
            self._start()

    def refresh(self) -> None:
        """Look at the log now."""
        with self._working:
            self.watch.refresh()

    def flush(self, timeout: float) -> bool:
        """Write and look now, in this thread; whether all was written in that many seconds."""
        end = time.monotonic() + timeout
        if not self._working.acquire(timeout=timeout):
            return False
        try:
            while not (written := self.log.write()) and time.monotonic() < end:
                time.sleep(min(0.05, max(0.0, end - time.monotonic())))
            self.watch.refresh()
        finally:
            self._working.release()
        return written

    def close(self) -> None:
        """End the thread, write what waits, give up what cannot be written; for good."""
        self._closed = True
        self._ending.set()
        self._wake.set()
        if self._thread is threading.current_thread():  # the guardrails were collected in it
            self._finishes = True
            return
        if self._thread is not None:
            self._thread.join(AT_END)
        self._finish()

    def hold(self) -> bool:
        """Keep the thread from the database until `release`; whether that came about within a second."""
        return self._working.acquire(timeout=1.0)

    def release(self) -> None:
        """Let the thread go on."""
        self._working.release()

    def forget_parent(self) -> None:
        """In a forked process: what waits is the parent's to write, so are thread, locks and connections."""
        self.log.forget_parent()
        self._begin()

    def _finish(self) -> None:
        if self.log.waiting:
            self.flush(AT_END)
        self.log.give_up()
        self.telling.wait()
        self.log.place.close()

    def _begin(self) -> None:
        self._wake, self._ending = threading.Event(), threading.Event()
        self._working, self._starting = threading.Lock(), threading.Lock()
        self._thread: threading.Thread | None = None
        self._finishes = False  # the thread itself writes what waits when it ends: nobody waits for it

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                _close_at_end_of_child(self)
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="convgate-guard", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        busy = time.monotonic()
        next_look, failures, next_write = 0.0, 0, 0.0
        pause: float | None = REFRESH
        while not self._ending.is_set():
            if self._wake.wait(pause):
                busy = time.monotonic()
                self._wake.clear()
                self._ending.wait(GATHER)
            now = time.monotonic()
            with self._working:
                if self.log.waiting and now >= next_write:
                    failures = 0 if self.log.write() else failures + 1
                    next_write = now + min(LONGEST_PAUSE, GATHER * 2.0**failures) if failures else 0.0
                if now >= next_look:
                    began = time.monotonic()
                    self.watch.refresh()
                    took = time.monotonic() - began
                    next_look = time.monotonic() + max(REFRESH, took / REFRESH_SHARE)
            idle = time.monotonic() - busy
            pause = REFRESH if idle < IDLE_AFTER else IDLE_AFTER if idle < PARKED_AFTER else None
            if self.log.waiting:
                pause = REFRESH
        if self._finishes:
            self._finish()


def write_waiting(path: Path, timeout: float = 1.0) -> None:
    """Have every worker of this process write what waits for a database, as far as it can be written."""
    for worker in list(_WORKERS):
        if worker.log.waiting and worker.log.place.path.resolve() == path.resolve():
            worker.flush(timeout)


def _close_at_end_of_child(worker: Worker) -> None:
    """Processes that multiprocessing forked end without what `atexit` and `weakref.finalize` have to do."""
    if multiprocessing.parent_process() is not None:
        Finalize(None, _close, (weakref.ref(worker),), exitpriority=0)


def _close(worker: weakref.ref[Worker]) -> None:
    found = worker()
    if found is not None:
        found.close()


def _hold_all() -> None:
    """No worker is inside SQLite while the process is copied: its locks would stay locked in the copy."""
    _HELD.extend(worker for worker in list(_WORKERS) if worker.hold())


def _release_all() -> None:
    while _HELD:
        _HELD.pop().release()


def _forget_parents() -> None:
    _HELD.clear()
    for worker in list(_WORKERS):
        worker.forget_parent()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_hold_all, after_in_parent=_release_all, after_in_child=_forget_parents)
