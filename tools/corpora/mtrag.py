"""MTRAG-UN: people's questions to an assistant that answers from documents.

Source: github.com/IBM/mt-rag-benchmark, `mtragun-human/generation_tasks/reference.jsonl`, Apache-2.0;
Rosenthal et al., "MTRAG-UN: A Benchmark for Open Challenges in Multi-Turn RAG Conversations".

A conversation is on one line for each of its turns that is a task; its longest line counts, the input with
the answer (targets) behind it. The corpus says nothing of relevance, so its conversations have no cases;
woven into longer transcripts they have: relevant is what was said before in the same conversation.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TranscriptError
from convgate.training.corpora import CORPORA
from convgate.transcripts.cases import RelevanceSet
from convgate.transcripts.problems import Report
from tools.corpora.corpus import Gathering, corpus_file, line_values, list_of, object_of, text_of

REPOSITORY = CORPORA["mtrag"].repository
FILE = "mtragun-human/generation_tasks/reference.jsonl"
DOMAIN = "domain"
"""Metadata of a conversation: the collection of documents it is about, by which weaving finds near ones."""

_ROLES = {"user": "user", "agent": "assistant"}


def read_mtrag(path: Path, *, skip_bad: bool = False) -> RelevanceSet:
    """The conversations of a checkout, or of the file reference.jsonl, without cases.

    Raises TranscriptError when the file cannot be read or, unless `skip_bad`, has a bad line: broken JSON,
    no id, a speaker who is neither user nor agent, a turn without text.
    """
    file = corpus_file(path, FILE, REPOSITORY)
    report, gathering = Report(file.name), Gathering("mtrag")
    longest: dict[str, Conversation] = {}
    for task, place in line_values(file, report):
        try:
            conversation = _conversation(task)
            known = longest.get(conversation.id)
            if known is None or len(conversation) > len(known):
                longest[conversation.id] = conversation
        except TranscriptError as error:
            place.leave_out_all(error)
    for conversation in longest.values():
        gathering.add(conversation, ())
    return gathering.close([report], skip_bad=skip_bad)


def _conversation(task: Any) -> Conversation:
    id = text_of(object_of(task, "").get("conversation_id"), "conversation_id")
    collection = text_of(task.get("Collection"), "Collection")
    turns = tuple(
        _turn(said, f"{key}[{index}]")
        for key in ("input", "targets")
        for index, said in enumerate(list_of(task.get(key), key))
    )
    return Conversation(f"mtrag-{id}", turns, metadata={DOMAIN: collection})


def _turn(message: Any, field: str) -> Turn:
    speaker = text_of(object_of(message, field).get("speaker"), f"{field}.speaker")
    if speaker not in _ROLES:
        raise TranscriptError(
            f"the speaker is {speaker!r}; there are {' and '.join(_ROLES)}", field=f"{field}.speaker"
        )
    return Turn.of(_ROLES[speaker], text_of(message.get("text"), f"{field}.text"))
