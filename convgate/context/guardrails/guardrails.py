"""The guard of a running program: logs requests, watches the log, and overrules modes while it has to.

guard = Guardrails(store, settings, alert=print)
guard.overruled("TASK")       # None, or why GENERAL takes its place; from memory
guard.record(request)         # returns at once
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Self

from convgate.context.guardrails.limits import Limits
from convgate.context.guardrails.telling import Hook
from convgate.context.guardrails.times import Clock, wall_clock
from convgate.context.guardrails.watch import KNOWN_FOR
from convgate.context.guardrails.worker import Worker
from convgate.context.mode import Mode
from convgate.context.request import Fallback, Guard, NoGuard, RequestRecord
from convgate.settings import Settings
from convgate.store.database import Store

_STALE = 5.0  # seconds after which a request has the log looked at again


class Guardrails:
    """A Guard over the database of a store, or at a path. Thread-safe; processes may share a database.

    Nothing raises, whatever becomes of the database: what cannot be written is kept for a while, then lost,
    counted in `lost` and told in the log. alert: called with each alert when it is raised and when it is
    cleared, in a thread of its own. threaded: whether a thread writes and looks; else only `flush` does.
    quiet: whether alerts stay out of the program's log.
    Ends with the program, or with `close`.
    """

    def __init__(
        self,
        place: Store | str | Path,
        settings: Settings,
        *,
        clock: Clock = wall_clock,
        monotonic: Callable[[], float] = time.monotonic,
        alert: Hook | None = None,
        threaded: bool = True,
        quiet: bool = False,
    ) -> None:
        self.path = place.path if isinstance(place, Store) else Path(place)
        self._worker = worker = Worker(
            self.path, Limits.of(settings), most=settings.guard_log_max_rows, days=settings.guard_log_days,
            webhook=settings.guard_webhook, hook=alert, clock=clock, monotonic=monotonic, threaded=threaded,
            quiet=quiet,
        )  # fmt: skip
        self._watch, self._log, self._monotonic = worker.watch, worker.log, monotonic
        worker.refresh()
        self._end = weakref.finalize(self, worker.close)

    def overruled(self, mode: Mode) -> Fallback | None:
        """Why GENERAL has to be applied in place of `mode` now; None when it may be applied.

        Drift overrules every mode, GENERAL included, so that each request tells of it. The figures are a few
        seconds old at most while requests come; figures of more than an hour ago overrule nothing.
        """
        seen, now = self._watch.overruling, self._monotonic()
        if now - seen.at > _STALE:
            self._worker.wake()
        return seen.fallbacks.get(mode) if now - seen.at <= KNOWN_FOR else None

    def record(self, request: RequestRecord) -> None:
        """Have a request logged; returns at once."""
        self._log.add(request)
        self._worker.wake()

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until what was recorded so far is written and looked at; whether it was."""
        return self._worker.flush(timeout)

    def close(self) -> None:
        """Write what waits, and end the thread; what cannot be written in 2 seconds is lost."""
        self._end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def lost(self) -> int:
        """Requests of this process that could not be logged."""
        return self._log.lost

    @property
    def waiting(self) -> int:
        """Requests of this process that are not written yet."""
        return self._log.waiting

    @property
    def problem(self) -> str | None:
        """Why requests cannot be logged just now; None when they can."""
        return self._log.problem


def load_guard(settings: Settings, *, alert: Hook | None = None) -> Guard:
    """The guard that settings ask for.

    With `guard_log` off or `read_only` on it is one that logs and overrules nothing.
    """
    is_logged = settings.guard_log and not settings.read_only
    return Guardrails(settings.database, settings, alert=alert) if is_logged else NoGuard()
