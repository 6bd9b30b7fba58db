"""How a request ended, as whoever made it tells."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

from convgate.context.guardrails.times import in_utc, wall_clock
from convgate.context.guardrails.worker import write_waiting
from convgate.errors import ContextError
from convgate.settings import Settings, load_settings
from convgate.store.database import Store
from convgate.store.requests import Requests


def record_outcome(request_id: str, *, ok: bool, place: Store | Settings | None = None) -> None:
    """Tell whether the answer to a request was of use; what was told of it before no longer counts.

    place: a store, or settings that name one; the usual settings unless given. Raises ContextError when no
    such request is logged, and StoreError when the database cannot be written.
    """
    if not isinstance(request_id, str):
        raise ContextError(f"the id of a request is text, as in `bundle.request_id`; got {request_id!r}")
    if not isinstance(ok, bool):
        raise ContextError(f"ok is True or False; got {ok!r}")
    if record_outcomes([(request_id, ok)], place=place):
        raise ContextError(unknown_request(request_id))


def record_outcomes(
    outcomes: Sequence[tuple[str, bool]], *, place: Store | Settings | None = None
) -> list[int]:
    """Tell of several at once, in one transaction; the places of those that are not logged."""
    if not isinstance(place, Store):
        with closing(Store((place or load_settings()).database)) as store:
            return record_outcomes(outcomes, place=store)
    write_waiting(place.path)
    return Requests(place).tell_outcomes(outcomes, in_utc(wall_clock()))


def unknown_request(request_id: str) -> str:
    """What to say of an id that the log does not have."""
    return (
        f"no request {request_id!r} is logged: the id is `request_id` of the context; requests are logged"
        " within a second, unless guard_log is off, and kept as guard_log_days and guard_log_max_rows say"
    )
