"""How requests ended, as the program that made them knows: one at a time, or JSON Lines.

{"request_id": "01a2…", "ok": true}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

from convgate.context.guardrails.guardrails import flush_requests
from convgate.core.errors import ContextError, TranscriptError
from convgate.core.settings import Settings, load_settings
from convgate.store.database import Store
from convgate.store.requests import Requests
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source


def record_outcome(request_id: str, *, ok: bool, place: Store | Settings | None = None) -> None:
    """Record whether the answer to a request was of use, in place of what was recorded before.

    place: a store, or settings that name one; the usual settings unless given. Raises ContextError when no
    such request is logged, and StoreError when the database cannot be written.
    """
    if not isinstance(ok, bool):
        raise ContextError(f"ok is True or False; got {ok!r}")
    if record_outcomes([(request_id, ok)], place=place):
        raise ContextError(_unknown_request(request_id))


def record_outcomes(
    outcomes: Sequence[tuple[str, bool]], *, place: Store | Settings | None = None
) -> list[int]:
    """Record several in one transaction; return the places of those that are not logged."""
    if not isinstance(place, Store):
        with closing(Store((place or load_settings()).database)) as store:
            return record_outcomes(outcomes, place=store)
    flush_requests(place.path)
    return Requests(place).record_outcomes(outcomes, datetime.now(UTC))


def record_outcome_lines(
    store: Store, source: Source, *, skip_bad: bool = False
) -> tuple[list[tuple[str, bool]], Problems]:
    """Record every line of a file, or none; return what was recorded, and what was skipped.

    Raises BadLinesError for bad lines and unknown requests unless `skip_bad`, and when there is no good one.
    """
    report = source.report
    outcomes, places = [], []
    for value, place in source.need_json("one JSON object a line").lines():
        try:
            outcomes.append(_read_outcome(value))
        except TranscriptError as error:
            place.leave_out_all(error)
        else:
            places.append(place)
    with store.write():
        unknown = set(record_outcomes(outcomes, place=store))
        for number in sorted(unknown):
            message = _unknown_request(outcomes[number][0])
            places[number].leave_out_all(TranscriptError(message, field="request_id"))
        recorded = [outcome for number, outcome in enumerate(outcomes) if number not in unknown]
        readable = f"{len(recorded):,} line{'s' * (len(recorded) != 1)}" if recorded else None
        problems = report.close(readable, skip_bad=skip_bad)
    return recorded, problems


def _read_outcome(value: Any) -> tuple[str, bool]:
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object, got {kind(value)}")
    if unknown := sorted(set(value) - {"request_id", "ok"}):
        raise TranscriptError("there is no such field; there are request_id, ok", field=unknown[0])
    request, ok = value.get("request_id"), value.get("ok")
    if not isinstance(request, str) or not request:
        raise TranscriptError(f"expected the id of a request, got {kind(request)}", field="request_id")
    if not isinstance(ok, bool):
        raise TranscriptError(f"expected true or false, got {kind(ok)}", field="ok")
    return request, ok


def _unknown_request(request_id: str) -> str:
    return (
        f"no request {request_id!r} is logged: pass `request_id` of the context, and check guard_log,"
        " guard_log_days and guard_log_max_rows"
    )
