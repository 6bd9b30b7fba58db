"""Who hears of alerts: the log, a function, a webhook. None of them can hold up or break a request."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import TracebackType

from convgate.context.guardrails.webhook import post
from convgate.store.guard_states import Alert

log = logging.getLogger(__name__)

Hook = Callable[[Alert], object]

WAIT_AT_END = 2.0
"""Seconds that a program that ends waits for those who are being told."""


class Telling:
    """Tells of alerts when they are raised, and again when they are cleared, in threads of its own."""

    def __init__(self, hook: Hook | None = None, webhook: str | None = None, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._listeners: list[Hook] = [] if hook is None else [hook]
        if webhook is not None:
            self._listeners.append(partial(post, webhook))
        self._threads: list[threading.Thread] = []

    def tell(self, alerts: Sequence[Alert]) -> None:
        """Have listeners hear of alerts that were just raised or cleared; returns at once."""
        for alert in () if self._quiet else alerts:
            log.warning("%s", alert.message if alert.open else f"All is well again: {alert.because}")
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        for listener in self._listeners if alerts else ():
            thread = threading.Thread(
                target=_tell_all, args=(listener, list(alerts)), name="convgate-alert", daemon=True
            )
            thread.start()
            self._threads.append(thread)

    def wait(self, seconds: float = WAIT_AT_END) -> None:
        """Until all have been told, or that long."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))


def _tell_all(listener: Hook, alerts: Sequence[Alert]) -> None:
    for alert in alerts:
        with _Logged(alert):
            listener(alert)


class _Logged:
    """What a listener raises goes to the log: it is somebody else's code, and may raise anything."""

    def __init__(self, alert: Alert) -> None:
        self._alert = alert

    def __enter__(self) -> None:
        """Nothing."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not isinstance(error, Exception):
            return False
        log.error("telling of an alert (%s) failed", self._alert.kind, exc_info=error)
        return True
