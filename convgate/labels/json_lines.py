"""Labels in JSON lines: relevance sets, and lists of relevant turns as other tools write them.

    {"type": "case", …, "relevant": [0], "judged": [0, 3], "labels": [{"annotator": "Ada", "turn": 0, …}]}

A case has the answers of all annotators beside its gold labels; other readers ignore `labels`. A list does
not name its conversation; `current_text` is compared with the one that is given.

    {"current_turn": 9, "current_text": "And …", "history_start": 0, "history_end": 9, "relevant_turns": [4]}
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

from convgate.core.conversation import Conversation, prefix_hashes
from convgate.core.errors import TranscriptError
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
from convgate.store import Conversations, CurrentKey, Entry, NewConversation, Store, documents
from convgate.store.openings import PrefixIndex
from convgate.transcripts.cases import Case
from convgate.transcripts.json_text import Place, kind
from convgate.transcripts.message_lists import dump_json
from convgate.transcripts.relevance_sets import (
    SPLIT_GROUP,
    RelevanceFormat,
    case_fields,
    case_of_line,
    read_set_lines,
    split_group_of,
)
from convgate.transcripts.source import Source

_FORMAT = RelevanceFormat()


def is_relevance_file(source: Source) -> bool:
    """Return whether a file is a relevance set."""
    return _FORMAT.match_share(source) > 0.5


def write_relevance_lines(
    entries: Mapping[CurrentKey, list[Entry]],
    conversations: Mapping[str, tuple[str, Conversation]],
    counting: Collection[str],
    groups: Mapping[str, str],
) -> Iterator[str]:
    """Yield the lines of a set.

    conversations: title and content by key; counting: the annotators on whose answers `relevant` rests;
    groups: split group by key, where it is not the key.
    """
    written = ""
    for current, of_message in entries.items():
        key = current.conversation
        if key != written:
            title, conversation = conversations[key]
            line = json.loads(_FORMAT.write(replace(conversation, id=key), conversation.turns))
            line |= {SPLIT_GROUP: groups[key]} if key in groups else {}
            line["title"] = title
            yield dump_json(line) + "\n"
            written = key
        answers = resolve_answers(entry for entry in of_message if entry.annotator in counting)
        relevance = {turn: answer for turn, answer in answers.items() if answer != "unsure"}
        fields = case_fields(gold_case(current, relevance))
        yield dump_json({**fields, "labels": [_label(entry) for entry in of_message]}) + "\n"


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
    collector = Collector(source.report)
    for value, place in source.report.watch(cases, "cases"):
        try:
            case = case_of_line(value, conversations)
            current = CurrentKey(
                keys[case.conversation], case.turn, "" if case.query is None else case.query.text
            )
            stop = len(conversations[case.conversation]) if case.turn is None else case.turn
            _collect(case, current, stop, value, place, collector, annotator)
        except TranscriptError as error:
            place.leave_out_all(error)
    return close_import(store, source.report, "relevance-set", collector.entries(), new, skip_bad=skip_bad)


def _collect(
    case: Case,
    current: CurrentKey,
    stop: int,
    value: Mapping[str, Any],
    place: Place,
    collector: Collector,
    annotator: str | None,
) -> None:
    """Give the labels of a case to the collector."""
    if case.query is not None and not current.question.strip():
        raise TranscriptError("the question has no text", field="query")
    line = place.line or 1
    if "labels" not in value:
        if annotator is None:
            raise TranscriptError(NO_ANNOTATOR, field="labels")
        start = 0 if case.window is None else max(0, stop - case.window)
        judged = range(start, stop) if case.judged is None else sorted(case.judged)
        for turn in place.report.watch(judged, "turns of a case"):
            collector.add(line, stop, _judge(turn, case, current, annotator))
        return
    labels = value["labels"]
    if not isinstance(labels, list):
        raise TranscriptError(f"expected a list of labels, got {kind(labels)}", field="labels")
    for number, label in enumerate(place.report.watch(labels, "labels of a case")):
        field = f"labels[{number}]"
        try:
            if not isinstance(label, Mapping):
                raise TranscriptError(f"expected an object, got {kind(label)}")
            collector.add(line, stop, parse_label(current, label), field)
        except TranscriptError as error:
            path = ".".join(filter(None, (field, error.field)))
            place.leave_out_all(TranscriptError(error.problem, field=path))


def _judge(turn: int, case: Case, current: CurrentKey, annotator: str) -> Entry:
    """Return the answer of an annotator who calls the relevant turns of a case relevant, the others not."""
    return Entry(current, turn, annotator, "relevant" if turn in case.relevant else "not_relevant")


def _label(entry: Entry) -> dict[str, Any]:
    fields = {
        "annotator": entry.annotator,
        "kind": entry.kind,
        "turn": entry.turn,
        "answer": entry.value,
        "at": entry.at,
        "version": entry.version,
    }
    return {name: value for name, value in fields.items() if value is not None}


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


def is_turn_list(source: Source) -> bool:
    """Return whether most of the first lines have a current turn and relevant turns."""
    if source.json is None:
        return False
    values = source.json.sample
    lines = [
        value
        for value in values
        if isinstance(value, Mapping) and {"current_turn", "relevant_turns"} <= value.keys()
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
    collector = Collector(source.report)
    for value, place in source.need_json().values():
        try:
            case = _parse_list(value, stored.summary.key, stored.conversation)
        except TranscriptError as error:
            place.leave_out_all(error)
            continue
        for turn in sorted(case.judged or ()):
            entry = _judge(turn, case, CurrentKey(case.conversation, case.turn), annotator)
            collector.add(place.line or 1, case.turn or 0, entry)
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
