"""TIAGE: small talk of two people, with the turns at which the topic changes.

Source: github.com/HuiyuanXie/tiage, `data/personachat/anno/SPLIT/anno_SPLIT.json`, MIT licence; Xie et al.
2021, "TIAGE: A Benchmark for Topic-Shift Aware Dialog Modeling". The dialogues are from PersonaChat.

The speakers alternate, the first one has role user. Relevant to a turn are the ones since the present topic
was opened, by that turn included; where the turn itself opens a topic, nothing is. Cases begin with the
fourth turn.
"""

from __future__ import annotations

import json
from pathlib import Path

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.cases import Case, RelevanceSet
from tools.corpora.corpus import corpus_file

FIRST_CASE = 3  # 0-based: the fourth turn
OPENS = "1"  # label of a turn that opens a topic


def read_tiage(checkout: Path, *, split: str = "train") -> RelevanceSet:
    """Return the relevance set of a part of a checkout."""
    file = corpus_file(checkout, f"data/personachat/anno/{split}/anno_{split}.json", "tiage")
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for key, dialogue in json.loads(file.read_text(encoding="utf-8")).items():
        id, opened = f"tiage-{split}-{key}", 0
        texts = (text for text, _ in dialogue)
        turns = tuple(Turn.of(("user", "assistant")[index % 2], text) for index, text in enumerate(texts))
        conversations[id] = Conversation(id, turns)
        for index, (_, label) in enumerate(dialogue):
            opened = index if label == OPENS else opened
            if index >= FIRST_CASE:
                cases.append(Case(f"{id}-{index}", id, index, None, frozenset(range(opened, index))))
    return RelevanceSet(f"tiage.{split}", conversations, tuple(cases))
