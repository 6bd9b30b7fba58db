"""Which earlier turns an answer quotes: a sign, without asking anybody, that they mattered."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from convgate.conversation import History
from convgate.errors import ConversationError

WORDS = 8
"""So many words in a row, the very same, are a quote; fewer are often a turn of phrase."""

_WORD = re.compile(r"\w+")
_CODE = re.compile(r"[(){}\[\]=;<>]")
_SHORTEST_CODE = 12  # characters of a line without the spaces around it


def quoted_turns(history: History, asked: str, answer: str, *, words: int = WORDS) -> list[int]:
    """Indices in the conversation of the turns that the answer quotes, in order.

    A quote is so many `words` in a row, whatever their case and punctuation, or a line of code, that stand
    in exactly one earlier turn: what several turns have, such as a greeting that always is the same, says
    nothing about which of them mattered. Nor does what stands in the message that is answered, `asked`.
    Instructions are passed over, for they are always sent. Where words are not divided by spaces, as in
    Chinese, few quotes are found.
    """
    if words < 1:
        raise ConversationError(f"a quote has at least one word; got {words}")
    candidates = set(_pieces(answer, words)) - set(_pieces(asked, words))
    found: dict[object, set[int]] = defaultdict(set)
    for index, turn in enumerate(history, history.start):
        if not turn.is_instruction:
            for piece in candidates.intersection(_pieces(turn.scored_text, words)):
                found[piece].add(index)
    return sorted({index for turns in found.values() if len(turns) == 1 for index in turns})


def _pieces(text: str, words: int) -> Iterator[object]:
    """Every run of so many words, and every line of code."""
    spoken = _WORD.findall(text.casefold())
    for start in range(len(spoken) - words + 1):
        yield tuple(spoken[start : start + words])
    for line in text.splitlines():
        stripped = line.strip()
        if len(stripped) >= _SHORTEST_CODE and _CODE.search(stripped):
            yield stripped
