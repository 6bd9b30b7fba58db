"""Checks of the labels of a file, entry by entry, before anything is stored."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from convgate.core.errors import StoreError, TranscriptError
from convgate.core.text import pluralize, quote
from convgate.messages.tokens import turn_tokens
from convgate.store import ADJUDICATED, CurrentKey, Entry, Labels, NewConversation, Store
from convgate.store.conversations import title_of
from convgate.store.label_log import ANSWERS, AnnotatorKind, check_annotator, normalize_time
from convgate.transcripts.json_text import kind as kind_of_value
from convgate.transcripts.problems import Problems, Report

NO_ANNOTATOR = (
    "the annotator is missing. Name the person who gave these answers (--annotator NAME, or Annotator on the"
    " Label page)"
)
NO_CONVERSATION = "the conversation is missing: name one of the library (--conversation KEY, or in the app)"

_Place = tuple[CurrentKey, int, str]  # message, turn, annotator


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation that a file has labels of."""

    key: str
    title: str
    labels: int
    new: bool  # whether the library does not have it yet


@dataclass(frozen=True, slots=True)
class Import:
    """The labels of a file; nothing is stored until `keep_labels`."""

    name: str  # of the file
    format: str
    entries: tuple[Entry, ...]
    new: tuple[NewConversation, ...]  # conversations that are added with their labels
    conversations: tuple[ImportedConversation, ...]
    annotators: Mapping[str, int]  # number of answers by annotator
    known: int  # entries that the library has already
    replaced: int  # entries that replace another answer of the same annotator
    problems: Problems  # what is left out, by line

    @property
    def added(self) -> int:
        """Entries about what the annotator has not answered yet."""
        return len(self.entries) - self.known - self.replaced


class Collector:
    """Collects the entries of a file and reports those that are invalid."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._entries: dict[_Place, tuple[Entry, int]] = {}  # with their lines

    def add(self, line: int, stop: int, entry: Entry, field: str | None = None) -> None:
        """Add an entry of a line, or report why it is invalid.

        stop: how many turns are before the message. field: where it is in the line.
        """
        try:
            _check(entry, stop)
            first, first_line = self._entries.setdefault(_place(entry), (entry, line))
            if first.value != entry.value:
                raise TranscriptError(
                    f"{quote(entry.value)} contradicts {quote(first.value)} in line {first_line}"
                )
        except TranscriptError as error:
            path = ".".join(filter(None, (field, error.field)))
            self._report.error(error.problem, line=line, field=path or None)
        except StoreError as error:
            self._report.error(str(error), line=line, field=field)

    def entries(self) -> tuple[Entry, ...]:
        """Return the valid entries in the order of the file."""
        return tuple(entry for entry, _ in self._entries.values())


def parse_label(current: CurrentKey, fields: Mapping[str, Any]) -> Entry:
    """Return the answer of one label; TranscriptError names the field that is invalid.

    fields: annotator, kind, turn, answer, version and at.
    """
    annotator = parse_text(fields, "annotator")
    if annotator is None:
        raise TranscriptError(NO_ANNOTATOR, field="annotator")
    turn = fields.get("turn")
    if not isinstance(turn, int) or isinstance(turn, bool) or turn < 0:
        raise TranscriptError(f"expected a whole number, 0 or more, got {quote(turn)}", field="turn")
    kind = parse_text(fields, "kind") or ("adjudication" if annotator == ADJUDICATED else "person")
    if kind not in get_args(AnnotatorKind):
        kinds = ", ".join(get_args(AnnotatorKind))
        raise TranscriptError(f"a kind is one of {kinds}; got {quote(kind)}", field="kind")
    at, version = parse_text(fields, "at"), parse_text(fields, "version")
    if at is not None:
        try:
            at = normalize_time(at)
        except StoreError as error:
            raise TranscriptError(str(error), field="at") from error
    answer = parse_text(fields, "answer")
    if not answer:
        raise TranscriptError("an answer is needed", field="answer")
    return Entry(current, turn, annotator, answer, at, version, cast(AnnotatorKind, kind))


def parse_text(fields: Mapping[str, Any], name: str) -> str | None:
    """Return a text of a JSON object; None when it is missing; TranscriptError when it is something else."""
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise TranscriptError(f"expected a text, got {kind_of_value(value)}", field=name)


def _check(entry: Entry, stop: int) -> None:
    """Raise TranscriptError or StoreError unless an entry is valid. stop: turns before the message."""
    if not 0 <= entry.turn < stop:
        raise TranscriptError(
            f"turn {entry.turn} is not before the message; {stop} turns are, from 0", field="turn"
        )
    if (entry.kind == "adjudication") != (entry.annotator == ADJUDICATED):
        raise TranscriptError(
            f"the kind adjudication and the annotator {ADJUDICATED!r} belong together", field="kind"
        )
    if entry.kind != "adjudication":
        check_annotator(entry.annotator)
    if entry.value not in ANSWERS:
        raise TranscriptError(
            f"an answer is one of {', '.join(ANSWERS)}; got {quote(entry.value)}", field="answer"
        )


def close_import(
    store: Store,
    report: Report,
    format: str,
    entries: tuple[Entry, ...],
    new: Mapping[str, NewConversation],
    *,
    skip_bad: bool,
) -> Import:
    """Return what was read, compared with the library. new: conversations to add, by key.

    Raises BadLinesError when something is left out without `skip_bad`, or nothing is left.
    """
    problems = report.close(pluralize(len(entries), "label") if entries else None, skip_bad=skip_bad)
    if not entries:
        raise TranscriptError("the file has no labels", file=report.file)
    by_conversation = Counter(entry.current.conversation for entry in entries)
    with store.read() as db:
        titles = dict(db.execute("SELECT key, title FROM conversations WHERE deleted_at IS NULL").fetchall())
    titles |= {key: item.title or title_of(item.conversation) for key, item in new.items()}
    stored = {_place(entry): entry.value for key in by_conversation for entry in Labels(store).entries(key)}
    before = [stored.get(_place(entry)) for entry in entries]
    n_known = sum(answer == entry.value for answer, entry in zip(before, entries, strict=True))
    return Import(
        name=report.file,
        format=format,
        entries=entries,
        # Tokens are counted here and not in `keep_labels`, where nobody else can write meanwhile.
        new=tuple(
            replace(item, tokens=int(turn_tokens(item.conversation.turns).sum()))
            for key, item in new.items()
            if key in by_conversation
        ),
        conversations=tuple(
            ImportedConversation(key, titles[key], count, key in new)
            for key, count in by_conversation.items()
        ),
        annotators=Counter(entry.annotator for entry in entries),
        known=n_known,
        replaced=sum(answer is not None for answer in before) - n_known,
        problems=problems,
    )


def _place(entry: Entry) -> _Place:
    return entry.current, entry.turn, entry.annotator
