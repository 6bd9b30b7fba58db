"""TREC CAsT 2020: questions to a search assistant, each with the earlier ones that it leans on.

Source: github.com/daltonj/treccastweb, `2020/automatic_evaluation_topics_annotated_v1.1.json`, MIT
licence; Dalton, Xiong and Callan, "TREC CAsT 2020: The Conversational Assistance Track Overview".

The conversation is a topic's questions as they were asked, all from the user. Relevant to a question are
the ones on which its wording or, through their results, its meaning depends: the union of
`query_turn_dependence` and `result_turn_dependence`. Cases begin with the third question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.json_text import Place
from convgate.transcripts.problems import Report
from tools.corpora.corpus import Gathering, corpus_file, document_items, list_of, object_of, text_of, whole_of

REPOSITORY = CORPORA["cast"].repository
FILE = "2020/automatic_evaluation_topics_annotated_v1.1.json"
FIRST_CASE = 2  # 0-based: the third question


def read_cast(path: Path, *, skip_bad: bool = False) -> RelevanceSet:
    """The relevance set of a checkout, or of the annotated topics file.

    Raises TranscriptError when the file cannot be read or, unless `skip_bad`, has a bad topic: no number,
    a question without text or with a number that another one has, a dependence on a question that does not
    come before.
    """
    file = corpus_file(path, FILE, REPOSITORY)
    report, gathering = Report(file.name), Gathering("cast2020")
    for _, topic, place in document_items(file, report):
        try:
            conversation, turns = _conversation(topic)
            gathering.add(conversation, _cases(conversation.id, turns, place))
        except TranscriptError as error:
            place.leave_out_all(error)
    return gathering.close([report], skip_bad=skip_bad)


def _conversation(topic: Any) -> tuple[Conversation, list[dict[str, Any]]]:
    number = whole_of(object_of(topic, "").get("number"), "number")
    turns = [
        object_of(turn, f"turn[{index}]") for index, turn in enumerate(list_of(topic.get("turn"), "turn"))
    ]
    questions = [
        Turn.of("user", text_of(turn.get("raw_utterance"), f"turn[{index}].raw_utterance"))
        for index, turn in enumerate(turns)
    ]
    numbers = [whole_of(turn.get("number"), f"turn[{index}].number") for index, turn in enumerate(turns)]
    if len(set(numbers)) < len(numbers):
        raise TranscriptError("two questions have the same number", field="turn")
    return Conversation(f"cast2020-{number}", tuple(questions)), turns


def _cases(id: str, turns: list[dict[str, Any]], place: Place) -> Iterator[Case]:
    """A case with a bad dependence is left out alone."""
    earlier = {turn["number"]: index for index, turn in enumerate(turns)}
    for index, turn in enumerate(turns[FIRST_CASE:], FIRST_CASE):
        with place.skip_bad_part():
            yield Case(f"{id}-{index}", id, index, None, frozenset(_dependences(turn, index, earlier)))


def _dependences(turn: Mapping[str, Any], index: int, places: Mapping[int, int]) -> Iterator[int]:
    """0-based indices of the questions that this one depends on."""
    for key in ("query_turn_dependence", "result_turn_dependence"):
        field = f"turn[{index}].{key}"
        named = turn.get(key, [])
        for number in named if isinstance(named, list) else [named]:
            place = places.get(whole_of(number, field))
            if place is None or place >= index:
                raise TranscriptError(f"there is no question {number} before this one", field=field)
            yield place
