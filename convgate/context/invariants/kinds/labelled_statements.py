"""The labelled statements that come with convgate, from which the model of kinds is made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

Kind = Literal["none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error"]

KINDS: tuple[Kind, ...] = (
    "none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class LabelledStatement:
    """A sentence or list item of a user's, with the kind that a reader gives it."""

    text: str
    kind: Kind
    hand: str  # who wrote it: the file's name


@cache
def packaged_statements() -> tuple[LabelledStatement, ...]:
    """All labelled statements, file by file."""
    found = []
    for file in sorted((files(__package__) / "labelled").iterdir(), key=lambda one: one.name):
        if file.name.endswith(".jsonl"):
            for line in file.read_text(encoding="utf-8").splitlines():
                value = json.loads(line)
                assert value["kind"] in KINDS, line
                found.append(
                    LabelledStatement(value["text"], value["kind"], file.name.removesuffix(".jsonl"))
                )
    return tuple(found)


def statements_hash(statements: Sequence[LabelledStatement]) -> str:
    """Stands for the statements and their kinds, in their order; SHA-256."""
    text = json.dumps([(one.text, one.kind) for one in statements])
    return hashlib.sha256(text.encode()).hexdigest()
