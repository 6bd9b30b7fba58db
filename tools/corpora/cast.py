"""TREC CAsT 2020: questions to a search assistant, each with the earlier ones that it leans on.

Source: github.com/daltonj/treccastweb, `2020/automatic_evaluation_topics_annotated_v1.1.json`, MIT
licence; Dalton, Xiong and Callan, "TREC CAsT 2020: The Conversational Assistance Track Overview".

The conversation is a topic's questions as they were asked, all from the user. Relevant to a question are
the ones on which its wording or, through their results, its meaning depends: the union of
`query_turn_dependence` and `result_turn_dependence`. Cases begin with the third question.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.cases import Case, RelevanceSet
from tools.corpora.corpus import corpus_file

FILE = "2020/automatic_evaluation_topics_annotated_v1.1.json"
FIRST_CASE = 2  # 0-based: the third question


def read_cast(checkout: Path) -> RelevanceSet:
    """Return the relevance set of a checkout."""
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for topic in json.loads(corpus_file(checkout, FILE, "cast").read_text(encoding="utf-8")):
        id, questions = f"cast2020-{topic['number']}", topic["turn"]
        turns = tuple(Turn.of("user", question["raw_utterance"]) for question in questions)
        conversations[id] = Conversation(id, turns)
        places = {question["number"]: index for index, question in enumerate(questions)}
        for index, question in enumerate(questions[FIRST_CASE:], FIRST_CASE):
            relevant = frozenset(places[number] for number in _dependences(question))
            cases.append(Case(f"{id}-{index}", id, index, None, relevant))
    return RelevanceSet("cast2020", conversations, tuple(cases))


def _dependences(question: Mapping[str, Any]) -> Iterator[int]:
    """Yield the numbers of the questions that this one depends on."""
    for key in ("query_turn_dependence", "result_turn_dependence"):
        named = question.get(key, [])
        yield from named if isinstance(named, list) else [named]
