"""Outcomes that somebody wrote down, one JSON object a line.

{"request_id": "01a2…", "ok": true}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.context.guardrails.outcome import record_outcomes, unknown_request
from convgate.errors import TranscriptError
from convgate.store.database import Store
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source

_FIELDS = ("request_id", "ok")


def record_outcome_lines(
    store: Store, source: Source, *, skip_bad: bool = False
) -> tuple[list[tuple[str, bool]], Problems]:
    """Record every line, or nothing; what was recorded, and what was left out.

    Raises BadLinesError for bad lines and unknown requests unless `skip_bad`, and when there is no good one.
    """
    report = source.report
    if source.json is None:
        raise source.json_error or TranscriptError("outcomes have one JSON object a line", file=report.file)
    told, places = [], []
    for value, place in source.json.values(each=False):
        try:
            told.append(outcome_of(value))
        except TranscriptError as error:
            place.leave_out_all(error)
        else:
            places.append(place)
    with store.write():
        unknown = set(record_outcomes(told, place=store))
        for number in sorted(unknown):
            places[number].leave_out_all(
                TranscriptError(unknown_request(told[number][0]), field="request_id")
            )
        recorded = [outcome for number, outcome in enumerate(told) if number not in unknown]
        readable = f"{len(recorded):,} line{'s' * (len(recorded) != 1)}" if recorded else None
        problems = report.close(readable, skip_bad=skip_bad)
    return recorded, problems


def outcome_of(value: Any) -> tuple[str, bool]:
    """The request and outcome in a line's object; TranscriptError when it is none."""
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object, got {kind(value)}")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise TranscriptError(f"there is no such field; there are {', '.join(_FIELDS)}", field=unknown[0])
    request, ok = value.get("request_id"), value.get("ok")
    if not isinstance(request, str) or not request:
        raise TranscriptError(f"expected the id of a request, got {kind(request)}", field="request_id")
    if not isinstance(ok, bool):
        raise TranscriptError(f"expected true or false, got {kind(ok)}", field="ok")
    return request, ok
