"""Written messages of which it is known whether they need something said before them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files as package_files
from typing import Any, NamedTuple

from convgate.training.sets import read_packed

_NEEDS = {"generic": True, "new": False, "thanks": False}  # by the kind of a phrase


class LabelledMessage(NamedTuple):
    """A message, and whether it needs something said before it."""

    text: str
    needs: bool
    writer: str


@cache
def read_written(name: str) -> tuple[Mapping[str, Any], ...]:
    """Return the objects of a packed file of texts that come with convgate: `phrases` or `artifacts`."""
    packed = package_files("convgate.training").joinpath("texts", f"{name}.jsonl.gz").read_bytes()
    return tuple(map(json.loads, gzip.decompress(packed).decode().splitlines()))


@cache
def labelled_messages() -> tuple[LabelledMessage, ...]:
    """Return the users' messages of the written chats, and phrases and references that stand alone."""
    (chats,) = read_packed("chats.train.")
    messages = [
        LabelledMessage(
            chats.current(case)[0].turn.scored_text,
            bool(case.must_have),
            str(chats.conversations[case.conversation].metadata["writer"]),
        )
        for case in chats.cases
    ]
    messages += [
        LabelledMessage(line["text"], _NEEDS[line["kind"]], f"phrases {line['writer']}")
        for line in read_written("phrases")
        if line["kind"] in _NEEDS
    ]
    messages += [
        LabelledMessage(text, needs=True, writer=f"phrases {line['writer']}")
        for line in read_written("artifacts")
        for text in line["references"]
    ]
    return tuple(messages)
