"""The guard of a running program: logs requests, evaluates the log, and overrules modes.

Callers put requests into a queue and read fallbacks from memory. One thread does the rest, one item after the
other: append to the log, evaluate, alert.
"""

from __future__ import annotations

import atexit
import hashlib
import logging
import queue
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from convgate.core.errors import StoreError
from convgate.core.http import PostError, post_json
from convgate.core.settings import Settings
from convgate.core.text import writable
from convgate.guardrails.request import Fallback, Guard, RequestRecord
from convgate.guardrails.rules import judge, observe
from convgate.modes.budgets import SECTIONS
from convgate.modes.mode import MIN_CONFIDENCE, MODES, Mode
from convgate.store.database import Store
from convgate.store.guard_states import Alert, GuardStates
from convgate.store.requests import INVARIANT_TYPES, Requests

log = logging.getLogger(__name__)

MAX_QUEUE = 10_000  # requests that wait to be written; more are lost
BATCH = 500  # requests written at once
GATHER_SECONDS = 0.2  # in which requests gather to a batch
REFRESH_SECONDS = 2.0  # between two evaluations, at least
IDLE_SECONDS = 30.0  # without a request, after which the thread ends; the next request starts it again
CLOSE_SECONDS = 2.0  # to write what waits at the end
WEBHOOK_SECONDS = 5.0  # of an attempt to post an alert
STALE_SECONDS = 3_600.0  # after which an evaluation overrules nothing

Callback = Callable[[Alert], object]
_GUARDS: weakref.WeakSet[Guardrails] = weakref.WeakSet()


class Guardrails(AbstractContextManager["Guardrails"]):
    """A Guard over the database at `path`. Thread-safe; processes may share a database.

    alert: called in the thread when an alert is raised or cleared. `lost` counts what could not be written.
    """

    def __init__(
        self,
        path: Path,
        settings: Settings,
        *,
        alert: Callback | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self.path, self.lost = path, 0
        self._settings, self._alert, self._clock = settings, alert, clock
        self._queue: queue.Queue[RequestRecord | threading.Event | None] = queue.Queue(MAX_QUEUE)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self._reported = 0  # of the lost, those that the database knows of
        self._is_failing = False
        self._fallbacks: Mapping[Mode, Fallback] = {}  # replaced as a whole
        self._evaluated_at = time.monotonic()
        try:
            with closing(Store(path)) as store:
                self._fallbacks = fallbacks_of(GuardStates(store).open_alerts())
        except (StoreError, sqlite3.Error) as error:
            self._lose(0, error)
        _GUARDS.add(self)

    def overruled(self, mode: Mode) -> Fallback | None:
        """Return why GENERAL replaces `mode` now; None when it does not."""
        is_stale = time.monotonic() - self._evaluated_at > STALE_SECONDS
        return None if is_stale else self._fallbacks.get(mode)

    def record(self, request: RequestRecord) -> None:
        """Queue a request for the log; return at once."""
        try:
            self._queue.put_nowait(request)
        except queue.Full:
            self._lose(1, "too many requests wait")
        self._start()

    def flush(self, timeout: float = 10.0) -> bool:
        """Wait until all recorded requests are written and evaluated; return whether that was in time."""
        is_done, end = threading.Event(), time.monotonic() + timeout
        try:
            self._queue.put(is_done, timeout=timeout)
        except queue.Full:
            return False
        self._start()
        return is_done.wait(max(0.0, end - time.monotonic()))

    def close(self) -> None:
        """Write the queue and end the thread, until the next request; after 2 seconds the rest is lost."""
        if (thread := self._thread) is not None and thread.is_alive():
            with suppress(queue.Full):
                self._queue.put(None, timeout=CLOSE_SECONDS)
            thread.join(CLOSE_SECONDS)
            if thread.is_alive():
                self._lose(self._queue.qsize(), "the program ended")

    def __exit__(self, *_: object) -> None:
        self.close()

    def _start(self) -> None:
        """Start the thread unless it runs; in a forked process it does not."""
        with self._lock:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="convgate-guard", daemon=True)
                self._thread.start()

    def _run(self) -> None:
        store: Store | None = None  # local: a forked process must not use the connections of its parent
        evaluated_at, is_running = -REFRESH_SECONDS, True
        while is_running:
            batch, done, is_running = self._collect()
            alerts, unwritten = _breach_alerts(batch), len(batch)
            try:
                store = store or Store(self.path)
                self._append(store, batch, alerts)
                unwritten = 0
                if done or not is_running or time.monotonic() >= evaluated_at + REFRESH_SECONDS:
                    alerts = [*alerts, *self._evaluate(store)]
                    evaluated_at = time.monotonic()
                self._is_failing = False
            except (StoreError, sqlite3.Error) as error:
                self._lose(unwritten, error)
            for alert in alerts:
                send_alert(alert, self._settings, self._alert)
            if done is not None:
                done.set()
        if store is not None:
            store.close()

    def _collect(self) -> tuple[list[RequestRecord], threading.Event | None, bool]:
        """Wait for requests; return a batch, the flush that ended it, and whether to go on."""
        batch: list[RequestRecord] = []
        end = time.monotonic() + IDLE_SECONDS
        while len(batch) < BATCH:
            try:
                item = self._queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                if batch:
                    break
                with self._lock:
                    if self._queue.empty():
                        self._thread = None
                        return batch, None, False
                continue
            if item is None:
                return batch, None, False
            if isinstance(item, threading.Event):
                return batch, item, True
            if not batch:
                end = time.monotonic() + GATHER_SECONDS
            batch.append(item)
        return batch, None, True

    def _append(self, store: Store, batch: Sequence[RequestRecord], alerts: Sequence[Alert]) -> None:
        requests, lost = Requests(store), self.lost
        if not batch and lost == self._reported:
            return
        with store.write():
            requests.add(map(to_row, batch))
            if lost > self._reported:
                requests.add_loss(lost - self._reported, "requests could not be written", self._clock())
            GuardStates(store).put_alerts(replace(alert, cleared=alert.raised) for alert in alerts)
        self._reported = lost

    def _evaluate(self, store: Store) -> list[Alert]:
        now, requests = self._clock(), Requests(store)
        log_start = now.timestamp() - 86_400 * self._settings.guard.log_days
        requests.trim(log_start, self._settings.guard.log_max_rows)
        alerts, changed = update_alerts(store, self._settings, now)
        self._fallbacks, self._evaluated_at = fallbacks_of(alerts), time.monotonic()
        return changed

    def _lose(self, requests: int, problem: object) -> None:
        with self._lock:
            if not self._is_failing:
                log.warning("the log of requests fails; what cannot be written is lost: %s", problem)
            self._is_failing = True
            self.lost += requests


def load_guard(settings: Settings, *, alert: Callback | None = None) -> Guard | None:
    """Return the guard that the settings ask for: none if `guard.log` is off, or `read_only` on."""
    is_logged = settings.guard.log and not settings.read_only
    return Guardrails(settings.database, settings, alert=alert) if is_logged else None


def flush_requests(path: Path, timeout: float = 1.0) -> None:
    """Write the queued requests of this process for the database at `path`."""
    for guard in list(_GUARDS):
        if guard.path.resolve() == path.resolve():
            guard.flush(timeout)


@atexit.register
def _close_all() -> None:
    for guard in list(_GUARDS):
        guard.close()


def update_alerts(store: Store, settings: Settings, now: datetime) -> tuple[list[Alert], list[Alert]]:
    """Store the alerts that change now; return the open ones, and those that were raised or cleared.

    Of processes that share a database, one raises and one clears an alert. Raises StoreError.
    """
    states = GuardStates(store)
    alerts = states.open_alerts()
    if not judge(observe(store, settings, now), alerts, settings):
        return alerts, []
    with store.write():  # another process may have been quicker
        alerts = states.open_alerts()
        known = {alert.number for alert in alerts}
        changes = states.put_alerts(judge(observe(store, settings, now), alerts, settings))
        changed = [alert for alert in changes if not alert.open or alert.number not in known]
        return states.open_alerts(), changed


def fallbacks_of(alerts: Sequence[Alert]) -> dict[Mode, Fallback]:
    """Return why modes are overruled: all by drift or misclassification, else failing ones but GENERAL."""
    failing: dict[Mode, Fallback] = {
        mode: Fallback("errors", alert.message)
        for mode in MODES
        for alert in alerts
        if alert.kind == "errors" and alert.mode == mode != "GENERAL"
    }
    for alert in alerts:
        if alert.kind == "drift" or alert.kind == "misclassified":
            return dict.fromkeys(MODES, Fallback(alert.kind, alert.message))
    return failing


def send_alert(alert: Alert, settings: Settings, callback: Callback | None = None) -> None:
    """Log an alert, and send it to the callback and the webhook of the settings; never raises."""
    level = logging.ERROR if alert.severity == "critical" else logging.WARNING
    log.log(level, "%s", alert.message if alert.open else f"Alert cleared: {alert.because}")
    if callback is not None:
        try:
            callback(alert)
        except Exception:
            log.exception("the callback for an alert (%s) failed", alert.kind)
    if settings.guard.webhook is not None:
        post_alert(settings.guard.webhook, alert)


def post_alert(url: str, alert: Alert, *, timeout: float = WEBHOOK_SECONDS, pause: float = 0.5) -> bool:
    """POST an alert and return whether it was accepted; what fails in the end is logged.

    The body is `Alert.to_json` with `event`, "raised" or "cleared". Only the kind of problem is logged:
    addresses and replies may hold secrets.
    """
    values = {"event": "raised" if alert.open else "cleared", **alert.to_json()}
    try:
        post_json(url, values, timeout=timeout, pause=pause)
    except PostError as error:
        log.warning("an alert (%s) could not be posted to guard.webhook: %s", alert.kind, error)
        return False
    return True


def _breach_alerts(batch: Sequence[RequestRecord]) -> list[Alert]:
    """Return one critical alert for the requests of a batch in which invariants were lost."""
    requests = [request for request in batch if request.breaches]
    if not requests:
        return []
    breaches = sum(request.breaches for request in requests)
    message = f"{breaches:,} of the invariants that must hold were missing; the baseline was sent."
    figures = {"breaches": breaches, "requests": [request.id for request in requests]}
    return [Alert("breach", "", requests[-1].at.astimezone(UTC), message, figures)]


def to_row(request: RequestRecord) -> dict[str, Any]:
    """Return the columns of a request in the log."""
    is_judged = request.mode is not None and request.source != "intent"
    is_low = request.source == "low confidence" or (request.confidence or 0.0) < MIN_CONFIDENCE
    return {
        "id": writable(request.id),
        "at": request.at.timestamp(),
        "mode": request.mode or "",
        "classified": request.classified or "",
        "confidence": request.confidence or 0.0,
        "source": request.source or "",
        "low": is_low if is_judged else None,
        "tokens_total": request.tokens_total,
        "budget": request.tokens_total if request.budget is None else request.budget,
        "invariants": request.invariants,
        "breaches": request.breaches,
        "over_budget": request.over_budget,
        "fallbacks": " ".join(fallback.cause for fallback in request.fallbacks),
        "seconds": request.seconds,
        "arm": request.arm,
        "session": None if request.session is None else _hash_session(request.session),
        **{f"tokens_{section}": request.tokens.get(section, 0) for section in SECTIONS},
        **{f"invariants_{type}": request.invariant_types.get(type, 0) for type in INVARIANT_TYPES},
    }


def _hash_session(id: str) -> int:
    """Return 63 bits that stand for a session; ids are not stored."""
    digest = hashlib.blake2b(id.encode(errors="surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest) >> 1
