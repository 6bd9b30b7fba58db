"""Labels as a table for spreadsheets, CSV: one row for what an annotator says of one earlier turn.

| column | holds |
|---|---|
| conversation, title | the conversation's key in the library; its title, for people |
| message, question | the turn that is answered, from 0; else the question put after the last turn |
| turn | the earlier turn, from 0; empty: the message as a whole |
| annotator, kind | who says it: a person unless `agent` or `adjudication` |
| answer, note | relevant, not_relevant or unsure; of a message as a whole done or skipped; any text |
| time, version | when, with its zone; the gate's version that was shown |
| message_text, turn_text | how both begin, for people; not read |
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from itertools import islice

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.labels.imported import NAMELESS, Collector, Import, kind_of, summed_up
from convgate.store import WHOLE, Entry, SituationKey, Store
from convgate.transcripts.characters import writable
from convgate.transcripts.csv_columns import DELIMITERS, split_header
from convgate.transcripts.csv_rows import csv_rows
from convgate.transcripts.source import Source

NAME = "csv"
COLUMNS = (
    *("conversation", "title", "message", "question", "turn", "annotator", "kind", "answer", "note"),
    *("time", "version", "message_text", "turn_text"),
)
TEXT_SHOWN = 80
"""Characters of a turn's beginning, enough to know it by."""

_READ = COLUMNS[:-2]
_NAMING = {"message", "question", "turn", "annotator", "answer"}  # columns that other tables seldom have
_PLACELESS = "it does not say which conversation: name one of the library (--conversation KEY, or in the app)"
_FORMULA = re.compile(r"'*[=+\-@\t\r\n]")
_ESCAPED_FORMULA = re.compile(r"'+[=+\-@\t\r\n]")
_LIKE_A_NUMBER = re.compile(r"\d+(e\d+)?")
_LONGEST_HEADER = 10_000  # characters


def recognises(source: Source) -> bool:
    """Whether its header has columns of labels, be it that some are missing."""
    if not source.is_text or source.json is not None or (found := _header(source)) is None:
        return False
    return len(_NAMING & found[2].keys()) > 1


def write(entries: Mapping[SituationKey, list[Entry]], talks: Mapping[str, tuple[str, Conversation]]) -> str:
    """The table. What a spreadsheet would take for a formula gets an apostrophe, which reading takes off."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for situation, said in entries.items():
        title, talk = talks[situation.conversation]
        rows: dict[tuple[object, ...], dict[str, str]] = {}
        for entry in said:  # an answer and a note of the same moment share a row
            place = (entry.turn, entry.annotator, entry.at, entry.version)
            rows.setdefault(place, _row(entry, title, talk))[entry.what] = escaped(entry.value or "")
        for row in rows.values():
            writer.writerow([row.get(column, "") for column in COLUMNS])
    return out.getvalue()


def read(
    source: Source, store: Store, *, annotator: str | None, conversation: str | None, skip_bad: bool
) -> Import:
    """The labels of a table; its conversations have to be in the library.

    annotator and conversation: whose row it is where it does not say so.
    """
    file = source.report.file
    line, delimiter, places = _header(source) or (1, ",", {})
    missing = [name for name in ("turn", "answer") if name not in places]
    missing += ["message"] * (not {"message", "question"} & places.keys())
    if missing:
        raise TranscriptError(
            f"the table has no column {' and none '.join(map(repr, missing))}; it has"
            f" {', '.join(sorted(places, key=places.__getitem__)) or 'none of labels'}, and could have"
            f" {', '.join(_READ)}",
            file=file,
            line=line,
        )
    if annotator is None and "annotator" not in places:
        raise TranscriptError(NAMELESS, file=file)
    if conversation is None and "conversation" not in places:
        raise TranscriptError(_PLACELESS, file=file)
    collector = Collector(source.report, store, time="time")
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
            cells = {name: unescaped(row[at]) for name, at in places.items() if at < len(row)}
            stop, entries = _entries(cells, known, annotator, conversation)
        except TranscriptError as error:
            source.report.error(error.problem, line=number, field=error.field)
            continue
        for entry in entries:
            collector.add(number, stop, entry)
    return summed_up(store, source.report, NAME, collector.entries(), {}, skip_bad=skip_bad)


def escaped(text: str) -> str:
    """A text that no spreadsheet takes for a formula.

    >>> escaped("=1+1"), escaped("'=1"), escaped("'tis")
    ("'=1+1", "''=1", "'tis")
    """
    text = writable(text)
    return f"'{text}" if _FORMULA.match(text) else text


def unescaped(cell: str) -> str:
    """The text that was `escaped`."""
    return cell[1:] if _ESCAPED_FORMULA.match(cell) else cell


def _row(entry: Entry, title: str, talk: Conversation) -> dict[str, str]:
    key, current, question = entry.situation.conversation, entry.situation.turn, entry.situation.question
    return {
        # Digits alone, or with an e among them, would come back from a spreadsheet as another number.
        "conversation": f"'{key}" if _LIKE_A_NUMBER.fullmatch(key) else key,
        "title": escaped(title),
        "message": "" if current is None else str(current),
        "question": escaped(question),
        "turn": "" if entry.turn == WHOLE else str(entry.turn),
        "annotator": escaped(entry.annotator),
        "kind": entry.kind,
        "time": entry.at or "",
        "version": escaped(entry.version or ""),
        "message_text": _beginning(question if current is None else talk.turns[current].scored_text),
        "turn_text": "" if entry.turn == WHOLE else _beginning(talk.turns[entry.turn].scored_text),
    }


def _beginning(text: str) -> str:
    shown = " ".join(text[: 2 * TEXT_SHOWN].split())
    return escaped(shown if len(shown) <= TEXT_SHOWN else f"{shown[: TEXT_SHOWN - 1]}…")


def _entries(
    cells: Mapping[str, str], known: Mapping[str, tuple[str, int]], who: str | None, default: str | None
) -> tuple[int, list[Entry]]:
    """How many turns are before the row's message, and what the row says; TranscriptError for a bad row."""
    named = cells.get("conversation", "").strip().lstrip("'") or default
    if not named:
        raise TranscriptError(_PLACELESS, field="conversation")
    if named not in known:
        raise TranscriptError(
            f"the library has no conversation {named[:60]!r}; add its transcript first", field="conversation"
        )
    key, turns = known[named]
    message, question = _whole(cells, "message"), cells.get("question", "")
    if (message is None) == (not question.strip()):
        raise TranscriptError("what is answered is either a message or a question", field="message")
    if message is None and named != key:
        raise TranscriptError(
            "the conversation has gone on since, so the question would stand after other turns; a relevance"
            " set has the conversation as it was",
            field="question",
        )
    if message is not None and message >= turns:
        raise TranscriptError(f"message {message}, but the conversation has {turns} turns", field="message")
    annotator = cells.get("annotator", "").strip() or who
    if not annotator:
        raise TranscriptError(NAMELESS, field="annotator")
    turn = _whole(cells, "turn")
    answer, note = cells.get("answer", "").strip(), cells.get("note", "")
    if not answer and not note.strip():
        raise TranscriptError("there is neither an answer nor a note", field="answer")
    situation = SituationKey(key, message, question if message is None else "")
    kind = kind_of(cells.get("kind", "").strip(), annotator)
    at, version = cells.get("time", "").strip() or None, cells.get("version") or None
    earlier = WHOLE if turn is None else turn
    entries = []
    if answer:
        entries.append(Entry(situation, earlier, annotator, answer, "answer", at, version, kind))
    if note.strip():
        entries.append(Entry(situation, earlier, annotator, note, "note", at, version, kind))
    return turns if message is None else message, entries


def _whole(cells: Mapping[str, str], name: str) -> int | None:
    text = cells.get(name, "").strip()
    if not text:
        return None
    if not re.fullmatch(r"\d{1,9}(\.0+)?", text):  # some spreadsheets write 3 as 3.0
        raise TranscriptError(f"expected a whole number, 0 or more, got {text[:60]!r}", field=name)
    return int(float(text))


def _header(source: Source) -> tuple[int, str, dict[str, int]] | None:
    """The header's line, the delimiter and the places of the columns; None when there is no line."""
    for number, line in enumerate(islice(source.lines(), 20), 1):
        header = line.strip("\r\n")
        if header.strip() and not header.lower().startswith("sep="):
            found = (_split(header[:_LONGEST_HEADER], delimiter) for delimiter in DELIMITERS)
            return number, *max(found, key=lambda one: len(one[1]))
    return None


def _split(header: str, delimiter: str) -> tuple[str, dict[str, int]]:
    places: dict[str, int] = {}
    for place, name in enumerate(split_header(header, delimiter)):
        plain = name.casefold()
        if plain in _READ:
            places.setdefault(plain, place)
    return delimiter, places
