"""The labelled messages that come with convgate, from which the classifier is made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from convgate.context.mode import MODES, Mode

_FOLDER = "messages"


@dataclass(frozen=True, slots=True)
class LabelledMessage:
    """A message with the mode that a reader gives it."""

    content: str
    mode: Mode
    hand: str  # who wrote it: the file's name


@cache
def packaged_messages() -> tuple[LabelledMessage, ...]:
    """All labelled messages, file by file."""
    found = []
    for file in sorted((files(__package__) / _FOLDER).iterdir(), key=lambda one: one.name):
        if file.name.endswith(".jsonl"):
            for line in file.read_text(encoding="utf-8").splitlines():
                value = json.loads(line)
                assert value["mode"] in MODES, line
                found.append(
                    LabelledMessage(value["content"], value["mode"], file.name.removesuffix(".jsonl"))
                )
    return tuple(found)


def messages_hash(messages: Sequence[LabelledMessage]) -> str:
    """Stands for the messages and their modes, in their order; SHA-256."""
    text = json.dumps([(one.content, one.mode) for one in messages])
    return hashlib.sha256(text.encode()).hexdigest()
