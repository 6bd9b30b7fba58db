"""What a run of turns is about, in a few of its own words."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from convgate.core.text import to_line
from convgate.text.words import words

_MAX_WORDS = 3
_MIN_LETTERS = 4
_EXCERPT = 60  # characters of the first turn, where no word stands out
_MAX_CHARACTERS = 2_000  # of each turn that are read


class Subjects:
    """Names runs of a conversation's turns by the words that they share and other turns lack."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._words = [
            {word for word in words(text[:_MAX_CHARACTERS]) if len(word) >= _MIN_LETTERS and word.isalpha()}
            for text in texts
        ]
        self._counts = Counter(word for own in self._words for word in own)

    def name(self, turns: Sequence[int]) -> str:
        """Return the words of at least two of these turns (0-based) that are rarest elsewhere, as a list.

        Without such words, the beginning of the first of the turns that has a text.

        >>> texts = ["write a fibonacci function", "the fibonacci function", "my loss is nan", "the loss"]
        >>> subjects = Subjects(texts)
        >>> subjects.name([0, 1]), subjects.name([2])
        ('fibonacci, function', 'my loss is nan')
        """
        here = Counter(word for turn in turns for word in self._words[turn])
        weights = {
            word: count * math.log(len(self._texts) / self._counts[word])
            for word, count in here.items()
            if count > 1 and count >= self._counts[word] / 2
        }
        if best := sorted(weights, key=lambda word: (-weights[word], word))[:_MAX_WORDS]:
            return ", ".join(best)
        return next((line for turn in turns if (line := to_line(self._texts[turn], _EXCERPT))), "no text")
