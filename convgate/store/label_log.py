"""The log of labels: what is said in it, and by whom."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from convgate.errors import StoreError
from convgate.store.faults import translate_decoding_errors

Answer = Literal["relevant", "not_relevant", "unsure"]
Status = Literal["done", "skipped"]  # of a message as a whole, for one annotator
Kind = Literal["answer", "bulk", "status", "note", "adjudicate", "import", "feedback", "undo", "redo"]
AnnotatorKind = Literal["person", "agent", "adjudication"]

ANSWERS: tuple[Answer, ...] = get_args(Answer)
WHOLE = -1
"""In the place of an earlier turn: the message as a whole."""

ADJUDICATED = "adjudicated"
"""The annotator whose answers settle those of others; theirs are kept beside."""

LONGEST_NAME = 60  # characters


@dataclass(frozen=True, slots=True)
class SituationKey:
    """A message that was or is to be answered, in a conversation of the library."""

    conversation: str  # its key in the library
    turn: int | None  # 0-based; None when `question` is put after the last turn
    question: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that somebody says; a value of None takes back what they said before."""

    situation: SituationKey
    turn: int  # 0-based earlier turn, or WHOLE
    annotator: str  # whose answer it is
    value: str | None  # an Answer; a Status for WHOLE; any text for a note
    what: Literal["answer", "note"] = "answer"
    at: str | None = None  # when it was said, UTC in ISO 8601; None is now
    version: str | None = None  # of the gate that was shown
    kind: AnnotatorKind = "person"  # of the annotator


@dataclass(frozen=True, slots=True)
class Turned:
    """The action that an undo or redo is about."""

    kind: str
    origin: str  # a file's name, for an import
    whose: tuple[str, ...]  # the annotators whose answers and notes it changed, by name


@dataclass(frozen=True, slots=True)
class Saved:
    """What became of an action."""

    action: int | None  # its number; None when nothing changed, so nothing was stored
    at: datetime
    changed: int  # answers and notes that are different now
    situation: SituationKey | None = None  # the first that was touched
    turn: int = WHOLE  # there, the first turn that was touched
    kind: str = ""
    left: int = 0  # of an undo or redo: what was told anew since, and so stays
    deleted: str = ""  # title of the conversation that was touched, when it is deleted: nothing leads there
    turned: Turned | None = None  # of an undo or redo


def check_annotator(name: str) -> str:
    """The name of a person or an agent who labels; StoreError when it cannot be one."""
    if not name.strip() or name != name.strip() or len(name) > LONGEST_NAME or not name.isprintable():
        raise StoreError(
            f"an annotator's name has 1 to {LONGEST_NAME} characters on one line, without spaces around it;"
            f" got {name[:80]!r}"
        )
    if name.casefold() == ADJUDICATED:
        raise StoreError(f"{name!r} stands for what was adjudicated; choose another name")
    return name


def checked_time(text: str) -> str:
    """A moment in ISO 8601 as the log keeps it; StoreError when it is none, or has no time zone."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            raise StoreError(f"the time {text!r} does not say in which zone it is; add Z or an offset")
        return found.astimezone(UTC).isoformat(timespec="milliseconds")
    except (ValueError, OverflowError) as error:
        raise StoreError(f"{text!r} is not a time such as 2026-11-22T10:30:00Z") from error


def present() -> str:
    """The present moment, as the log keeps it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


@translate_decoding_errors("a time")
def moment(text: str) -> datetime:
    """A moment out of the log."""
    return datetime.fromisoformat(text)
