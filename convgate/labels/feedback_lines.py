"""Feedback in a file, one JSON object a line.

{"messages": [{"role": "user", "content": "Hi"}, …], "turn": 0, "relevant": true}
{"conversation": "0123456789abcdef", "turn": [2, 3], "relevant": false, "at": 9, "source": "my-agent"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.errors import ConversationError, StoreError, TranscriptError
from convgate.labels.feedback import AGENT, Feedback, FeedbackError, keep_feedback
from convgate.labels.imports import parse_answer, parse_text
from convgate.store import Saved, Store
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source

_FIELDS = ("conversation", "messages", "turn", "relevant", "at", "question", "source", "version", "how")


def keep_feedback_lines(
    store: Store, source: Source, *, agent: str = AGENT, skip_bad: bool = False
) -> tuple[list[Saved], Problems]:
    """Store every line, or nothing; return what became of each, and what was left out.

    agent: the source of lines that name none. Raises BadLinesError for bad lines unless `skip_bad`, and when
    there is no good one.
    """
    report = source.report
    if source.json is None:
        raise source.json_error or TranscriptError("feedback has one JSON object a line", file=report.file)
    saved: list[Saved] = []
    with store.write():
        for value, place in source.json.values(each=False):
            try:
                saved.append(keep_feedback(store, parse_feedback(value, agent)))
            except TranscriptError as error:
                place.leave_out_all(error)
            except (StoreError, ConversationError) as error:
                field = error.field if isinstance(error, FeedbackError) else None
                place.leave_out_all(TranscriptError(str(error), field=field))
        readable = f"{len(saved):,} line{'s' * (len(saved) != 1)}" if saved else None
        problems = report.close(readable, skip_bad=skip_bad)
    return saved, problems


def parse_feedback(value: Any, agent: str) -> Feedback:
    """Return the feedback in a line's object; TranscriptError or StoreError when it is invalid."""
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object, got {kind(value)}")
    if unknown := sorted(set(value) - set(_FIELDS)):
        raise TranscriptError(f"unknown field; the fields are {', '.join(_FIELDS)}", field=unknown[0])
    if ("conversation" in value) == ("messages" in value):
        raise TranscriptError("either a conversation or its messages are needed", field="conversation")
    if "relevant" not in value:
        raise TranscriptError("relevant is missing", field="relevant")
    turn, relevant = value.get("turn"), value["relevant"]
    if isinstance(relevant, str):
        relevant = {"relevant": True, "not_relevant": False}.get(parse_answer(relevant), relevant)
    return Feedback(
        parse_text(value, "conversation") or value.get("messages") or "",
        tuple(turn) if isinstance(turn, list) else (turn,),  # type: ignore[arg-type]
        relevant,
        value.get("at"),
        parse_text(value, "question"),
        parse_text(value, "source") or agent,
        parse_text(value, "version"),
        value.get("how", "explicit"),
    )
