"""Labels in relevance sets: each case says what every annotator answered, beside what that comes to.

    {"type": "case", …, "relevant": [0], "judged": [0, 3], "labels": [{"annotator": "Ada", "turn": 0, …}]}

Who does not know `labels` passes them over and reads a relevance set like any other.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlite_utils import Database

from convgate.conversation import Conversation
from convgate.errors import StoreError, TranscriptError
from convgate.labels.gold import gold_case
from convgate.labels.imported import NAMELESS, Collector, Import, kind_of, summed_up, text_of
from convgate.labels.settling import settled
from convgate.store import WHOLE, Entry, NewConversation, SituationKey, Store, documents
from convgate.store.openings import Openings, chain
from convgate.transcripts.formats.relevance import RelevanceFormat
from convgate.transcripts.json_places import Place
from convgate.transcripts.json_text import kind
from convgate.transcripts.layout import dump_json
from convgate.transcripts.problems import Report
from convgate.transcripts.relevance_sets import Case, case_fields, case_of_line
from convgate.transcripts.source import Source
from convgate.transcripts.split_groups import SPLIT_GROUP, split_group_of
from convgate.transcripts.writing import write_conversation

NAME = "relevance-set"
STORED = "stored"
"""Field of a conversation's line: what the library holds that messages cannot say."""

_FORMAT = RelevanceFormat()


def recognises(source: Source) -> bool:
    """Whether it is a relevance set."""
    return _FORMAT.recognises(source) > 0.5


def write(
    entries: Mapping[SituationKey, list[Entry]],
    talks: Mapping[str, tuple[str, Conversation]],
    counting: Collection[str],
    groups: Mapping[str, str],
) -> Iterator[str]:
    """The lines of a set.

    talks: title and content by key; counting: whose answers `relevant` rests on; groups: what says on which
    side of a split a conversation is, by key, where it is not the key.
    """
    written = ""
    for situation, said in entries.items():
        key = situation.conversation
        if key != written:
            yield _conversation_line(key, *talks[key], groups.get(key))
            written = key
        answers = settled(entry for entry in said if entry.annotator in counting)
        known = {turn: answer for turn, answer in answers.items() if answer != "unsure"}
        fields = case_fields(gold_case(situation, known))
        yield dump_json({**fields, "labels": [_label(entry) for entry in said]}) + "\n"


def read(source: Source, store: Store, *, annotator: str | None, skip_bad: bool) -> Import:
    """The labels of a set, and the conversations that the library does not have.

    A case without `labels` is what `annotator` answered of its judged turns.
    """
    if source.json is None:
        raise source.json_error or TranscriptError("this is not JSON", file=source.report.file)
    talks: dict[str, Conversation] = {}
    waiting: list[tuple[Mapping[str, Any], Place]] = []
    for value, place in source.json.values(each=False):
        place = Place(source.report, line=place.line or 1)
        try:
            if _FORMAT.is_beside(value):
                waiting.append((value, place))
                continue
            talk = _FORMAT.conversation(value, place)
            if not talk.id or talk.id in talks:
                problem = f"another conversation has the id {talk.id!r} already"
                raise TranscriptError(problem if talk.id else "the conversation has no id", field="id")
            talks[talk.id] = talk
        except TranscriptError as error:
            place.leave_out_all(error)
    asked = {
        value["conversation"]
        for value, _ in waiting
        if isinstance(value.get("query"), Mapping) and isinstance(value["conversation"], str)
    }
    if annotator is None and waiting and not any("labels" in value for value, _ in waiting):
        raise TranscriptError(NAMELESS, file=source.report.file)
    keys, new = _keys(store, talks, asked, source.report.file)
    collector = Collector(source.report, store)
    for value, place in source.report.watch(waiting, "cases"):
        try:
            case = case_of_line(value, talks)
            _take(case, value, place, keys[case.conversation], talks[case.conversation], collector, annotator)
        except TranscriptError as error:
            place.leave_out_all(error)
    return summed_up(store, source.report, NAME, collector.entries(), new, skip_bad=skip_bad)


def _take(
    case: Case,
    value: Mapping[str, Any],
    place: Place,
    key: str,
    talk: Conversation,
    collector: Collector,
    annotator: str | None,
) -> None:
    """Give a case's labels to the collector; TranscriptError when the case has none that can be read."""
    situation = SituationKey(key, case.turn, "" if case.query is None else case.query.text)
    if case.query is not None and not situation.question.strip():
        raise TranscriptError("there is no text in the question", field="query")
    if case.query is not None and case.query.role != "user":
        place.warn(f"the question of a {case.query.role} is kept as a user's", "query.role")
    stop = len(talk) if case.turn is None else case.turn
    line = place.line or 1
    if "labels" in value:
        labels = value["labels"]
        if not isinstance(labels, list):
            raise TranscriptError(f"expected a list of labels, got {kind(labels)}", field="labels")
        for number, label in enumerate(place.report.watch(labels, "labels of a case")):
            field = f"labels[{number}]"
            try:
                collector.add(line, stop, _entry(situation, label), field)
            except TranscriptError as error:
                where = ".".join(filter(None, (field, error.field)))
                place.leave_out_all(TranscriptError(error.problem, field=where))
        return
    if annotator is None:
        raise TranscriptError(NAMELESS, field="labels")
    start = 0 if case.window is None else max(0, stop - case.window)
    judged = range(start, stop) if case.judged is None else sorted(case.judged)
    for turn in place.report.watch(judged, "turns of a case"):
        answer = "relevant" if turn in case.relevant else "not_relevant"
        collector.add(line, stop, Entry(situation, turn, annotator, answer))


def _label(entry: Entry) -> dict[str, Any]:
    fields = {
        "annotator": entry.annotator,
        "kind": entry.kind,
        "turn": None if entry.turn == WHOLE else entry.turn,
        entry.what: entry.value,
        "at": entry.at,
        "version": entry.version,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _entry(situation: SituationKey, label: Any) -> Entry:
    if not isinstance(label, Mapping):
        raise TranscriptError(f"expected an object, got {kind(label)}")
    annotator = text_of(label, "annotator")
    if annotator is None:
        raise TranscriptError("there is no annotator", field="annotator")
    turn = label.get("turn", WHOLE)
    if not isinstance(turn, int) or isinstance(turn, bool) or (turn < 0 and "turn" in label):
        raise TranscriptError(f"expected a whole number, 0 or more, got {turn!r}", field="turn")
    answer, note = text_of(label, "answer"), text_of(label, "note")
    if (answer is None) == (note is None):
        raise TranscriptError("a label has either an answer or a note", field="answer")
    return Entry(
        situation,
        turn,
        annotator,
        note if answer is None else answer,
        "note" if answer is None else "answer",
        text_of(label, "at") or None,
        text_of(label, "version"),
        kind_of(label.get("kind"), annotator),
    )


def _conversation_line(key: str, title: str, talk: Conversation, group: str | None) -> str:
    """A line from which the very same conversation can be made again, with the same key."""
    line = json.loads(_FORMAT.write(replace(talk, id=key), talk.turns))
    light = {
        "id": talk.id,
        "title": title,
        "own_title": talk.title,
        "format": talk.format,
        "metadata": dict(talk.metadata),
    }
    again = _restored(_FORMAT.conversation(line, Place(Report(key))), light)
    if again is None or documents.content_key(again) != key:
        light = {"title": title, "document": json.loads(documents.dump(talk))}
    grouped = {} if group is None else {SPLIT_GROUP: group}
    return dump_json({**line, **grouped, STORED: light}) + "\n"


def _restored(talk: Conversation, stored: Any) -> Conversation | None:
    """The conversation as the library had it; None when what is stored beside it is not of it.

    It has to be one that can be written: how it lay in its file comes from what is stored, too.
    """
    if not isinstance(stored, Mapping):
        return None
    try:
        if "document" in stored:
            found = documents.load(json.dumps(stored["document"]))
            if chain(found.turns) != chain(talk.turns):
                return None
        else:
            found = replace(
                talk,
                id=str(stored["id"]),
                title=text_of(stored, "own_title"),
                format=str(stored["format"]),
                metadata={**stored["metadata"]},
            )
        write_conversation(found)
    except (StoreError, TranscriptError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return found


def _keys(
    store: Store, talks: Mapping[str, Conversation], asked: Collection[str], file: str
) -> tuple[dict[str, str], dict[str, NewConversation]]:
    """The key of each conversation by its id in the file, and those that are new, by key.

    asked: ids of those that have a question after their last turn.
    """
    keys: dict[str, str] = {}
    new: dict[str, NewConversation] = {}
    with store.read() as db:
        openings = Openings(db)
        for id, talk in talks.items():
            stored, group = talk.metadata.get(STORED), split_group_of(talk)
            beside = {SPLIT_GROUP, STORED} if isinstance(stored, Mapping) else {SPLIT_GROUP}
            talk = replace(talk, metadata={k: v for k, v in talk.metadata.items() if k not in beside})
            whole = _restored(talk, stored) or talk
            key = documents.content_key(whole)
            known = _known_key(db, openings, key, whole, grown=id not in asked)
            if known is None:
                title = stored.get("title") if isinstance(stored, Mapping) else None
                new[key] = NewConversation(
                    whole,
                    file,
                    title=title if isinstance(title, str) else None,
                    split_group=group,
                    ends_here=id in asked,
                )
            keys[id] = known or key
    return keys, new


def _known_key(db: Database, openings: Openings, key: str, talk: Conversation, *, grown: bool) -> str | None:
    """The key under which the library has a conversation. grown: it may have more turns by now."""
    row = db.execute(
        "SELECT conversations.key FROM conversations JOIN conversation_keys USING (number)"
        " WHERE conversation_keys.key = ? AND deleted_at IS NULL AND (turns = ? OR ?)",
        [key, len(talk), int(grown)],
    ).fetchone()
    if row is None and (number := openings.same(chain(talk.turns))) is not None:
        row = db.execute("SELECT key FROM conversations WHERE number = ?", [number]).fetchone()
    return row[0] if row else None
