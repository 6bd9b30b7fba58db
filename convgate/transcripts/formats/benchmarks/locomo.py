"""LoCoMo: very long conversations of two people, and questions with the turns that hold the answer.

Both speakers are people; the first one, `speaker_a`, has role user, the other role assistant. A photo stands
behind the words of its turn, as `[shares a photo: CAPTION]`. A case is a question put after the whole
conversation, tagged with its category; relevant are the turns that its evidence names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from convgate.core.conversation import ContentPart, Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.core.text import quote
from convgate.transcripts.cases import Case, CaseExport
from convgate.transcripts.characters import writable
from convgate.transcripts.fields import text_of
from convgate.transcripts.identity import given_id
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.timestamps import UNTIMED

_SESSION = re.compile(r"session_(\d{1,9})")
_DIA_ID = re.compile(r"D\d+:\d+")
_MOMENT = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


class LoCoMoFormat(CaseExport):
    """Samples with `conversation`, whose `session_1` and so on are lists of turns, and `qa`."""

    name = "locomo"
    label = "LoCoMo"

    def is_conversation(self, value: Mapping[str, Any]) -> bool:
        """Return whether it has a conversation of `speaker_a` and `speaker_b`."""
        conversation = value.get("conversation")
        return isinstance(conversation, Mapping) and "speaker_a" in conversation

    def conversation(self, value: Mapping[str, Any], place: Place) -> Conversation:
        """Return the sessions of a sample as one conversation."""
        id, said = given_id(value, "sample_id"), value["conversation"]
        turns: list[Turn] = []
        for _, session in sorted((int(match[1]), key) for key in said if (match := _SESSION.fullmatch(key))):
            turns += _session(said, session, place)
        return Conversation(f"locomo-{id}" if id else "", tuple(turns), format=self.name)

    def cases(self, value: Mapping[str, Any], conversation: Conversation, place: Place) -> Iterator[Case]:
        """Yield a case for every question with evidence."""
        indices = {turn.id: index for index, turn in enumerate(conversation.turns)}
        questions = value.get("qa")
        for number, question in enumerate(questions if isinstance(questions, list) else ()):
            field = f"qa[{number}]"
            if not isinstance(question, Mapping) or not (asked := text_of(question, "question")):
                place.leave_out(TranscriptError("there is no question", field=f"{field}.question"))
                continue
            relevant: set[int] = set()
            evidence = question.get("evidence")
            for entry, named in enumerate(evidence if isinstance(evidence, list) else ()):
                for dia_id in _DIA_ID.findall(str(named)) or [str(named)]:
                    if dia_id in indices:
                        relevant.add(indices[dia_id])
                    else:
                        place.warn(f"no turn is {quote(dia_id, 40)}; left out", f"{field}.evidence[{entry}]")
                        place.report.omit("reference to no turn")
            if relevant:
                tags = (f"category-{question.get('category')}",)
                query = Turn.of("user", writable(asked))
                id = f"{conversation.id}-q{number}"
                yield Case(id, conversation.id, None, query, frozenset(relevant), tags=tags)
            else:
                place.report.omit("question without evidence")


def _session(said: Mapping[str, Any], session: str, place: Place) -> Iterator[Turn]:
    field = f"conversation.{session}"
    moment = _moment(said, f"{session}_date_time", place)
    turns = said[session]
    if not isinstance(turns, list):
        place.leave_out(TranscriptError(f"expected a list of turns, got {kind(turns)}", field=field))
        return
    for index, turn in enumerate(place.report.watch(turns, "turns of a session")):
        with place.skip_bad_part():
            if not isinstance(turn, Mapping) or not (name := text_of(turn, "speaker")):
                raise TranscriptError("there is no speaker", field=f"{field}[{index}].speaker")
            if not isinstance(turn.get("text"), str):
                raise TranscriptError("the turn has no text", field=f"{field}[{index}].text")
            role = "assistant" if name == said.get("speaker_b") else "user"
            parts = (ContentPart("text", writable(text)),) if (text := _text(turn)) else ()
            yield Turn(role, parts, id=given_id(turn, "dia_id"), name=writable(name), timestamp=moment)


def _text(turn: Mapping[str, Any]) -> str:
    text, caption = str(turn["text"]), text_of(turn, "blip_caption")
    if not caption and not turn.get("img_url"):
        return text
    photo = f"[shares a photo: {caption}]" if caption else "[shares a photo]"
    return f"{text} {photo}" if text else photo


def _moment(said: Mapping[str, Any], key: str, place: Place) -> datetime | None:
    try:
        return datetime.strptime(text_of(said, key) or "", _MOMENT)
    except ValueError:
        got = quote(said.get(key), 40)
        place.warn(f"{got} is not a time such as '1:56 pm on 8 May, 2023'; {UNTIMED}", f"conversation.{key}")
        return None
