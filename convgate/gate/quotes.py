"""Words that a turn shares with the message, as reasons quote them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain, islice, pairwise

from convgate.core.conversation import CurrentMessage
from convgate.core.decisions import Reason
from convgate.core.text import isolate, truncate
from convgate.gate.columns import is_rare
from convgate.gate.subjects import names_subject
from convgate.text.stop_words import stop_stems
from convgate.text.words import find_stems, stems, words

_MAX_WORDS, _MAX_STEMS, _MAX_QUOTES, _MAX_QUOTE = 2_000, 3, 3, 40  # the last one in characters
_VERY_RARE, _COMMON = 0.002, 0.02  # shares of all turns: of stems that are quoted first, and of the last


def quote_words(text: str, shared: Sequence[str], current: CurrentMessage) -> Reason | None:
    """Return a clause on the words of a text that have the first of these stems; None when it has none.

    Stop words and stems that are frequent everywhere are left out, and those of no whole word of the message.
    Of a message without rare ones, others are quoted where there are two, or with the word beside them.
    """
    message = current.turn.scored_text
    own, asked = (stems(words(each)[:_MAX_WORDS]) for each in (text, message))
    stop = stop_stems(own) | stop_stems(asked)
    shared = [stem for stem in shared if stem not in stop]
    rare = [stem for stem in shared if is_rare(stem, _VERY_RARE)] or [*filter(is_rare, shared)]
    named = (stem for stem in rare if find_stems(message, [stem], max_words=_MAX_WORDS))
    places = find_words(text, list(islice(named, _MAX_STEMS)))
    common = {stem for stem in shared if is_rare(stem, _COMMON)}
    if not places and common and not names_subject(asked):
        pairs = {*pairwise(asked)}.intersection(pairwise(own))
        beside = [pair for pair in pairs if common.intersection(pair)]
        places = find_words(text, [*common, *chain(*beside)])
        places = {key: places[key] for key in places if common.intersection(key)}
        if len(common.intersection(chain(*places))) < 2 and not any(len(key) > 1 for key in places):
            return None
    if not (quotes := list(places.values())[:_MAX_QUOTES]):
        return None
    quoted = ", ".join(f"“{isolate(truncate(text[slice(*first)], _MAX_QUOTE))}”" for first, *_ in quotes)
    whose = f"{whose_words(current)} {'words' if len(quotes) > 1 else 'word'}"
    return Reason(f"{whose} {quoted}", words=tuple(sorted(place for places in quotes for place in places)))


def find_words(text: str, wanted: Sequence[str]) -> Mapping[tuple[str, ...], list[tuple[int, int]]]:
    """Return where a text has words of these stems, by their stems; words side by side are one."""
    places: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for place in find_stems(text, wanted, max_words=_MAX_WORDS):
        places.setdefault(tuple(stems(words(text[slice(*place)]))), []).append(place)
    return places


def whose_words(current: CurrentMessage) -> str:
    """Return whose words those of a message are, in front of them."""
    return "your" if current.turn.role == "user" and not current.turn.name else "the message's"


def as_text(words: str) -> str:
    """Return words of a transcript as they stand in a reason, which is a template."""
    return isolate(truncate(words, _MAX_QUOTE)).replace("{", "{{").replace("}", "}}")
