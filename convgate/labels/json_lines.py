"""Labels in JSON lines: relevance sets, and lists of relevant turns as other tools write them.

    {"type": "case", …, "relevant": [0], "judged": [0, 3], "labels": [{"annotator": "Ada", "turn": 0, …}]}

A case has the answers of all annotators beside its gold labels; other readers ignore `labels`. A list does
not name its conversation; `current_text` is compared with the one that is given.

    {"current_turn": 9, "current_text": "And …", "history_start": 0, "history_end": 9, "relevant_turns": [4]}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqlite_utils import Database

from convgate.core.conversation import Conversation
from convgate.core.errors import StoreError, TranscriptError
from convgate.core.text import quote
from convgate.labels.gold import gold_case, resolve_answers
from convgate.labels.imports import (
    NO_ANNOTATOR,
    NO_CONVERSATION,
    Collector,
    Import,
    close_import,
    parse_label,
    parse_text,
)
from convgate.store import Conversations, Entry, NewConversation, SituationKey, Store, documents
from convgate.store.openings import Openings, chain
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import dump_json
from convgate.transcripts.registry import write_conversation
from convgate.transcripts.relevance_sets import (
    SPLIT_GROUP,
    Case,
    RelevanceFormat,
    case_fields,
    case_of_line,
    read_set_lines,
    split_group_of,
)
from convgate.transcripts.source import Source

STORED = "stored"
"""Field of a conversation's line: the conversation as the library has it, which messages cannot express."""

_FORMAT = RelevanceFormat()


def is_relevance_file(source: Source) -> bool:
    """Return whether a file is a relevance set."""
    return _FORMAT.recognises(source) > 0.5


def write_relevance_lines(
    entries: Mapping[SituationKey, list[Entry]],
    conversations: Mapping[str, tuple[str, Conversation]],
    counting: Collection[str],
    groups: Mapping[str, str],
) -> Iterator[str]:
    """Yield the lines of a set.

    conversations: title and content by key; counting: the annotators on whose answers `relevant` rests;
    groups: split group by key, where it is not the key.
    """
    written = ""
    for situation, of_message in entries.items():
        key = situation.conversation
        if key != written:
            title, conversation = conversations[key]
            line = json.loads(_FORMAT.write(replace(conversation, id=key), conversation.turns))
            line |= {SPLIT_GROUP: groups[key]} if key in groups else {}
            line[STORED] = {"title": title, "document": json.loads(documents.dump(conversation))}
            yield dump_json(line) + "\n"
            written = key
        answers = resolve_answers(entry for entry in of_message if entry.annotator in counting)
        known = {turn: answer for turn, answer in answers.items() if answer != "unsure"}
        fields = case_fields(gold_case(situation, known))
        yield dump_json({**fields, "labels": [_label(entry) for entry in of_message]}) + "\n"


def read_relevance_file(source: Source, store: Store, *, annotator: str | None, skip_bad: bool) -> Import:
    """Return the labels of a set, and the conversations that the library does not have.

    annotator: whose answers the judged turns of a case without `labels` are.
    """
    conversations, cases = read_set_lines(source)
    asked = {
        value["conversation"]
        for value, _ in cases
        if isinstance(value.get("query"), Mapping) and isinstance(value["conversation"], str)
    }
    if annotator is None and cases and not any("labels" in value for value, _ in cases):
        raise TranscriptError(NO_ANNOTATOR, file=source.report.file)
    keys, new = _match_library(store, conversations, asked, source.report.file)
    collector = Collector(source.report)
    for value, place in source.report.watch(cases, "cases"):
        try:
            case = case_of_line(value, conversations)
            situation = SituationKey(
                keys[case.conversation], case.turn, "" if case.query is None else case.query.text
            )
            stop = len(conversations[case.conversation]) if case.turn is None else case.turn
            _collect(case, situation, stop, value, place, collector, annotator)
        except TranscriptError as error:
            place.leave_out_all(error)
    return close_import(store, source.report, "relevance-set", collector.entries(), new, skip_bad=skip_bad)


def _collect(
    case: Case,
    situation: SituationKey,
    stop: int,
    value: Mapping[str, Any],
    place: Place,
    collector: Collector,
    annotator: str | None,
) -> None:
    """Give the labels of a case to the collector."""
    if case.query is not None and not situation.question.strip():
        raise TranscriptError("the question has no text", field="query")
    line = place.line or 1
    if "labels" not in value:
        if annotator is None:
            raise TranscriptError(NO_ANNOTATOR, field="labels")
        start = 0 if case.window is None else max(0, stop - case.window)
        judged = range(start, stop) if case.judged is None else sorted(case.judged)
        watched = place.report.watch(judged, "turns of a case")
        collector.add(line, stop, _judge(watched, case, situation, annotator))
        return
    labels = value["labels"]
    if not isinstance(labels, list):
        raise TranscriptError(f"expected a list of labels, got {kind(labels)}", field="labels")
    for number, label in enumerate(place.report.watch(labels, "labels of a case")):
        field = f"labels[{number}]"
        try:
            if not isinstance(label, Mapping):
                raise TranscriptError(f"expected an object, got {kind(label)}")
            collector.add(line, stop, parse_label(situation, label), field)
        except TranscriptError as error:
            where = ".".join(filter(None, (field, error.field)))
            place.leave_out_all(TranscriptError(error.problem, field=where))


def _judge(turns: Iterable[int], case: Case, situation: SituationKey, annotator: str) -> Iterator[Entry]:
    """The answers of an annotator who calls the relevant turns of a case relevant, and the others not."""
    for turn in turns:
        yield Entry(situation, turn, annotator, "relevant" if turn in case.relevant else "not_relevant")


def _label(entry: Entry) -> dict[str, Any]:
    fields = {
        "annotator": entry.annotator,
        "kind": entry.kind,
        "turn": entry.turn,
        entry.what: entry.value,
        "at": entry.at,
        "version": entry.version,
    }
    return {name: value for name, value in fields.items() if value is not None}


def _restore(conversation: Conversation, stored: Any) -> Conversation | None:
    """The conversation as the library had it; None when `stored` is damaged or has other messages."""
    if not isinstance(stored, Mapping):
        return None
    try:
        restored = documents.load(json.dumps(stored["document"]))
        write_conversation(restored)  # it has to be one that can be written
        return restored if chain(restored.turns) == chain(conversation.turns) else None
    except (StoreError, TranscriptError, KeyError, TypeError, ValueError, AttributeError):
        return None


def _match_library(
    store: Store, conversations: Mapping[str, Conversation], asked: Collection[str], file: str
) -> tuple[dict[str, str], dict[str, NewConversation]]:
    """The key of each conversation by its id in the file, and those to add, by key.

    asked: ids of those that have a question after their last turn.
    """
    keys: dict[str, str] = {}
    new: dict[str, NewConversation] = {}
    with store.read() as db:
        for id, conversation in conversations.items():
            stored, group = conversation.metadata.get(STORED), split_group_of(conversation)
            beside = {SPLIT_GROUP, STORED} if isinstance(stored, Mapping) else {SPLIT_GROUP}
            metadata = {name: value for name, value in conversation.metadata.items() if name not in beside}
            plain = replace(conversation, metadata=metadata)
            whole = _restore(plain, stored) or plain
            key = documents.content_key(whole)
            known = _find_key(db, key, whole, grown=id not in asked)
            if known is None:
                title = stored.get("title") if isinstance(stored, Mapping) else None
                title = title if isinstance(title, str) else None
                new[key] = NewConversation(whole, file, title=title, split_group=group, ends_here=id in asked)
            keys[id] = known or key
    return keys, new


def _find_key(db: Database, key: str, conversation: Conversation, *, grown: bool) -> str | None:
    """The key under which the library has a conversation. grown: it may have more turns by now."""
    row = db.execute(
        "SELECT conversations.key FROM conversations JOIN conversation_keys USING (number)"
        " WHERE conversation_keys.key = ? AND deleted_at IS NULL AND (turns = ? OR ?)",
        [key, len(conversation), int(grown)],
    ).fetchone()
    if row is None and (number := Openings(db).same(chain(conversation.turns))) is not None:
        row = db.execute("SELECT key FROM conversations WHERE number = ?", [number]).fetchone()
    return row[0] if row else None


def is_turn_list(source: Source) -> bool:
    """Return whether most of the first lines have a current turn and relevant turns."""
    if source.json is None:
        return False
    values = source.json.sample
    lines = [
        one for one in values if isinstance(one, Mapping) and {"current_turn", "relevant_turns"} <= one.keys()
    ]
    return 2 * len(lines) > len(values)


def read_turn_lists(
    source: Source, store: Store, *, annotator: str | None, conversation: str | None, skip_bad: bool
) -> Import:
    """Return the labels of the lines: turns of the history that are not listed are not relevant.

    conversation: its key in the library, which has to be given.
    """
    file = source.report.file
    if annotator is None:
        raise TranscriptError(NO_ANNOTATOR, file=file)
    if conversation is None:
        raise TranscriptError(NO_CONVERSATION, file=file)
    stored = Conversations(store).get(conversation)
    about = stored.summary.key
    collector = Collector(source.report)
    for value, place in source.need_json().values():
        try:
            case = _parse_list(value, about, stored.conversation)
        except TranscriptError as error:
            place.leave_out_all(error)
            continue
        # In a document, a value has no line of its own but begins on one.
        line = place.line or (place.locator.line(place.prefix) if place.locator else 1)
        entries = _judge(sorted(case.judged or ()), case, SituationKey(about, case.turn), annotator)
        collector.add(line, case.turn or 0, entries)
    return close_import(store, source.report, "turn-lists", collector.entries(), {}, skip_bad=skip_bad)


def _parse_list(value: Any, key: str, conversation: Conversation) -> Case:
    """Return a list as a case; errors name the fields of the list."""
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object with 'current_turn', got {kind(value)}")
    current, start = value.get("current_turn"), value.get("history_start", 0)
    end = value.get("history_end", current)
    for field, index in (("current_turn", current), ("history_start", start), ("history_end", end)):
        if not isinstance(index, int) or isinstance(index, bool) or index < 0:
            raise TranscriptError(f"expected a whole number, 0 or more, got {quote(index)}", field=field)
    if not start <= end <= current:
        raise TranscriptError(f"{start} to {end} is no range of turns before {current}", field="history_end")
    line = {"id": key, "conversation": key, "turn": current, "relevant": value.get("relevant_turns")}
    try:
        judged = list(range(start, min(end, len(conversation))))
        case = case_of_line({**line, "judged": judged}, {key: conversation})
    except TranscriptError as error:
        name, bracket, place = (error.field or "").partition("[")
        field = "current_turn" if name == "turn" else f"relevant_turns{bracket}{place}"
        raise TranscriptError(error.problem, field=field) from error
    text = " ".join((parse_text(value, "current_text") or "").split())
    if not " ".join(conversation.turns[case.turn or 0].text.split()).startswith(text):
        raise TranscriptError(f"turn {current} of the conversation has another text", field="current_text")
    return case
