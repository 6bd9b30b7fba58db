"""Feedback that an agent wrote down, one JSON object a line.

{"messages": [{"role": "user", "content": "Hi"}, …], "turn": 0, "relevant": true}
{"conversation": "0123456789abcdef", "turn": [2, 3], "relevant": false, "at": 9, "source": "my-agent"}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.errors import ConversationError, StoreError, TranscriptError
from convgate.labels.feedback import AGENT, Feedback, FeedbackError, keep_feedback
from convgate.labels.imported import text_of
from convgate.labels.spellings import answer_meant
from convgate.store import Saved, Store
from convgate.transcripts.json_text import kind
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source

_FIELDS = frozenset(
    {"conversation", "messages", "turn", "relevant", "at", "question", "source", "version", "how"}
)


def keep_feedback_lines(
    store: Store, source: Source, *, agent: str = AGENT, skip_bad: bool = False
) -> tuple[list[Saved], Problems]:
    """Store every line, or nothing; what became of each, and what was left out.

    agent: whose feedback it is where a line has no `source`. Raises BadLinesError for bad lines unless
    `skip_bad`, and when there is no good one.
    """
    report = source.report
    if source.json is None:
        raise source.json_error or TranscriptError("feedback has one JSON object a line", file=report.file)
    saved: list[Saved] = []
    with store.write():
        for value, place in source.json.values(each=False):
            try:
                saved.append(keep_feedback(store, feedback_of(value, agent)))
            except TranscriptError as error:
                place.leave_out_all(error)
            except (StoreError, ConversationError) as error:
                field = error.field if isinstance(error, FeedbackError) else None
                place.leave_out_all(TranscriptError(str(error), field=field))
        readable = f"{len(saved):,} line{'s' * (len(saved) != 1)}" if saved else None
        problems = report.close(readable, skip_bad=skip_bad)
    return saved, problems


def feedback_of(value: Any, agent: str) -> Feedback:
    """The feedback in a line's object; TranscriptError or StoreError when it is none."""
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object, got {kind(value)}")
    if unknown := sorted(set(value) - _FIELDS):
        raise TranscriptError(
            f"there is no such field; there are {', '.join(sorted(_FIELDS))}", field=unknown[0]
        )
    if ("conversation" in value) == ("messages" in value):
        raise TranscriptError("it names either a conversation or its messages", field="conversation")
    if "relevant" not in value:
        raise TranscriptError("it does not say whether the turn is relevant", field="relevant")
    turn = value.get("turn")
    return Feedback(
        text_of(value, "conversation") or value.get("messages") or "",
        tuple(turn) if isinstance(turn, list) else (turn,),  # type: ignore[arg-type]
        _relevant(value["relevant"]),
        value.get("at"),
        text_of(value, "question"),
        text_of(value, "source") or agent,
        text_of(value, "version"),
        value.get("how", "explicit"),
    )


def _relevant(value: Any) -> bool | None:
    """Whether a line says that the turn is relevant; None takes back what was said."""
    if value is None or isinstance(value, bool):
        return value
    meant = {"relevant": True, "not_relevant": False}
    if not isinstance(value, str) or (answer := answer_meant(value)) not in meant:
        raise TranscriptError(
            "expected true or 'relevant', false or 'not relevant', or null, which takes it back;"
            f" got {value!r}",
            field="relevant",
        )
    return meant[answer]
