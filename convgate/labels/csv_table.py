"""Labels as a CSV table for spreadsheets: one row for what an annotator says of one earlier turn.

`message` is the current message, or `question` what was asked after the last turn; `turn` is the earlier one.
Both count from 0. The title and the texts at the end are for people, and not read.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from itertools import islice

from convgate.core.conversation import Conversation
from convgate.core.errors import TranscriptError
from convgate.labels.imports import (
    NO_ANNOTATOR,
    NO_CONVERSATION,
    Collector,
    Import,
    close_import,
    parse_label,
)
from convgate.store import Entry, SituationKey, Store
from convgate.transcripts.characters import writable
from convgate.transcripts.csv_table import DELIMITERS, csv_rows, read_header, split_header
from convgate.transcripts.source import Source

NAME = "csv"
COLUMNS = (
    *("conversation", "title", "message", "question", "turn", "annotator", "kind", "answer", "note"),
    *("time", "version", "message_text", "turn_text"),
)

_READ = COLUMNS[:-2]
_TYPICAL = {"message", "question", "turn", "annotator", "answer"}  # columns that other tables seldom have
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED_FORMULA = re.compile(r"'+[=+\-@\t\r\n]")
_LIKE_A_NUMBER = re.compile(r"\d+(e\d+)?")
_TEXT_LENGTH = 80  # characters of a turn's beginning


def is_label_table(source: Source) -> bool:
    """Return whether the header of a file has columns of labels; some may be missing."""
    return source.is_text and source.json is None and len(_TYPICAL & _read_columns(source)[2].keys()) > 1


def write_table(
    entries: Mapping[SituationKey, list[Entry]], conversations: Mapping[str, tuple[str, Conversation]]
) -> str:
    """Return the table. A formula gets an apostrophe, which reading removes.

    conversations: title and content by key.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    for situation, of_message in entries.items():
        title, conversation = conversations[situation.conversation]
        rows: dict[tuple[object, ...], dict[str, str]] = {}
        for entry in of_message:  # an answer and a note of the same moment share a row
            place = (entry.turn, entry.annotator, entry.at, entry.version)
            row = rows.setdefault(place, _row(entry, title, conversation))
            row[entry.what] = escape_formula(entry.value or "")
        writer.writerows(rows.values())
    return out.getvalue()


def read_table(
    source: Source, store: Store, *, annotator: str | None, conversation: str | None, skip_bad: bool
) -> Import:
    """Return the labels of a table, whose conversations have to be in the library.

    annotator and conversation: of rows that do not name them.
    """
    file = source.report.file
    line, delimiter, places = _read_columns(source)
    if not {"turn", "answer"} <= places.keys() or not {"message", "question"} & places.keys():
        problem = "the table needs the columns turn, answer and either message or question"
        raise TranscriptError(problem, file=file, line=line)
    if annotator is None and "annotator" not in places:
        raise TranscriptError(NO_ANNOTATOR, file=file)
    if conversation is None and "conversation" not in places:
        raise TranscriptError(NO_CONVERSATION, file=file)
    collector = Collector(source.report)
    with store.read() as db:
        known: dict[str, tuple[str, int]] = {
            name: (key, turns)
            for name, key, turns in db.execute(
                "SELECT conversation_keys.key, conversations.key, turns FROM conversation_keys"
                " JOIN conversations USING (number) WHERE deleted_at IS NULL"
            )
        }
    lines = islice(source.lines(), line, None)
    for number, row in csv_rows(lines, delimiter=delimiter, first_line=line + 1):
        try:
            if isinstance(row, TranscriptError):
                raise row
            if not any(row):
                continue
            cells = {name: unescape_formula(row[at]) for name, at in places.items() if at < len(row)}
            stop, entries = _parse_row(cells, known, annotator, conversation)
        except TranscriptError as error:
            source.report.error(error.problem, line=number, field=error.field)
            continue
        collector.add(number, stop, entries)
    return close_import(store, source.report, NAME, collector.entries(), {}, skip_bad=skip_bad)


def escape_formula(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    >>> escape_formula("=1+1"), escape_formula("'=1"), escape_formula("'tis")
    ("'=1+1", "''=1", "'tis")
    """
    text = writable(text)
    return f"'{text}" if _FORMULA.match(text) else text


def unescape_formula(cell: str) -> str:
    """Return the text that `escape_formula` was given."""
    return cell[1:] if _ESCAPED_FORMULA.match(cell) else cell


def _row(entry: Entry, title: str, conversation: Conversation) -> dict[str, str]:
    key, current, question = entry.situation.conversation, entry.situation.turn, entry.situation.question
    return {
        # Digits alone, or with an e among them, would come back from a spreadsheet as another number.
        "conversation": f"'{key}" if _LIKE_A_NUMBER.fullmatch(key) else key,
        "title": escape_formula(title),
        "message": "" if current is None else str(current),
        "question": escape_formula(question),
        "turn": str(entry.turn),
        "annotator": escape_formula(entry.annotator),
        "kind": entry.kind,
        "time": entry.at or "",
        "version": escape_formula(entry.version or ""),
        "message_text": _beginning(question if current is None else conversation.turns[current].scored_text),
        "turn_text": _beginning(conversation.turns[entry.turn].scored_text),
    }


def _beginning(text: str) -> str:
    shown = " ".join(text[: 2 * _TEXT_LENGTH].split())
    return escape_formula(shown if len(shown) <= _TEXT_LENGTH else f"{shown[: _TEXT_LENGTH - 1]}…")


def _parse_row(
    cells: Mapping[str, str], known: Mapping[str, tuple[str, int]], who: str | None, default: str | None
) -> tuple[int, list[Entry]]:
    """How many turns are before the row's message, and its answer and note."""
    stripped = {name: cells.get(name, "").strip() for name in _READ}
    named = stripped["conversation"].lstrip("'") or default
    if not named:
        raise TranscriptError(NO_CONVERSATION, field="conversation")
    if named not in known:
        raise TranscriptError(
            f"the library has no conversation {named[:60]!r}; import its transcript first",
            field="conversation",
        )
    key, turns = known[named]
    message = _parse_number(stripped["message"], "message")
    if (message is None) == (not stripped["question"]):
        raise TranscriptError("either a message or a question is needed", field="message")
    if message is None and named != key:
        raise TranscriptError(
            "the conversation has grown, so the question would follow other turns; a relevance set has the"
            " conversation as it was",
            field="question",
        )
    if message is not None and message >= turns:
        raise TranscriptError(f"message {message}, but the conversation has {turns} turns", field="message")
    fields = stripped | {
        "annotator": stripped["annotator"] or who,
        "turn": _parse_number(stripped["turn"], "turn"),
        "note": cells.get("note", "") if stripped["note"] else "",
        "version": cells.get("version", ""),
    }
    situation = SituationKey(key, message, cells.get("question", "") if message is None else "")
    return turns if message is None else message, parse_label(situation, fields, time="time")


def _parse_number(text: str, field: str) -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"\d{1,9}(\.0+)?", text):  # some spreadsheets write 3 as 3.0
        raise TranscriptError(f"expected a whole number, 0 or more, got {text[:60]!r}", field=field)
    return int(float(text))


def _read_columns(source: Source) -> tuple[int, str, dict[str, int]]:
    """Return the header's line, the delimiter and the places of the columns."""
    number, header = read_header(source)
    splits = {}
    for delimiter in DELIMITERS:
        names = [name.casefold() for name in split_header(header, delimiter)]
        splits[delimiter] = {name: names.index(name) for name in names if name in _READ}
    best = max(splits, key=lambda delimiter: len(splits[delimiter]))
    return number, best, splits[best]
