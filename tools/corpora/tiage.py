"""TIAGE: small talk of two people, with the turns at which the topic changes.

Source: github.com/HuiyuanXie/tiage, `data/personachat/anno/SPLIT/anno_SPLIT.json`, MIT licence; Xie et al.
2021, "TIAGE: A Benchmark for Topic-Shift Aware Dialog Modeling". The dialogues are from PersonaChat.

The speakers alternate, the first one has role user. Relevant to a turn are the ones since the present topic
was opened, by that turn included; where the turn itself opens a topic, nothing is. Cases begin with the
fourth turn.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.problems import Report
from tools.corpora.corpus import Gathering, corpus_file, document_items, list_of, split_of, text_of

REPOSITORY = CORPORA["tiage"].repository
FIRST_CASE = 3  # 0-based: the fourth turn
FIRST, OPENS, GOES_ON = "-1", "1", "0"
"""Labels: the dialogue's first turn; a turn that opens a topic; one that goes on with it."""


def read_tiage(path: Path, *, split: str | None = None, skip_bad: bool = False) -> RelevanceSet:
    """The relevance set of a part of a checkout (train unless said), or of one part's file.

    Raises TranscriptError when the file cannot be read or, unless `skip_bad`, has a bad dialogue: a turn
    that is no pair of text and label, an unknown label.
    """
    wanted = split or "train"
    file = corpus_file(path, f"data/personachat/anno/{wanted}/anno_{wanted}.json", REPOSITORY)
    split = split_of(file, split)
    report, gathering = Report(file.name), Gathering(f"tiage.{split}")
    for key, dialogue, place in document_items(file, report):
        try:
            labelled = [_turn(pair, f"[{index}]") for index, pair in enumerate(list_of(dialogue, ""))]
            id = f"tiage-{split}-{key}"
            turns = tuple(
                Turn.of(("user", "assistant")[index % 2], text) for index, (text, _) in enumerate(labelled)
            )
            gathering.add(Conversation(id, turns), _cases(id, [label for _, label in labelled]))
        except TranscriptError as error:
            place.leave_out_all(error)
    return gathering.close([report], skip_bad=skip_bad)


def _turn(pair: Any, field: str) -> tuple[str, str]:
    if not isinstance(pair, list) or len(pair) != 2:
        raise TranscriptError("a turn is a list of its text and its label", field=field)
    text, label = text_of(pair[0], f"{field}[0]"), pair[1]
    if label not in (FIRST, OPENS, GOES_ON):
        raise TranscriptError(
            f"the label is {label!r}; there are '-1' for the first turn, '1' where a topic opens and '0'",
            field=f"{field}[1]",
        )
    return text, label


def _cases(id: str, labels: list[str]) -> list[Case]:
    cases, opened = [], 0
    for index, label in enumerate(labels):
        if label == OPENS:
            opened = index
        if index >= FIRST_CASE:
            cases.append(Case(f"{id}-{index}", id, index, None, frozenset(range(opened, index))))
    return cases
