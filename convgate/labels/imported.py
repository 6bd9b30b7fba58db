"""What a file of labels says, checked entry by entry before anything of it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast, get_args

from convgate.errors import StoreError, TranscriptError
from convgate.labels.spellings import answer_meant, in_words
from convgate.messages.tokens import turn_tokens
from convgate.store import ADJUDICATED, WHOLE, Entry, NewConversation, SituationKey, Status, Store
from convgate.store.conversations import title_of
from convgate.store.label_log import ANSWERS, AnnotatorKind, check_annotator, checked_time
from convgate.transcripts.json_text import kind as kind_of_value
from convgate.transcripts.problems import Problems, Report

NAMELESS = (
    'it does not say who answered. Name the annotator (--annotator NAME, or "Whose answers" on the Label'
    " page): the answers stand under that name on the Label page and in `convgate labels`"
)

_Place = tuple[SituationKey, int, str, str]  # message, turn, annotator, answer or note


@dataclass(frozen=True, slots=True)
class ImportedConversation:
    """A conversation that a file has labels of."""

    key: str
    title: str
    labels: int  # answers and notes
    new: bool  # the library does not have it yet


@dataclass(frozen=True, slots=True)
class Import:
    """What a file says; nothing of it is kept until `keep_labels`."""

    name: str  # of the file
    format: str
    entries: tuple[Entry, ...]
    new: tuple[NewConversation, ...]  # conversations that are added with their labels
    conversations: tuple[ImportedConversation, ...]
    annotators: Mapping[str, int]  # how many answers and notes are whose
    known: int  # of them, what the annotator says already
    replaced: int  # of them, in the place of something else that the annotator says now
    problems: Problems  # what is left out, by line

    @property
    def added(self) -> int:
        """How many of them are about what the annotator says nothing of yet."""
        return len(self.entries) - self.known - self.replaced


class Collector:
    """Takes a file's entries and sorts out those that cannot be."""

    def __init__(self, report: Report, store: Store, time: str = "at") -> None:
        self._report, self._time = report, time  # time: what the file calls it
        with store.read() as db:
            self._kinds: dict[str, str] = dict(db.execute("SELECT name, kind FROM annotators").fetchall())
        self._names: set[str] = set()
        self._taken: dict[_Place, tuple[int, Entry]] = {}
        self._disputed: set[_Place] = set()

    def add(self, line: int, stop: int, entry: Entry, field: str | None = None) -> None:
        """Take an entry, or note why not. stop: how many turns are before the message."""
        try:
            entry = self._checked(entry, stop)
        except (TranscriptError, StoreError) as error:
            problem = error.problem if isinstance(error, TranscriptError) else str(error)
            own = error.field if isinstance(error, TranscriptError) else None
            self._report.error(problem, line=line, field=".".join(filter(None, (field, own))) or None)
            return
        place = (entry.situation, entry.turn, entry.annotator, entry.what)
        first, held = self._taken.setdefault(place, (line, entry))
        if held.value == entry.value:
            return
        if place not in self._disputed:
            self._dispute(first, field, held, line, entry)
        self._dispute(line, field, entry, first, held)
        self._disputed.add(place)

    def entries(self) -> tuple[Entry, ...]:
        """What was taken, in the order of the file."""
        return tuple(entry for place, (_, entry) in self._taken.items() if place not in self._disputed)

    def _dispute(self, line: int, field: str | None, entry: Entry, other: int, said: Entry) -> None:
        turn = "the message as a whole" if entry.turn == WHOLE else f"turn {entry.turn}"
        self._report.error(
            f"{entry.annotator} says {_said(entry)} of {turn} here and {_said(said)} in line {other};"
            " neither is taken",
            line=line,
            field=field,
        )

    def _checked(self, entry: Entry, stop: int) -> Entry:
        if entry.turn != WHOLE and not 0 <= entry.turn < stop:
            turns = f"turns 0 to {stop - 1} are" if stop else "no turn is"
            raise TranscriptError(
                f"turn {entry.turn} is no earlier turn of this message: {turns}", field="turn"
            )
        value = entry.value
        if entry.what == "answer":
            value = answer_meant(value or "")
            allowed = get_args(Status) if entry.turn == WHOLE else ANSWERS
            if value not in allowed:
                whole = " for the message as a whole, where no turn is named," if entry.turn == WHOLE else ""
                raise TranscriptError(
                    f"an answer{whole} is one of {', '.join(map(in_words, allowed))};"
                    f" got {_short(entry.value)}",
                    field="answer",
                )
        if entry.annotator not in self._names:
            self._check_annotator(entry)
        if self._kinds[entry.annotator] != entry.kind:
            raise TranscriptError(
                f"{entry.annotator!r} is of the kind {self._kinds[entry.annotator]}, not {entry.kind}",
                field="kind",
            )
        if entry.at is None and value == entry.value:
            return entry
        return _with(entry, value, None if entry.at is None else self._checked_time(entry.at))

    def _checked_time(self, text: str) -> str:
        try:
            return checked_time(text)
        except StoreError as error:
            raise TranscriptError(
                f"{error}; an empty time is accepted: that of the import", field=self._time
            ) from error

    def _check_annotator(self, entry: Entry) -> None:
        if (entry.kind == "adjudication") != (entry.annotator == ADJUDICATED):
            raise TranscriptError(
                f"the kind adjudication and the annotator {ADJUDICATED!r} belong together", field="kind"
            )
        if entry.kind != "adjudication":
            check_annotator(entry.annotator)
        self._kinds.setdefault(entry.annotator, entry.kind)
        self._names.add(entry.annotator)


def kind_of(value: Any, annotator: str) -> AnnotatorKind:
    """The kind of an annotator as a file has it; TranscriptError when there is no such kind."""
    if value in (None, ""):
        return "adjudication" if annotator == ADJUDICATED else "person"
    if value not in get_args(AnnotatorKind):
        raise TranscriptError(
            f"a kind is one of {', '.join(get_args(AnnotatorKind))}; got {_short(value)}", field="kind"
        )
    return cast(AnnotatorKind, value)


def text_of(fields: Mapping[str, Any], name: str) -> str | None:
    """A text of a JSON object; None when it is not there; TranscriptError when it is something else."""
    value = fields.get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise TranscriptError(f"expected a text, got {kind_of_value(value)}", field=name)


def summed_up(
    store: Store,
    report: Report,
    format: str,
    entries: tuple[Entry, ...],
    new: Mapping[str, NewConversation],
    *,
    skip_bad: bool,
) -> Import:
    """What was read, counted and compared with what the library holds. new: by their keys.

    Raises BadLinesError when something is left out without `skip_bad`, or nothing is left.
    """
    labels = f"{len(entries):,} label{'s' * (len(entries) != 1)}" if entries else None
    problems = report.close(labels, skip_bad=skip_bad)
    if not entries:
        raise TranscriptError("there are no labels in it", file=report.file)
    by_conversation = Counter(entry.situation.conversation for entry in entries)
    with store.read() as db:
        titles = dict(db.execute("SELECT key, title FROM conversations WHERE deleted_at IS NULL").fetchall())
    titles |= {key: item.title or title_of(item.conversation) for key, item in new.items()}
    conversations = tuple(
        ImportedConversation(key, titles[key], count, key in new) for key, count in by_conversation.items()
    )
    found = Import(
        name=report.file,
        format=format,
        entries=entries,
        # Tokens are counted here and not when it is kept, for then nobody else can write.
        new=tuple(
            replace(item, tokens=int(turn_tokens(item.conversation.turns).sum()))
            for key, item in new.items()
            if key in by_conversation
        ),
        conversations=conversations,
        annotators=Counter(entry.annotator for entry in entries),
        known=0,
        replaced=0,
        problems=problems,
    )
    return compared(store, found)


def compared(store: Store, found: Import) -> Import:
    """The same, compared with what the library holds now."""
    held: dict[_Place, str] = {}
    with store.read() as db:
        present = {key for (key,) in db.execute("SELECT key FROM conversations WHERE deleted_at IS NULL")}
        for key in {entry.situation.conversation for entry in found.entries}:
            for table, value in (("labels", "answer"), ("label_notes", "note")):
                rows = db.execute(
                    f"""
                    SELECT situations.turn, question, said.turn, name, said.{value} FROM conversations
                    JOIN situations ON situations.conversation = conversations.number
                    JOIN {table} AS said ON said.situation = situations.number
                    JOIN annotators ON annotators.number = said.annotator WHERE key = ?
                    """,
                    [key],
                )
                for turn, question, earlier, name, said in rows:
                    held[SituationKey(key, turn, question), earlier, name, value] = said
    known = replaced = 0
    for entry in found.entries:
        said = held.get((entry.situation, entry.turn, entry.annotator, entry.what))
        known += said == entry.value
        replaced += said is not None and said != entry.value
    conversations = tuple(replace(one, new=one.new and one.key not in present) for one in found.conversations)
    return replace(found, known=known, replaced=replaced, conversations=conversations)


def _with(entry: Entry, value: str | None, at: str | None) -> Entry:
    # Not dataclasses.replace, which is several times as slow and called for every row.
    return Entry(
        entry.situation, entry.turn, entry.annotator, value, entry.what, at, entry.version, entry.kind
    )


def _said(entry: Entry) -> str:
    return in_words(entry.value or "") if entry.what == "answer" else _short(entry.value)


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else f"{shown[:59]}…"
