"""Lines that list a message's relevant turns among those of a window: what other labelling tools write.

    {"current_turn": 9, "current_text": "And …", "history_start": 0, "history_end": 9, "relevant_turns": [4]}

Such a line does not say of which conversation it is; `current_text`, how the message begins, often tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from convgate.conversation import Conversation
from convgate.errors import TranscriptError
from convgate.labels.imported import NAMELESS, Collector, Import, summed_up, text_of
from convgate.store import Conversations, Entry, SituationKey, Store
from convgate.transcripts.json_places import Place
from convgate.transcripts.json_text import kind
from convgate.transcripts.source import Source

NAME = "turn-lists"

_CANDIDATES = 50  # conversations that are looked at to find the one that lines are about
_PHRASES = 3  # messages that are searched for
_PHRASE = 200  # characters of a message that are searched for


def recognises(source: Source) -> bool:
    """Whether most of its first lines have a current turn and relevant ones."""
    if source.json is None:
        return False
    document = None if source.json.is_lines else source.json.document
    values = document[:20] if isinstance(document, list) else source.json.sample
    return 2 * sum(map(_is_line, values)) > len(values)


def read(
    source: Source, store: Store, *, annotator: str | None, conversation: str | None, skip_bad: bool
) -> Import:
    """The labels of the lines: turns of the window that are not listed are not relevant.

    conversation: which one of the library they are about, by key; found by the messages' texts unless given.
    """
    file = source.report.file
    if source.json is None:
        raise source.json_error or TranscriptError("this is not JSON", file=file)
    if annotator is None:
        raise TranscriptError(NAMELESS, file=file)
    each = not source.json.is_lines and isinstance(source.json.document, list)
    found = list(source.json.values(each=each))
    values = [value for value, _ in found if _is_line(value)]
    key = conversation or _recognised(values, store, file)
    stored = Conversations(store).get(key)
    key, talk = stored.summary.key, stored.conversation
    collector = Collector(source.report, store)
    for value, place in found:
        try:
            current, entries = _entries(value, key, talk, annotator)
        except TranscriptError as error:
            place.leave_out_all(error)
            continue
        for entry in entries:
            collector.add(_line(place), current, entry)
    return summed_up(store, source.report, NAME, collector.entries(), {}, skip_bad=skip_bad)


def _is_line(value: Any) -> bool:
    return isinstance(value, Mapping) and "current_turn" in value and "relevant_turns" in value


def _line(place: Place) -> int:
    """The line of a value; of one in a document, the line that it begins on."""
    if place.line is not None or place.locator is None:
        return place.line or 1
    return place.locator.line(place.prefix)


def _entries(value: Any, key: str, talk: Conversation, annotator: str) -> tuple[int, list[Entry]]:
    if not isinstance(value, Mapping):
        raise TranscriptError(f"expected an object with 'current_turn', got {kind(value)}")
    current = _whole(value.get("current_turn"), "current_turn")
    if current >= len(talk):
        raise TranscriptError(
            f"turn {current}, but the conversation has {len(talk)} turns", field="current_turn"
        )
    if not _begins(talk, current, text_of(value, "current_text")):
        raise TranscriptError(
            f"turn {current} of the conversation says something else; is the line about another one?",
            field="current_text",
        )
    start = _whole(value.get("history_start", 0), "history_start")
    end = _whole(value.get("history_end", current), "history_end")
    if not start <= end <= current:
        raise TranscriptError(
            f"a history from {start} to before {end} is not one of turn {current}", field="history_end"
        )
    relevant = value.get("relevant_turns")
    if not isinstance(relevant, list):
        raise TranscriptError(f"expected a list of turns, got {kind(relevant)}", field="relevant_turns")
    for place, turn in enumerate(relevant):
        field = f"relevant_turns[{place}]"
        if not start <= _whole(turn, field) < end:
            turns = f"turns {start} to {end - 1}" if end > start else "no turns"
            raise TranscriptError(f"{turn} is not in the history, which has {turns}", field=field)
    listed = set(relevant)
    situation = SituationKey(key, current)
    return current, [
        Entry(situation, turn, annotator, "relevant" if turn in listed else "not_relevant")
        for turn in range(start, end)
    ]


def _recognised(values: Sequence[Mapping[str, Any]], store: Store, file: str) -> str:
    """The key of the one conversation that all messages are of."""
    unknown = "it does not say of which conversation it is: name one of the library"
    told = [
        (value["current_turn"], text)
        for value in values
        if isinstance(text := value.get("current_text"), str) and isinstance(value["current_turn"], int)
    ]
    phrases = sorted({_phrase(text) for _, text in told} - {""}, key=len)[-_PHRASES:]
    if not phrases:
        raise TranscriptError(unknown, file=file)
    library = Conversations(store)
    # Several, and most messages, because a bad line is to be told as one.
    found = [library.find(search=f'"{phrase}"', per_page=_CANDIDATES).rows for phrase in phrases]
    fitting: list[str] = []
    for key in dict.fromkeys(summary.key for rows in found for summary in rows):
        talk = library.get(key).conversation
        if 2 * sum(_begins(talk, turn, text) for turn, text in told) > len(told):
            fitting.append(key)
    if len(fitting) == 1:
        return fitting[0]
    which = f"; {', '.join(fitting[:10])} fit" if fitting else "; none has these messages"
    raise TranscriptError(unknown + which, file=file)


def _phrase(text: str) -> str:
    """The longest stretch of a message's beginning that can be searched for as it stands."""
    pieces = [piece.strip() for line in text.splitlines() for piece in line.split('"')]
    return max(pieces, key=len, default="")[:_PHRASE].strip()


def _begins(talk: Conversation, turn: int, text: str | None) -> bool:
    """Whether a turn begins with the text, but for spaces; True when there is none to compare."""
    if text is None:
        return True
    return 0 <= turn < len(talk) and " ".join(talk.turns[turn].text.split()).startswith(
        " ".join(text.split())
    )


def _whole(value: Any, field: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TranscriptError(f"expected a whole number, 0 or more, got {value!r}", field=field)
    return value
