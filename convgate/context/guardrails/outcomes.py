"""Outcomes of requests, recorded by the program that made them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime

from convgate.context.guardrails.guardrails import flush_requests
from convgate.core.errors import ContextError
from convgate.core.settings import Settings, load_settings
from convgate.store.database import Store
from convgate.store.requests import Requests


def record_outcome(request_id: str, *, ok: bool, place: Store | Settings | None = None) -> None:
    """Record whether the answer to a request was useful; this replaces an earlier outcome of the request.

    place: a store, or settings that name one; the usual settings unless given. Raises ContextError when no
    such request is logged, and StoreError when the database cannot be written.
    """
    if not isinstance(ok, bool):
        raise ContextError(f"ok is True or False; got {ok!r}")
    if record_outcomes([(request_id, ok)], place=place):
        raise ContextError(
            f"no request {request_id!r} is logged: pass `request_id` of the context, and check guard_log,"
            " guard_log_days and guard_log_max_rows"
        )


def record_outcomes(
    outcomes: Sequence[tuple[str, bool]], *, place: Store | Settings | None = None
) -> list[int]:
    """Record several in one transaction; return the places of those that are not logged."""
    if not isinstance(place, Store):
        with closing(Store((place or load_settings()).database)) as store:
            return record_outcomes(outcomes, place=store)
    flush_requests(place.path)
    return Requests(place).record_outcomes(outcomes, datetime.now(UTC))
