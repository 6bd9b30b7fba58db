"""Lines that list the relevant turns of a message, as other labelling tools write them.

    {"current_turn": 9, "current_text": "And …", "history_start": 0, "history_end": 9, "relevant_turns": [4]}

Such a line does not name its conversation; `current_text`, the beginning of the message, is compared with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.labels.imports import (
    NO_ANNOTATOR,
    NO_CONVERSATION,
    Collector,
    Import,
    close_import,
    parse_index,
    parse_text,
)
from convgate.store import Conversations, Entry, SituationKey, Store
from convgate.transcripts.json_text import kind
from convgate.transcripts.source import Source

NAME = "turn-lists"


def is_turn_list(source: Source) -> bool:
    """Return whether most of the first lines have a current turn and relevant turns."""
    if source.json is None:
        return False
    document = None if source.json.is_lines else source.json.document
    values = document[:20] if isinstance(document, list) else source.json.sample
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
    if source.json is None:
        raise source.json_error or TranscriptError("this is not JSON", file=file)
    if annotator is None:
        raise TranscriptError(NO_ANNOTATOR, file=file)
    if conversation is None:
        raise TranscriptError(NO_CONVERSATION, file=file)
    each = not source.json.is_lines and isinstance(source.json.document, list)
    stored = Conversations(store).get(conversation)
    collector = Collector(source.report)
    for value, place in source.json.values(each=each):
        try:
            current, entries = _parse_line(value, stored.summary.key, stored.conversation, annotator)
        except TranscriptError as error:
            place.leave_out_all(error)
            continue
        # In a document, a value has no line of its own but begins on one.
        line = place.line or (place.locator.line(place.prefix) if place.locator else 1)
        for entry in entries:
            collector.add(line, current, entry)
    return close_import(store, source.report, NAME, collector.entries(), {}, skip_bad=skip_bad)


def _parse_line(value: Any, key: str, conversation: Conversation, annotator: str) -> tuple[int, list[Entry]]:
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object with 'current_turn', got {kind(value)}")
    current = parse_index(value.get("current_turn"), "current_turn")
    if current >= len(conversation):
        raise TranscriptError(
            f"turn {current}, but the conversation has {len(conversation)} turns", field="current_turn"
        )
    text = " ".join((parse_text(value, "current_text") or "").split())
    if not " ".join(conversation.turns[current].text.split()).startswith(text):
        raise TranscriptError(f"turn {current} of the conversation has another text", field="current_text")
    start = parse_index(value.get("history_start", 0), "history_start")
    end = parse_index(value.get("history_end", current), "history_end")
    if not start <= end <= current:
        raise TranscriptError(f"{start} to {end} is no range of turns before {current}", field="history_end")
    relevant = value.get("relevant_turns")
    if not isinstance(relevant, list):
        raise TranscriptError(f"expected a list of turns, got {kind(relevant)}", field="relevant_turns")
    for place, turn in enumerate(relevant):
        field = f"relevant_turns[{place}]"
        if not start <= parse_index(turn, field) < end:
            raise TranscriptError(f"{turn} is not in the history from {start} to before {end}", field=field)
    situation = SituationKey(key, current)
    return current, [
        Entry(situation, turn, annotator, "relevant" if turn in relevant else "not_relevant")
        for turn in range(start, end)
    ]
