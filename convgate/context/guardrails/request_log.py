"""The log of requests: a bounded queue in memory, and the database that takes it in batches when it can."""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from convgate.context.guardrails.place import Place
from convgate.context.guardrails.times import Clock, earlier, in_utc
from convgate.context.mode import LEAST_CONFIDENCE
from convgate.context.request import RequestRecord
from convgate.context.section import SECTIONS
from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.requests import LoggedRequest, Requests

log = logging.getLogger(__name__)

LONGEST_QUEUE = 10_000
"""Requests that wait for a database that cannot be written; more are lost."""

BATCH = 500
KEPT_PART = 0.95  # of the most that are kept: what is left when there were too many
AGE_LOOKED_AT = 600.0  # seconds between two looks for requests that are too old
JUMP = 300.0  # seconds by which the clock leaves the time that passed: it was set
JUMP_GRACE = 600.0  # seconds after a jump in which nothing is removed for its age

TOLD_AFTER = 2
"""Attempts to write that fail in a row before the log says so: for a moment, any database may be busy."""

_LARGEST = 2**62


class RequestLog:
    """Takes requests in no time, from any thread; `write` puts them into the database.

    most, days: how many requests are kept, and for how long. `lost` counts what could not be written, and
    `problem` says why, while it lasts.
    """

    def __init__(
        self,
        path: Path,
        *,
        most: int,
        days: float,
        clock: Clock,
        monotonic: Callable[[], float] = time.monotonic,
        longest_queue: int = LONGEST_QUEUE,
    ) -> None:
        self.place = Place(path)
        self.lost = 0
        self.problem: str | None = None
        self._most, self._days, self._longest = most, days, longest_queue
        self._clock, self._monotonic = clock, monotonic
        self._queue: deque[RequestRecord] = deque()
        self._batch: list[LoggedRequest] = []  # taken from the queue, and not yet written
        self._untold = 0  # of the lost, those that the database does not know of
        self._counting = threading.Lock()
        self._failures = 0  # attempts to write in a row
        self._ended = False
        self._aged_at = -math.inf  # monotonic, as all that follow
        self._clock_set_at = -math.inf
        self._times: tuple[float, float] | None = None  # of the clock and monotonic, at the last look

    @property
    def waiting(self) -> int:
        """Requests that are not yet written."""
        return len(self._queue) + len(self._batch)

    def add(self, request: RequestRecord) -> None:
        """Have a request written some time; it is lost when too many wait, or after the end."""
        if self._ended:
            self._lose(1, "the guardrails were closed")
            return
        if len(self._queue) >= self._longest:
            self._lose(1, "too many requests waited to be written")
            return
        self._queue.append(request)

    def write(self) -> bool:
        """Write what waits, and remove what is too much or too old; whether all was written.

        Never raises for what the database does. For one thread at a time.
        """
        try:
            while self._next_batch():
                self._write_batch(self.place.store())
                self._keep_to_size()
            self._keep_to_age()
        except (StoreError, sqlite3.Error) as error:
            self._failures += 1
            if self._failures == TOLD_AFTER:
                log.warning(
                    "requests cannot be logged for now, %d wait: %s Requests are answered all the same.",
                    self.waiting,
                    error,
                )
            self.problem = str(error)
            return False
        if self._failures >= TOLD_AFTER:
            log.warning("requests are logged again; %d in all were lost", self.lost)
        self._failures, self.problem = 0, None
        return True

    def give_up(self) -> None:
        """Count what still waits as lost, and all that comes."""
        self._ended = True
        self._failures = 0
        waiting = self.waiting
        self._queue.clear()
        self._batch = []
        if waiting:
            self._lose(waiting, self.problem or "the program ended")
            log.warning("%d requests could not be logged: %s", waiting, self.problem)

    def forget_parent(self) -> None:
        """In a forked process: start with nothing, and touch none of the parent's connections."""
        self._queue, self._batch, self.lost, self._untold, self.problem = deque(), [], 0, 0, None
        self._counting = threading.Lock()
        self.place.forget_parent()

    def _next_batch(self) -> bool:
        """Fill the batch, which may have what could not be written yet; whether there is anything."""
        while len(self._batch) < BATCH and self._queue:
            try:
                self._batch.append(_stored(self._queue[0], self._clock))
            finally:
                self._queue.popleft()  # after it is counted in the batch: `waiting` is never too low
        return bool(self._batch)

    def _lose(self, requests: int, why: str) -> None:
        with self._counting:
            if not self.lost:
                log.warning("requests are lost to the log: %s", why)
            self.lost += requests
            self._untold += requests

    def _write_batch(self, store: Store) -> None:
        requests, untold = Requests(store), self._untold
        with store.write():
            requests.add(self._batch)
            if untold:
                requests.add_loss(untold, self.problem or "too many waited", in_utc(self._clock()))
        self._batch = []
        with self._counting:
            self._untold -= untold

    def _keep_to_size(self) -> None:
        requests = Requests(self.place.store())
        if requests.might_exceed(self._most) and requests.count() > self._most:
            requests.keep_newest(int(KEPT_PART * self._most))

    def _keep_to_age(self) -> None:
        """Now and then; not when the clock has just been set: it may be wrong, and what is gone is gone."""
        passed = self._monotonic()
        now = in_utc(self._clock())
        if self._times is not None:
            strayed = (now.timestamp() - self._times[0]) - (passed - self._times[1])
            if abs(strayed) > JUMP:
                self._clock_set_at = passed
        self._times = (now.timestamp(), passed)
        if passed - self._clock_set_at < JUMP_GRACE or passed - self._aged_at < AGE_LOOKED_AT:
            return
        self._aged_at = passed
        before = earlier(now, seconds=86_400 * self._days)
        Requests(self.place.store()).remove_before(before.timestamp())


def _stored(request: RequestRecord, clock: Clock) -> LoggedRequest:
    """As the database takes it, whatever numbers and times it has; none is later than the present."""
    confidence = _number(request.confidence)
    by_intent = request.source == "intent"
    low = request.source == "low confidence" or confidence < LEAST_CONFIDENCE
    rules, task_state, recent, evidence, decisions, capsules = (
        _whole(request.tokens.get(section, 0)) for section in SECTIONS
    )
    return LoggedRequest(
        id=request.id,
        at=min(in_utc(request.at), in_utc(clock())),
        mode=request.mode,
        classified=request.classified,
        confidence=confidence,
        source=request.source,
        low=None if by_intent else low,
        tokens=(rules, task_state, recent, evidence, decisions, capsules),
        tokens_total=_whole(request.tokens_total),
        budget=_whole(request.budget),
        invariants=_whole(request.invariants),
        breaches=_whole(request.breaches),
        over_budget=_whole(request.over_budget),
        fallbacks=tuple(one.cause for one in request.fallbacks),
        seconds=_number(request.seconds),
    )


def _number(value: float) -> float:
    return float(value) if math.isfinite(value) else 0.0


def _whole(value: int) -> int:
    return int(value) if -_LARGEST < value < _LARGEST else int(math.copysign(_LARGEST, value))
