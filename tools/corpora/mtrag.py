"""MTRAG-UN: people's questions to an assistant that answers from documents.

Source: github.com/IBM/mt-rag-benchmark, `mtragun-human/generation_tasks/reference.jsonl`, Apache-2.0;
Rosenthal et al., "MTRAG-UN: A Benchmark for Open Challenges in Multi-Turn RAG Conversations".

A conversation is on one line for each of its turns that is a task; its longest line counts, the input with
the answer (targets) behind it. The corpus says nothing of relevance, so its conversations have no cases;
woven into longer transcripts they have: relevant is what was said before in the same conversation.
"""

from __future__ import annotations

import json
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.cases import RelevanceSet
from tools.corpora.corpus import corpus_file

FILE = "mtragun-human/generation_tasks/reference.jsonl"

_ROLES = {"user": "user", "agent": "assistant"}


def read_mtrag(checkout: Path) -> RelevanceSet:
    """Return the conversations of a checkout, without cases; `domain` is what weaving finds near ones by."""
    longest: dict[str, Conversation] = {}
    for line in corpus_file(checkout, FILE, "mtrag").read_text(encoding="utf-8").split("\n"):
        if not line:
            continue
        task = json.loads(line)
        said = [*task["input"], *task["targets"]]
        turns = tuple(Turn.of(_ROLES[message["speaker"]], message["text"]) for message in said)
        id = f"mtrag-{task['conversation_id']}"
        if id not in longest or len(turns) > len(longest[id]):
            longest[id] = Conversation(id, turns, metadata={"domain": task["Collection"]})
    return RelevanceSet("mtrag", longest, ())
