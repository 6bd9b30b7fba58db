"""Written messages of which it is known whether they need something said before them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from convgate.training.sets import read_packed

_NEEDS = {"generic": True, "new": False, "thanks": False}  # by the kind of a phrase


class LabelledMessage(NamedTuple):
    """A message, and what it needs; None where that is not known."""

    text: str
    needs: bool  # something said before it
    continues: bool | None  # the exchange just before
    returns: bool | None  # something said before that
    begins: bool | None  # whether it begins a subject
    writer: str


@cache
def read_written(name: str) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a packed file of texts: `phrases` or `artifacts`."""
    packed = Path(__file__).with_name("texts").joinpath(f"{name}.jsonl.gz").read_bytes()
    return tuple(map(json.loads, gzip.decompress(packed).decode().splitlines()))


@cache
def labelled_messages() -> tuple[LabelledMessage, ...]:
    """Return the users' messages of the written chats, and phrases and references that stand alone."""
    (chats,) = read_packed("chats.train.")
    messages = []
    needed_later = {(case.conversation, turn) for case in chats.cases for turn in case.must_have}
    for case in chats.cases:
        current, history = chats.current(case)
        is_just_before = [turn >= history.stop - 2 for turn in case.must_have]
        writer = str(chats.conversations[case.conversation].metadata["writer"])
        messages.append(
            LabelledMessage(
                current.turn.scored_text,
                needs=bool(is_just_before),
                continues=any(is_just_before),
                returns=not all(is_just_before),
                begins=False if is_just_before else (case.conversation, case.turn) in needed_later or None,
                writer=writer,
            )
        )
    messages += [
        LabelledMessage(
            line["text"],
            needs=needs,
            continues=needs,
            returns=False,
            begins=line["kind"] == "new",
            writer=f"phrases {line['writer']}",
        )
        for line in read_written("phrases")
        if (needs := _NEEDS.get(line["kind"])) is not None
    ]
    messages += [
        LabelledMessage(
            text, needs=True, continues=None, returns=None, begins=False, writer=f"phrases {line['writer']}"
        )
        for line in read_written("artifacts")
        for text in line["references"]
    ]
    return tuple(messages)
