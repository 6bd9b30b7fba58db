"""Reading the labels of a file: checked one by one, before anything is stored.

    {"type": "case", …, "relevant": [0], "judged": [0, 3], "labels": [{"annotator": "Ada", "turn": 0, …}]}

A case has the answers of all annotators beside its gold labels; other readers ignore `labels`. Lists of
relevant turns, as other tools write them, name neither annotator nor conversation; `current_text` is compared
with the conversation that is given.

    {"current_turn": 9, "current_text": "And …", "history_start": 0, "history_end": 9, "relevant_turns": [4]}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.core.errors import StoreError, TranscriptError
from convgate.core.text import pluralize, quote
from convgate.messages.tokens import turn_tokens
from convgate.store import (
    ADJUDICATED,
    Answer,
    Conversations,
    CurrentKey,
    Entry,
    Labels,
    NewConversation,
    Store,
    documents,
)
from convgate.store.conversations import title_of
from convgate.store.label_log import AnnotatorKind, check_annotator, normalize_time
from convgate.store.openings import PrefixIndex
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.problems import Problems, Report
from convgate.transcripts.relevance_sets import (
    SPLIT_GROUP,
    case_of_line,
    read_fields,
    read_set_lines,
    split_group_of,
)
from convgate.transcripts.source import Source

NO_ANNOTATOR = (
    "the annotator is missing. Name the person who gave these answers (--annotator NAME, or Annotator on the"
    " Label page)"
)
NO_CONVERSATION = "the conversation is missing: name one of the library (--conversation KEY, or in the app)"


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


class _LabelFields(BaseModel):
    """An answer of an annotator, in the `labels` of a case."""

    model_config = ConfigDict(strict=True)
    annotator: Annotated[str, Field(min_length=1)]
    turn: NonNegativeInt
    answer: Answer
    kind: AnnotatorKind | None = None
    at: str | None = None
    version: str | None = None


class _TurnList(BaseModel):
    """A line of another tool: turns of the history that are not listed are not relevant."""

    model_config = ConfigDict(strict=True)
    current_turn: NonNegativeInt
    relevant_turns: list[NonNegativeInt]
    current_text: str | None = None
    history_start: NonNegativeInt = 0
    history_end: NonNegativeInt | None = None  # None: `current_turn`


def read_relevance_file(source: Source, store: Store, *, annotator: str | None, skip_bad: bool) -> Import:
    """Return the labels of a set, and the conversations that the library does not have.

    annotator: whose answers the judged turns of a case without `labels` are.
    """
    conversations, cases = read_set_lines(source)
    queried = {
        value["conversation"]
        for value, _ in cases
        if isinstance(value.get("query"), Mapping) and isinstance(value["conversation"], str)
    }
    if annotator is None and cases and not any("labels" in value for value, _ in cases):
        raise TranscriptError(NO_ANNOTATOR, file=source.report.file)
    keys, new = _match_library(store, conversations, queried, source.report.file)
    collector = _Collector(source.report)
    for value, place in source.report.watch(cases, "cases"):
        with place.skip_bad_value():
            case = case_of_line(value, conversations)
            question = "" if case.query is None else case.query.text
            if case.query is not None and not question.strip():
                raise TranscriptError("the question has no text", field="query")
            current = CurrentKey(keys[case.conversation], case.turn, question)
            stop = len(conversations[case.conversation]) if case.turn is None else case.turn
            if "labels" in value:
                collector.add_labels(current, value["labels"], stop, place)
                continue
            start = 0 if case.window is None else max(0, stop - case.window)
            judged = range(start, stop) if case.judged is None else sorted(case.judged)
            collector.add_judged(current, judged, case.relevant, annotator, place)
    return collector.close(store, "relevance-set", new, skip_bad=skip_bad)


def read_turn_lists(
    source: Source, store: Store, *, annotator: str | None, conversation: str | None, skip_bad: bool
) -> Import:
    """Return the labels of lists of relevant turns, all about the conversation with that key."""
    if annotator is None:
        raise TranscriptError(NO_ANNOTATOR, file=source.report.file)
    if conversation is None:
        raise TranscriptError(NO_CONVERSATION, file=source.report.file)
    stored = Conversations(store).get(conversation)
    collector = _Collector(source.report)
    for value, place in source.need_json().values():
        with place.skip_bad_value():
            line = read_fields(_TurnList, value)
            judged = _judged_turns(line, stored.conversation)
            current = CurrentKey(stored.summary.key, line.current_turn)
            collector.add_judged(current, judged, line.relevant_turns, annotator, place)
    return collector.close(store, "turn-lists", {}, skip_bad=skip_bad)


def _judged_turns(line: _TurnList, conversation: Conversation) -> range:
    """Return the turns that a list says something of; TranscriptError when the conversation has them not."""
    current, start = line.current_turn, line.history_start
    end = current if line.history_end is None else line.history_end
    if not start <= end <= current:
        raise TranscriptError(f"{start} to {end} is no range of turns before {current}", field="history_end")
    if current >= len(conversation):
        raise TranscriptError(
            f"turn {current}, but the conversation has {len(conversation)} turns", field="current_turn"
        )
    judged = range(start, end)
    for place, turn in enumerate(line.relevant_turns):
        if turn not in judged:
            problem = f"{turn} is not among the {len(judged)} turns of the history"
            raise TranscriptError(problem, field=f"relevant_turns[{place}]")
    text = " ".join((line.current_text or "").split())
    if not " ".join(conversation.turns[current].text.split()).startswith(text):
        raise TranscriptError(f"turn {current} of the conversation has another text", field="current_text")
    return judged


class _Collector:
    """Collects the entries of a file; what is invalid is left out and reported."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._entries: dict[tuple[CurrentKey, int, str], tuple[Entry, int]] = {}  # with their lines

    def add_labels(self, current: CurrentKey, labels: Any, stop: int, place: Place) -> None:
        """Add the `labels` of a case. stop: how many turns are before the message."""
        if not isinstance(labels, list):
            raise TranscriptError(f"expected a list of labels, got {kind(labels)}", field="labels")
        for number, value in enumerate(self._report.watch(labels, "labels of a case")):
            with place.skip_bad_value(), _naming(f"labels[{number}]"):
                label = read_fields(_LabelFields, value)
                if label.turn >= stop:
                    problem = f"turn {label.turn} is not before the message; {stop} turns are, from 0"
                    raise TranscriptError(problem, field="turn")
                is_adjudicated = label.annotator == ADJUDICATED
                role = label.kind or ("adjudication" if is_adjudicated else "person")
                if (role == "adjudication") != is_adjudicated:
                    problem = f"the kind adjudication and the annotator {ADJUDICATED!r} belong together"
                    raise TranscriptError(problem, field="kind")
                if not is_adjudicated:
                    check_annotator(label.annotator)
                with _naming("at"):
                    at = normalize_time(label.at) if label.at else None
                version = label.version or None
                entry = Entry(current, label.turn, label.annotator, label.answer, at, version, role)
                self._add(entry, place)

    def add_judged(
        self,
        current: CurrentKey,
        judged: Collection[int],
        relevant: Collection[int],
        annotator: str | None,
        place: Place,
    ) -> None:
        """Add the answers of an annotator who calls the relevant of the judged turns relevant."""
        if annotator is None:
            raise TranscriptError(NO_ANNOTATOR, field="labels")
        for turn in self._report.watch(judged, "turns of a case"):
            with place.skip_bad_value():
                answer: Answer = "relevant" if turn in relevant else "not_relevant"
                self._add(Entry(current, turn, annotator, answer), place)

    def _add(self, entry: Entry, place: Place) -> None:
        line = place.line or 1
        first, first_line = self._entries.setdefault(_key(entry), (entry, line))
        if first.value != entry.value:
            problem = f"{quote(entry.value)} contradicts {quote(first.value)} in line {first_line}"
            raise TranscriptError(problem)

    def close(
        self, store: Store, format: str, new: Mapping[str, NewConversation], *, skip_bad: bool
    ) -> Import:
        """Return what was read, compared with the library. new: conversations to add, by key.

        Raises BadLinesError when something is left out without `skip_bad`, or nothing is left.
        """
        entries = tuple(entry for entry, _ in self._entries.values())
        readable = pluralize(len(entries), "label") if entries else None
        problems = self._report.close(readable, skip_bad=skip_bad)
        if not entries:
            raise TranscriptError("the file has no labels", file=self._report.file)
        by_conversation = Counter(entry.current.conversation for entry in entries)
        with store.read() as db:
            titles = dict(
                db.execute("SELECT key, title FROM conversations WHERE deleted_at IS NULL").fetchall()
            )
        titles |= {key: item.title or title_of(item.conversation) for key, item in new.items()}
        stored = {_key(entry): entry.value for key in by_conversation for entry in Labels(store).entries(key)}
        before = [stored.get(_key(entry)) for entry in entries]
        n_known = sum(answer == entry.value for answer, entry in zip(before, entries, strict=True))
        return Import(
            name=self._report.file,
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


def _key(entry: Entry) -> tuple[CurrentKey, int, str]:
    return entry.current, entry.turn, entry.annotator


@contextmanager
def _naming(field: str) -> Iterator[None]:
    """Raise the errors of the block as TranscriptErrors, with the field before theirs."""
    try:
        yield
    except TranscriptError as error:
        path = ".".join(filter(None, (field, error.field)))
        raise TranscriptError(error.problem, field=path) from error
    except StoreError as error:
        raise TranscriptError(str(error), field=field) from error


def _match_library(
    store: Store, conversations: Mapping[str, Conversation], asked: Collection[str], file: str
) -> tuple[dict[str, str], dict[str, NewConversation]]:
    """Return the key of each conversation by its id in the file, and those to add, by key.

    A conversation is in the library when one there has the same turns. asked: ids of those that have a
    question after their last turn; the others may have more turns there.
    """
    keys: dict[str, str] = {}
    new: dict[str, NewConversation] = {}
    with store.read() as db:
        openings = PrefixIndex(db)
        for id, conversation in conversations.items():
            hashes = prefix_hashes(conversation.turns)
            key = openings.same(hashes)
            if key is None and id not in asked:
                key = openings.longer(hashes)
            if key is not None:
                keys[id] = key
                continue
            metadata = {name: value for name, value in conversation.metadata.items() if name != SPLIT_GROUP}
            added, group = replace(conversation, metadata=metadata), split_group_of(conversation)
            keys[id] = documents.content_key(added)
            new[keys[id]] = NewConversation(added, file, split_group=group, ends_here=id in asked)
    return keys, new
