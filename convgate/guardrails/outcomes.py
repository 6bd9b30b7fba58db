"""Outcomes of requests, recorded by the program that made them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime
from math import inf

from convgate.core.errors import RequestError
from convgate.core.settings import Settings, load_settings
from convgate.guardrails.guardrails import flush_requests
from convgate.store.database import Store
from convgate.store.requests import RequestOutcome, Requests


def record_outcome(
    request_id: str,
    *,
    ok: bool,
    error: bool = False,
    seconds: float | None = None,
    place: Store | Settings | None = None,
) -> None:
    """Record whether the answer to a request was useful; this replaces an earlier outcome of the request.

    error: whether there was no answer, such as after an exception; then `ok` is False. seconds: until the
    answer, 0 or more. A rollout compares both. place: a store, or settings that name one; the usual settings
    unless given. Raises RequestError when no such request is logged or a value is wrong, and StoreError when
    the database cannot be written.
    """
    if record_outcomes([check_outcome(RequestOutcome(request_id, ok, error, seconds))], place=place):
        raise RequestError(
            f"no request {request_id!r} is logged: pass `request_id` of a selection with a budget, of a"
            " rollout or of the server, and check guard.log, guard.log_days and guard.log_max_rows"
        )


def check_outcome(outcome: RequestOutcome) -> RequestOutcome:
    """Return the outcome. Raises RequestError for a value that is wrong."""
    if not isinstance(outcome.ok, bool):
        raise RequestError(f"ok is True or False; got {outcome.ok!r}")
    if outcome.is_error and outcome.ok:
        raise RequestError("a request that ended with an error is not ok; pass ok=False")
    if outcome.seconds is not None and not 0 <= outcome.seconds < inf:
        raise RequestError(f"seconds are 0 or more; got {outcome.seconds!r}")
    return outcome


def record_outcomes(
    outcomes: Sequence[tuple[str, bool] | RequestOutcome], *, place: Store | Settings | None = None
) -> list[int]:
    """Record several in one transaction; return the places of those that are not logged."""
    if not isinstance(place, Store):
        with closing(Store((place or load_settings()).database)) as store:
            return record_outcomes(outcomes, place=store)
    flush_requests(place.path)
    return Requests(place).record_outcomes(outcomes, datetime.now(UTC))
