"""Labels to write into files, and files with labels."""

from __future__ import annotations

import json
from dataclasses import replace

from convgate.core.conversation import Conversation, Turn
from convgate.labels.exchange import keep_labels, read_labels
from convgate.labels.imports import Import
from convgate.store import Conversations, Entry, Labels, NewConversation, Store
from convgate.transcripts import read_conversations
from convgate.transcripts.problems import Report
from convgate.transcripts.relevance_sets import RelevanceFormat
from convgate.transcripts.source import Source, source_of_bytes

MESSAGES = [{"role": "user" if i % 2 == 0 else "assistant", "content": f"talk {i}"} for i in range(8)]
TRANSCRIPTS = {
    "openai.json": json.dumps({"id": "a", "type": "chat", "title": "Tea", "messages": MESSAGES}),
    "tools.json": json.dumps(
        [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url"}]},
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
            ]},
            {"role": "tool", "tool_call_id": "c1", "content": "a cat", "extra": {"deep": [1, None]}},
            {"role": "user", "content": "=1+1 🐈", "timestamp": "2026-05-08T13:56:00+02:00"},
        ]
    ),
    "gpt.json": json.dumps(
        {"conversations": [{"from": "human", "value": "Hi"}, {"from": "gpt", "value": "Ho"}] * 3}
    ),
    "table.csv": "id,speaker,time,text,mood\n7,Nadia,2026-05-08,Hi,glad\n8,Bot,,Ho,\n9,Nadia,,So?,\n",
    "talk.md": "User: Where is it?\nAssistant: There.\nUser: Where?\nAssistant: East.\n",
    "set.jsonl": json.dumps({"type": "conversation", "id": "s", "note": 5, "messages": MESSAGES[:5]}),
}  # fmt: skip


def add(store: Store, name: str, turns: int = 8) -> str:
    talk = tuple(Turn.of("user" if i % 2 == 0 else "assistant", f"{name} {i}") for i in range(turns))
    (added,) = Conversations(store).add([NewConversation(Conversation(name, talk), "a test")])
    return added.key


def add_all(store: Store) -> list[str]:
    conversations = [
        conversation
        for name, text in TRANSCRIPTS.items()
        for conversation in read_conversations(text.encode(), name=name)
    ]
    return [added.key for added in Conversations(store).add(NewConversation(talk) for talk in conversations)]


def labels_of(data: bytes, name: str = "labels") -> Source:
    return source_of_bytes(data, Report(name))


def import_labels(data: bytes, store: Store, **options: str) -> Import:
    labels_import = read_labels(labels_of(data), store, **options)
    keep_labels(store, labels_import, by="Importer")
    return labels_import


def lines(*values: object) -> bytes:
    return "\n".join(json.dumps(value) for value in values).encode()


def labelled_set(store: Store, key: str, turn: int, *labels: object) -> bytes:
    """A relevance set with labels of one message of a conversation of the library."""
    conversation = replace(Conversations(store).get(key).conversation, id=key)
    case_line = json.dumps(case(conversation=key, turn=turn, labels=labels))
    return (RelevanceFormat().write(conversation, conversation.turns) + case_line).encode()


def label(annotator: str, turn: int, answer: str) -> dict[str, object]:
    return {"annotator": annotator, "turn": turn, "answer": answer}


def sorted_entries(store: Store) -> list[Entry]:
    return sorted(Labels(store).entries(), key=str)


def case(**fields: object) -> dict[str, object]:
    return {"type": "case", "id": "c", "conversation": "t", "turn": 6, "relevant": [0], **fields}


CONVERSATION_LINE = {"type": "conversation", "id": "t", "title": "Talk", "messages": MESSAGES}
