"""LoCoMo: very long conversations of two people, and questions with the turns that hold the answer.

Source: github.com/snap-research/LoCoMo, `data/locomo10.json`, CC-BY-NC-4.0; Maharana et al. 2024,
"Evaluating Very Long-Term Conversational Memory of LLM Agents". The licence keeps it out of weights that
are handed on: it is for measuring only.

Both speakers are people; the first one, `speaker_a`, has role user. A photo stands behind the words of its
turn, as `[shares a photo: CAPTION]`. A case is a question put after the whole conversation, tagged with its
category; relevant are the turns that its evidence names. Evidence that names no turn is left out, and so is
a question without evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report
from convgate.transcripts.relevance_sets import Case, RelevanceSet
from tools.corpora.corpus import (
    Gathering,
    corpus_file,
    document_items,
    list_of,
    object_of,
    text_of,
    whole_of,
)

REPOSITORY = CORPORA["locomo"].repository
FILE = "data/locomo10.json"

_SESSION = re.compile(r"session_(\d+)")
_DIA_ID = re.compile(r"D\d+:\d+")
_MOMENT = "%I:%M %p on %d %B, %Y"  # 1:56 pm on 8 May, 2023


@dataclass
class _LeftOut:
    """What the questions of a sample name in vain."""

    evidence: int = 0
    questions: int = 0


def read_locomo(path: Path, *, skip_bad: bool = False) -> RelevanceSet:
    """The relevance set of a checkout, or of the file locomo10.json.

    Evidence that names no turn is a warning, and how much of it there is another. Raises TranscriptError
    when the file cannot be read or, unless `skip_bad`, has a bad sample: no id, an unknown speaker, a
    session without a time, two turns with one id, a question without text or category.
    """
    file = corpus_file(path, FILE, REPOSITORY)
    report, gathering = Report(file.name), Gathering("locomo")
    left_out = _LeftOut()
    for _, sample, place in document_items(file, report):
        try:
            id = f"locomo-{text_of(object_of(sample, '').get('sample_id'), 'sample_id')}"
            turns = dict(_turns(object_of(sample.get("conversation"), "conversation")))
            places = {dia_id: index for index, dia_id in enumerate(turns)}
            cases = list(_cases(id, list_of(sample.get("qa"), "qa"), places, place, left_out))
            gathering.add(Conversation(id, tuple(turns.values())), cases)
        except TranscriptError as error:
            place.leave_out_all(error)
    if left_out.evidence or left_out.questions:
        report.warn(
            f"left out in all: {left_out.evidence} entries of evidence that name no turn,"
            f" {left_out.questions} questions without evidence"
        )
    return gathering.close([report], skip_bad=skip_bad)


def _turns(conversation: Mapping[str, Any]) -> Iterator[tuple[str, Turn]]:
    """Every turn with its id such as `D1:3`, session by session."""
    roles = {
        text_of(conversation.get(key), f"conversation.{key}"): role
        for key, role in (("speaker_a", "user"), ("speaker_b", "assistant"))
    }
    seen = set()
    for number in sorted(int(match[1]) for key in conversation if (match := _SESSION.fullmatch(key))):
        session = f"session_{number}"
        moment = _moment(conversation.get(f"{session}_date_time"), f"conversation.{session}_date_time")
        for index, said in enumerate(list_of(conversation[session], f"conversation.{session}")):
            field = f"conversation.{session}[{index}]"
            dia_id = text_of(object_of(said, field).get("dia_id"), f"{field}.dia_id")
            if dia_id in seen:
                raise TranscriptError(f"another turn is {dia_id} already", field=f"{field}.dia_id")
            seen.add(dia_id)
            name = text_of(said.get("speaker"), f"{field}.speaker")
            if name not in roles:
                raise TranscriptError(
                    f"{name!r} is not one of the speakers, {' and '.join(roles)}", field=f"{field}.speaker"
                )
            yield dia_id, Turn.of(roles[name], _text(said, field), name=name, timestamp=moment)


def _text(said: Mapping[str, Any], field: str) -> str:
    text = said.get("text")
    if not isinstance(text, str):
        raise TranscriptError("the turn has no text", field=f"{field}.text")
    caption = said.get("blip_caption")
    if not caption and not said.get("img_url"):
        return text
    photo = f"[shares a photo: {caption}]" if caption else "[shares a photo]"
    return f"{text} {photo}" if text else photo


def _moment(text: Any, field: str) -> datetime:
    try:
        return datetime.strptime(text_of(text, field), _MOMENT)
    except ValueError:
        raise TranscriptError(
            f"{text!r} is not a time such as '1:56 pm on 8 May, 2023'", field=field
        ) from None


def _cases(
    id: str, questions: list[Any], places: Mapping[str, int], place: Place, left_out: _LeftOut
) -> Iterator[Case]:
    """A bad question is left out alone; `places` are the indices of turns by their id."""
    for index, question in enumerate(questions):
        field = f"qa[{index}]"
        try:
            asked = text_of(object_of(question, field).get("question"), f"{field}.question")
            category = whole_of(question.get("category"), f"{field}.category")
            entries = list_of(question.get("evidence"), f"{field}.evidence")
        except TranscriptError as error:
            place.leave_out(error)
            continue
        relevant = set()
        for number, entry in enumerate(entries):
            for dia_id in _DIA_ID.findall(str(entry)) or [str(entry)]:
                if dia_id in places:
                    relevant.add(places[dia_id])
                else:
                    place.warn(f"no turn is {dia_id!r}; left out", f"{field}.evidence[{number}]")
                    left_out.evidence += 1
        if relevant:
            query = Turn.of("user", asked)
            tags = (f"category-{category}",)
            yield Case(f"{id}-q{index}", id, None, query, frozenset(relevant), tags=tags)
        else:
            left_out.questions += 1
