"""What people write for an answer: as the app says it, as files have it, as a spreadsheet makes of it."""

from __future__ import annotations

import re

_SPELLINGS = {
    "relevant": ("relevant", "yes", "y", "true", "1", "✓"),
    "not_relevant": ("not relevant", "irrelevant", "non relevant", "no", "n", "false", "0", "✕"),
    "unsure": ("unsure", "not sure", "maybe", "?"),
    "done": ("done",),
    "skipped": ("skipped", "skip"),
}
_MEANT = {spelling: answer for answer, spellings in _SPELLINGS.items() for spelling in spellings}
_BETWEEN = re.compile(r"[\s_-]+")


def answer_meant(text: str) -> str:
    """The answer or status that a text stands for, as the log has it; what stands for none as it came.

    >>> answer_meant("Not relevant"), answer_meant("not-relevant"), answer_meant("perhaps")
    ('not_relevant', 'not_relevant', 'perhaps')
    """
    return _MEANT.get(_BETWEEN.sub(" ", text.strip().casefold()), text)


def in_words(answer: str) -> str:
    """An answer or status as the app says it.

    >>> in_words("not_relevant")
    'not relevant'
    """
    return answer.replace("_", " ")
