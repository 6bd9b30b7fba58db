"""Benchmarks whose evidence becomes relevance cases: LoCoMo and LongMemEval.

LoCoMo has very long conversations of two people: the first one, `speaker_a`, has role user, the other role
assistant. A photo stands behind the words of its turn, as `[shares a photo: CAPTION]`. A case is a question
put after the whole conversation, tagged with its category; relevant are the turns that its evidence names.

LongMemEval has a conversation for each question: its sessions by their dates. A case is the question put
after all of them, tagged with its type, and with `abstention` when no turn can answer it; relevant are the
turns with `has_answer`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import quote
from convgate.transcripts.cases import Case
from convgate.transcripts.exports import ConversationExport, ReadMessage, list_in, read_messages
from convgate.transcripts.fields import mapping_of, text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place
from convgate.transcripts.openai_messages import content_parts
from convgate.transcripts.timestamps import UNTIMED

_SESSION, _DIA_ID = re.compile(r"session_(\d{1,9})"), re.compile(r"D\d+:\d+")
_WEEKDAY = re.compile(r"\s*\([^()]{1,20}\)\s*")
_ANSWERS, _ABSTENTION = "has_answer", "_abs"


class LoCoMoFormat(ConversationExport):
    """Samples with `conversation`, whose `session_1` and so on are lists of turns, and `qa`."""

    name = "locomo"
    label = "LoCoMo"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has a conversation of `speaker_a` and `speaker_b`."""
        return "speaker_a" in mapping_of(value, "conversation")

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the sessions of a sample as one conversation."""
        id, said = given_id(value, "sample_id"), value["conversation"]

        def turns_of(turn: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
            if not (name := text_of(turn, "speaker")):
                raise TranscriptError("there is no speaker", field=f"{field}.speaker")
            if not isinstance(turn.get("text"), str):
                raise TranscriptError("the turn has no text", field=f"{field}.text")
            role = "assistant" if name == said.get("speaker_b") else "user"
            parts = (ContentPart("text", text),) if (text := _text_with_photo(turn)) else ()
            yield Turn(role, parts, id=given_id(turn, "dia_id"), name=name, timestamp=moment)

        turns: list[Turn] = []
        for _, session in sorted((int(match[1]), key) for key in said if (match := _SESSION.fullmatch(key))):
            time, key = said.get(f"{session}_date_time"), f"conversation.{session}_date_time"
            moment = _moment(time, "%I:%M %p on %d %B, %Y", "1:56 pm on 8 May, 2023", key, place)
            turns += _session_turns(value, f"conversation.{session}", place, turns_of)
        return Conversation(f"locomo-{id}" if id else "", tuple(turns), format=self.name)

    def cases(self, value: Mapping[str, Any], conversation: Conversation, place: Place) -> Iterator[Case]:
        """Yield a case for every question with evidence; what is no turn is a warning."""
        indices = {turn.id: index for index, turn in enumerate(conversation.turns)}
        questions = value.get("qa")
        for number, question in enumerate(questions if isinstance(questions, list) else ()):
            with place.skip_bad_part():
                yield from self._question_cases(question, number, conversation.id, indices, place)

    @staticmethod
    def _question_cases(
        question: Any, number: int, id: str, indices: Mapping[str | None, int], place: Place
    ) -> Iterator[Case]:
        field, asked, relevant = f"qa[{number}]", text_of(question, "question"), set[int]()
        if not asked:
            raise TranscriptError("there is no question", field=f"{field}.question")
        evidence = question.get("evidence")
        for entry, named in enumerate(evidence if isinstance(evidence, list) else ()):
            for dia_id in _DIA_ID.findall(str(named)) or [str(named)]:
                if dia_id in indices:
                    relevant.add(indices[dia_id])
                else:
                    place.warn(f"no turn is {quote(dia_id, 40)}; left out", f"{field}.evidence[{entry}]")
                    place.report.omit("reference to no turn")
        if not relevant:
            place.report.omit("question without evidence")
            return
        tags, query = (f"category-{question.get('category')}",), Turn.of("user", asked)
        yield Case(f"{id}-q{number}", id, None, query, frozenset(relevant), tags=tags)


def _text_with_photo(turn: Mapping[str, Any]) -> str:
    text, caption = str(turn["text"]), text_of(turn, "blip_caption")
    if not caption and not turn.get("img_url"):
        return text
    photo = f"[shares a photo: {caption}]" if caption else "[shares a photo]"
    return f"{text} {photo}" if text else photo


class LongMemEvalFormat(ConversationExport):
    """Questions with `haystack_sessions`."""

    name = "longmemeval"
    label = "LongMemEval"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has `haystack_sessions` and the id of a question."""
        return isinstance(value.get("haystack_sessions"), list) and "question_id" in value

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the sessions of a question as one conversation, the earliest first."""

        def turns_of(message: Mapping[str, Any], field: str, place: Place) -> Iterator[Turn]:
            if not (role := text_of(message, "role")):
                raise TranscriptError("there is no role", field=f"{field}.role")
            parts = content_parts(message.get("content"), f"{field}.content")
            notes = {_ANSWERS: True} if message.get(_ANSWERS) is True else {}
            yield Turn(role, parts, timestamp=moment, metadata=notes)

        dates, sessions = value.get("haystack_dates"), []
        for index, session in enumerate(value["haystack_sessions"]):
            date = dates[index] if isinstance(dates, list) and index < len(dates) else None
            moment = _day(date, f"haystack_dates[{index}]", place)
            field = f"haystack_sessions[{index}]"
            sessions.append((moment, list(_session_turns({field: session}, field, place, turns_of))))
        if all(moment for moment, _ in sessions):
            sessions.sort(key=lambda session: session[0] or datetime.min)
        turns = tuple(turn for _, session in sessions for turn in session)
        return Conversation(given_id(value, "question_id") or "", turns, format=self.name)

    def cases(self, value: Mapping[str, Any], conversation: Conversation, place: Place) -> Iterator[Case]:
        """Yield the case of the question."""
        asked, type_ = text_of(value, "question"), text_of(value, "question_type")
        if not asked:
            raise TranscriptError("there is no question", field="question")
        relevant = {index for index, turn in enumerate(conversation.turns) if turn.metadata.get(_ANSWERS)}
        is_abstention = conversation.id.endswith(_ABSTENTION)
        if not relevant and not is_abstention:
            place.warn("no turn has the answer; the question is left out", "haystack_sessions")
            place.report.omit("question without evidence")
            return
        query = Turn.of("user", asked, timestamp=_day(value.get("question_date"), "question_date", place))
        tags = (*([type_] if type_ else []), *(["abstention"] if is_abstention else []))
        yield Case(f"{conversation.id}-q", conversation.id, None, query, frozenset(relevant), tags=tags)


def _session_turns(fields: Mapping[str, Any], path: str, place: Place, read: ReadMessage) -> Iterator[Turn]:
    """Yield the turns of the session at a path; one that is no list is left out."""
    with place.skip_bad_part():
        yield from read_messages(list_in(fields, path, ""), path, place, read)


def _day(text: Any, field: str, place: Place) -> datetime | None:
    cleaned = _WEEKDAY.sub(" ", text) if isinstance(text, str) else text
    return _moment(cleaned, "%Y/%m/%d %H:%M", "2023/05/20 (Sat) 02:21", field, place)


def _moment(text: Any, form: str, example: str, field: str, place: Place) -> datetime | None:
    """Return the time of a text in a form of `strptime`; another one is a warning, with an example."""
    try:
        return datetime.strptime(str(text), form)
    except ValueError:
        place.warn(f"{quote(text, 40)} is not a time such as {example!r}; {UNTIMED}", field)
        return None
