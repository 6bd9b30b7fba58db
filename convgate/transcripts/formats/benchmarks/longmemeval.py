"""LongMemEval: a question about many sessions with an assistant, and the turns that hold the answer.

Each question has a conversation of its own: its sessions by their dates. A case is the question put after
all of them, tagged with its type, and with `abstention` when no turn can answer it; relevant are the turns
with `has_answer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import quote
from convgate.transcripts.cases import Case, CaseExport
from convgate.transcripts.characters import writable
from convgate.transcripts.fields import text_of
from convgate.transcripts.formats.openai_messages import content_parts
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import UNTIMED

ANSWERS, ABSTENTION = "has_answer", "_abs"
_WEEKDAY = re.compile(r"\s*\([^()]{1,20}\)\s*")


class LongMemEvalFormat(CaseExport):
    """Questions with `haystack_sessions`."""

    name = "longmemeval"
    label = "LongMemEval"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `haystack_sessions` and the id of a question."""
        return isinstance(value.get("haystack_sessions"), list) and "question_id" in value

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the sessions of a question as one conversation, the earliest first."""
        dates, sessions = value.get("haystack_dates"), []
        for index, session in enumerate(value["haystack_sessions"]):
            date = dates[index] if isinstance(dates, list) and index < len(dates) else None
            moment = _moment(date, f"haystack_dates[{index}]", place)
            sessions.append((moment, list(_turns(session, f"haystack_sessions[{index}]", moment, place))))
        if all(moment for moment, _ in sessions):
            sessions.sort(key=lambda session: session[0] or datetime.min)
        turns = tuple(turn for _, session in sessions for turn in session)
        return Conversation(given_id(value, "question_id") or "", turns, format=self.name)

    def cases(self, value: Mapping[str, Any], conversation: Conversation, place: Place) -> Iterator[Case]:
        """Yield the case of the question."""
        asked, type_ = text_of(value, "question"), text_of(value, "question_type")
        if not asked:
            raise TranscriptError("there is no question", field="question")
        relevant = {index for index, turn in enumerate(conversation.turns) if turn.metadata.get(ANSWERS)}
        is_abstention = conversation.id.endswith(ABSTENTION)
        if not relevant and not is_abstention:
            place.warn("no turn has the answer; the question is left out", "haystack_sessions")
            place.report.omit("question without evidence")
            return
        moment = _moment(value.get("question_date"), "question_date", place)
        query = Turn.of("user", writable(asked), timestamp=moment)
        tags = (*([writable(type_)] if type_ else []), *(["abstention"] if is_abstention else []))
        id = f"{conversation.id}-q"
        yield Case(id, conversation.id, None, query, frozenset(relevant), tags=tags)


def _turns(session: Any, field: str, moment: datetime | None, place: Place) -> Iterator[Turn]:
    if not isinstance(session, list):
        place.leave_out(TranscriptError(f"expected a list of messages, got {kind(session)}", field=field))
        return
    for index, message in enumerate(place.report.watch(session, "messages of a session")):
        name = f"{field}[{index}]"
        with place.skip_bad_part():
            if not isinstance(message, Mapping) or not (role := text_of(message, "role")):
                raise TranscriptError("there is no role", field=f"{name}.role")
            parts = content_parts(message.get("content"), f"{name}.content")
            notes = {ANSWERS: True} if message.get(ANSWERS) is True else {}
            yield Turn(writable(role), parts, timestamp=moment, metadata=notes)


def _moment(text: Any, field: str, place: Place) -> datetime | None:
    """Return the time of a text such as "2023/05/20 (Sat) 02:21"."""
    try:
        return datetime.strptime(_WEEKDAY.sub(" ", str(text)), "%Y/%m/%d %H:%M")
    except ValueError:
        place.warn(f"{quote(text, 40)} is not a time such as '2023/05/20 (Sat) 02:21'; {UNTIMED}", field)
        return None
