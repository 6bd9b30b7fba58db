"""What the message before asked, and whether a short message is the answer to it."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from convgate.conversation import Turn
from convgate.gatekeeper.context import own_words
from convgate.gatekeeper.folding import fold
from convgate.gatekeeper.pattern import CLAUSE, compiled, spelled_out
from convgate.gatekeeper.patterns import LANGUAGES

LONGEST_ANSWER = 60
"""Characters of a message that can still be taken for an answer and nothing else."""

_TAIL = 1_000  # characters of the message before that are looked at, the last
_MARK = re.compile(rb"[?](?![a-z0-9&=])")  # not within an address


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked last."""

    closed: bool  # whether yes or no answers it
    choice: bool  # whether its answer decides something


@functools.cache
def _open() -> Any:
    words = "|".join(spelled_out(language.open_questions, {}) for language in LANGUAGES)
    linking = "and|but|so|or|then|et|mais|alors|und|aber|also|denn"
    preposition = "in|on|at|for|to|from|by|auf|mit|a|de|pour|avec|sur"
    return compiled(rf"(?:{CLAUSE}|\b(?:{linking}) )(?:(?:{preposition}) )?(?:{words})\b")


@functools.cache
def _choice() -> Any:
    return compiled("|".join(spelled_out(one.choices, {}) for one in LANGUAGES))


@functools.cache
def _offer() -> Any:
    return compiled("|".join(spelled_out(one.offers, {}) for one in LANGUAGES))


@functools.cache
def _invitation() -> Any:
    return compiled("|".join(spelled_out(one.invitations, {}) for one in LANGUAGES))


def question_before(previous: Sequence[Turn]) -> Question | None:
    """The last question in the end of the last turn with words; None when it asks nothing."""
    said = next(
        (turn.text for turn in reversed(previous) if not turn.is_instruction and turn.text.strip()), ""
    )
    if not said:
        return None
    text = own_words(fold(said[-_TAIL:]).text).rstrip()
    marks = [found.end() for found in _MARK.finditer(text)]
    if marks:
        end = marks[-1]
        start = max(text.rfind(mark, 0, end - 1) for mark in (b". ", b"! ", b"? ", b"\n", b": ")) + 1
        sentence = text[start:end].strip()
        if _offer().search(sentence):
            return None
        return Question(
            closed=_open().search(sentence) is None, choice=_choice().search(sentence) is not None
        )
    if found := _invitation().search(text):
        sentence = text[found.start() :]
        return Question(closed=b" if " in sentence or b" whether " in sentence, choice=True)
    return None
