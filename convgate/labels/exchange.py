"""Labels in files: relevance sets and CSV tables out; relevance sets, and lists of other tools, in.

    imported = read_labels(source, store, annotator="Ada")  # a preview; nothing is stored yet
    keep_labels(store, imported, by="Ada")  # all of it, as one action

The format of a file is recognised by its content.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.core.text import to_line, writable
from convgate.labels.gold import gold_case, resolve_answers, split_groups
from convgate.labels.imports import Import, read_relevance_file, read_turn_lists
from convgate.store import ActionRecord, Conversations, CurrentKey, Entry, Labels, Store
from convgate.store.label_log import check_annotator
from convgate.transcripts.message_lists import dump_json
from convgate.transcripts.redaction import Redactor
from convgate.transcripts.relevance_sets import SPLIT_GROUP, RelevanceFormat, case_fields
from convgate.transcripts.source import Source

LabelFormat = Literal["relevance-set", "csv"]

SUFFIXES: dict[LabelFormat, str] = {"relevance-set": ".jsonl", "csv": ".csv"}

COLUMNS = (
    *("conversation", "title", "message", "question", "turn", "annotator", "kind", "answer"),
    *("time", "version", "message_text", "turn_text"),
)

_FORMAT = RelevanceFormat()
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_LIKE_A_NUMBER = re.compile(r"\d+(e\d+)?")
_TEXT_LENGTH = 80  # characters of a turn's beginning


def read_labels(
    source: Source,
    store: Store,
    *,
    annotator: str | None = None,
    conversation: str | None = None,
    skip_bad: bool = False,
) -> Import:
    """Return the labels of a file, checked against the library; nothing is stored.

    annotator: of answers that do not name theirs.
    conversation: the key of the one that they are about, likewise.

    Raises TranscriptError when the file cannot be read or an annotator or conversation has to be named, its
    subclasses BadLinesError for bad lines without `skip_bad` and ReadStoppedError when the source's time is
    up, and StoreError for an invalid name of an annotator or an unknown conversation.
    """
    if annotator is not None:
        check_annotator(annotator)
    if conversation is not None:
        conversation = Conversations(store).summary(conversation).key
    if _FORMAT.match_share(source) > 0.5:
        return read_relevance_file(source, store, annotator=annotator, skip_bad=skip_bad)
    if _has_turn_lists(source):
        return read_turn_lists(
            source, store, annotator=annotator, conversation=conversation, skip_bad=skip_bad
        )
    raise source.json_error or TranscriptError(
        "not a file of labels: expected a relevance set, or JSON lines with current_turn and relevant_turns",
        file=source.report.file,
    )


def _has_turn_lists(source: Source) -> bool:
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


def keep_labels(store: Store, imported: Import, *, by: str) -> ActionRecord:
    """Store the labels of a file as one action of `by` that can be undone, or nothing of it.

    New conversations are added, and stay when the labels are undone. Raises StoreError.
    """
    with store.write():
        Conversations(store).add(imported.new)
        return Labels(store).record(imported.entries, by=by, kind="import", origin=imported.name)


def write_labels(
    store: Store,
    kind: LabelFormat,
    *,
    annotators: Collection[str] | None = None,
    conversations: Collection[str] | None = None,
    redactor: Redactor | None = None,
) -> bytes:
    """Return the labels as a file; `read_labels` reads a relevance set without loss.

    annotators, conversations: those to include, by name and by key; all unless given. A relevance set's
    `relevant` and `judged` rest on the annotators that train, or on those that are named. redactor: redacts
    secrets in conversations and questions; the file is then read as other conversations.
    """
    entries = [
        entry
        for entry in Labels(store).entries()
        if (annotators is None or entry.annotator in annotators)
        and (conversations is None or entry.current.conversation in conversations)
    ]
    library = Conversations(store)
    stored = {key: library.get(key) for key in {entry.current.conversation for entry in entries}}
    labelled = {key: (item.summary.title, item.conversation) for key, item in stored.items()}
    groups = split_groups(store)
    counting = annotators or {entry.annotator for entry in Labels(store).entries(training=True)}
    if redactor is not None:
        redact = redactor.redact_text
        labelled = {key: (redact(title), redactor.redact(text)) for key, (title, text) in labelled.items()}
        entries = [
            replace(entry, current=replace(entry.current, question=redact(entry.current.question)))
            for entry in entries
        ]
    by_message: dict[CurrentKey, list[Entry]] = {}
    for entry in entries:
        by_message.setdefault(entry.current, []).append(entry)
    if kind == "csv":
        return _write_table(by_message, labelled).encode()
    return "".join(_write_set(by_message, labelled, frozenset(counting), groups)).encode()


def _write_set(
    entries: Mapping[CurrentKey, list[Entry]],
    conversations: Mapping[str, tuple[str, Conversation]],
    counting: Collection[str],
    groups: Mapping[str, str],
) -> Iterator[str]:
    """Yield the lines of a relevance set.

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


def _write_table(
    entries: Mapping[CurrentKey, list[Entry]], conversations: Mapping[str, tuple[str, Conversation]]
) -> str:
    """Return a table for spreadsheets: one row for what an annotator says of one earlier turn.

    Turns count from 0. A formula gets an apostrophe. conversations: title and content by key.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for current, of_message in entries.items():
        title, conversation = conversations[current.conversation]
        writer.writerows(_row(entry, title, conversation) for entry in of_message)
    return out.getvalue()


def escape_formula(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> escape_formula("=1+1"), escape_formula("'=1"), escape_formula("'tis")
    ("'=1+1", "''=1", "'tis")
    """
    text = writable(text)
    return f"'{text}" if _FORMULA.match(text) else text


def _row(entry: Entry, title: str, conversation: Conversation) -> dict[str, str]:
    key, current, question = entry.current.conversation, entry.current.turn, entry.current.question
    message = question if current is None else conversation.turns[current].scored_text
    return {
        # Digits alone, or with an e among them, would come back from a spreadsheet as another number.
        "conversation": f"'{key}" if _LIKE_A_NUMBER.fullmatch(key) else key,
        "title": escape_formula(title),
        "message": "" if current is None else str(current),
        "question": escape_formula(question),
        "turn": str(entry.turn),
        "annotator": escape_formula(entry.annotator),
        "kind": entry.kind,
        "answer": entry.value or "",
        "time": entry.at or "",
        "version": escape_formula(entry.version or ""),
        "message_text": escape_formula(to_line(message, _TEXT_LENGTH)),
        "turn_text": escape_formula(to_line(conversation.turns[entry.turn].scored_text, _TEXT_LENGTH)),
    }
