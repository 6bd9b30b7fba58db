"""What a run of turns is about, in a few of its own words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from convgate.core.text import join_words, to_line
from convgate.gate.columns import inverse_frequency
from convgate.text.words import stems, words

_MAX_WORDS = 2
_MIN_LETTERS = 4
_EXCERPT = 60  # characters of the first turn, where no word stands out
_MAX_CHARACTERS = 2_000  # of each turn that are read


class Subjects:
    """Names runs of a conversation's turns by the words that they share and other turns lack."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._words = [_read_words(text) for text in texts]  # by stem, of each turn
        self._counts = Counter(stem for own in self._words for stem in own)

    def name(self, turns: Sequence[int]) -> str:
        """Return the words of at least two of these turns (0-based) that are rarest elsewhere.

        Without such words, the beginning of the first of the turns that has a text.

        >>> texts = ["write fibonacci with memory", "the fibonacci series", "my loss is nan", "the loss"]
        >>> subjects = Subjects(texts)
        >>> subjects.name([0, 1]), subjects.name([2])
        ('fibonacci', 'my loss is nan')
        """
        here = Counter(stem for turn in turns for stem in self._words[turn])
        weights = {
            stem: count * inverse_frequency(stem, self._counts[stem], len(self._texts))
            for stem, count in here.items()
            if count > 1 and count >= self._counts[stem] / 2
        }
        best = sorted((stem for stem in weights if weights[stem]), key=lambda stem: (-weights[stem], stem))
        if not best:
            return next((line for turn in turns if (line := to_line(self._texts[turn], _EXCERPT))), "no text")
        return join_words(
            Counter(own[stem] for turn in turns if stem in (own := self._words[turn])).most_common(1)[0][0]
            for stem in best[:_MAX_WORDS]
        )


def _read_words(text: str) -> dict[str, str]:
    own = [word for word in words(text[:_MAX_CHARACTERS]) if len(word) >= _MIN_LETTERS and word.isalpha()]
    return dict(zip(stems(own), own, strict=True))
