"""What turns are about, in a few of their own words, and where that is talked about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from convgate.core.conversation import Turn
from convgate.core.text import to_line
from convgate.gate.columns import is_rare, rarity
from convgate.gate.facts import TurnFacts, facts_of
from convgate.text.stop_words import stop_stems
from convgate.text.words import find_stems, stems, words

_NEAR = 4  # turns before and after one that tell what it is about
_MIN_LETTERS, _MAX_WORDS = 3, 2  # of a stem that says it, and how many do
_MAX_SHARE, _MAX_SHARE_ALONE = 0.003, 0.002  # of all turns: of a stem that turns near share, or one has alone
_FEW_STEMS = 3  # fewer that no other turn has do not say it
_MAX_SUBJECTS = 3  # of a run of turns of which most have none in common
_GAP = 2  # from a turn with the words to the next one where they are still talked about
_MAX_READ = 2_000  # words of a turn
_WITHIN = re.compile(r"(?<=[\w,;»”\"] )[^\W\d_]\w+")  # a word that does not begin a sentence
_EXCERPT = 60  # characters of a turn, where no word says what turns are about


def names_subject(message: Iterable[str]) -> bool:
    """Return whether any of a message's stems is rare enough to name its subject."""
    return any(stem.isalpha() and is_rare(stem, _MAX_SHARE) for stem in message)


class Subject(NamedTuple):
    """What a turn is about."""

    turn: int  # that has the words, itself or one before
    stems: list[str]  # of the words, at most two; empty where none say it
    first: int  # of the turns around it that have the first of them
    last: int


class Subjects:
    """What the turns of a conversation are about, other than a message: rare words that turns near share.

    facts: of the turns, where they are known. Of each method, message: the stems of the message; stop: the
    place of the message, where later turns are known.

        >>> texts = ["write Fibonacci with memory", "the Fibonacci series", "my loss is nan", "the loss"]
        >>> subjects = Subjects([Turn.of("user", text) for text in texts])
        >>> subjects.of(0, ()), subjects.name([0, 1], ())
        (Subject(turn=0, stems=['fibonacci'], first=0, last=1), 'Fibonacci')
    """

    def __init__(self, turns: Sequence[Turn], facts: Sequence[TurnFacts] | None = None) -> None:
        self._turns = turns
        self._facts = [facts_of(turn) for turn in turns] if facts is None else facts
        names = {turn.name for turn in turns if turn.name}
        self._names = frozenset(stems([word for name in names for word in words(name)]))
        self._runs: dict[tuple[str, int], tuple[int, int]] = {}

    def of(self, row: int, message: Collection[str], stop: int | None = None) -> Subject:
        """Return what a turn is about: the words of the highest weight by how many turns near have them.

        An answer without such words is about what the turn before it is.
        """
        stop = len(self._facts) if stop is None else stop
        near = range(max(0, row - _NEAR), min(stop, row + _NEAR + 1))
        for turn in range(row, near.start - 1, -1):
            facts, weights = self._facts[turn], self._weigh(turn, near, message)
            is_enough = any(is_shared for _, is_shared in weights.values())
            is_enough |= not facts.assistant and len(weights) >= _FEW_STEMS
            if is_enough or not (facts.assistant or facts.named):
                best = sorted(weights, key=lambda stem: (-weights[stem][0], stem))[:_MAX_WORDS]
                best = [stem for stem in best if weights[stem][1] == weights[best[0]][1]]
                first, last = self._run(turn, best[0], stop) if best else (turn, turn)
                return Subject(turn, best, first, max(last, row))
            if facts.named:
                break
        return Subject(row, [], row, row)

    def words(self, subject: Subject) -> list[str]:
        """Return the words that say what a turn is about, as they are written; two side by side are one."""
        text, wanted = self._turns[subject.turn].scored_text, subject.stems
        for place in find_stems(text, wanted, max_words=_MAX_READ) if len(wanted) > 1 else ():
            if {*stems(words(text[slice(*place)]))} == {*wanted}:
                return [text[slice(*place)]]
        places = find_stems(text, wanted, max_words=_MAX_READ, joined=False) if wanted else []
        written = [text[slice(*place)] for place in reversed(places)]
        forms = dict(zip(stems([form.casefold() for form in written]), written, strict=True))
        return [forms[stem] for stem in wanted if stem in forms]

    def name(self, turns: Sequence[int], message: Collection[str], stop: int | None = None) -> str:
        """Return the words that say what most of these turns are about, each of one of them.

        Without such words, one of each of the first subjects and an ellipsis for the others; without any, the
        beginning of the first of the turns that has a text.
        """
        of = [subject for turn in turns if (subject := self.of(turn, message, stop)).turn in turns]
        of = [subject for subject in of if subject.stems]
        counts = Counter(stem for subject in of for stem in subject.stems)
        best = [stem for stem, n in counts.most_common(_MAX_WORDS) if 2 * n > len(turns)]
        firsts = [] if best else list(dict.fromkeys(subject.stems[0] for subject in of))
        best = best or firsts[:_MAX_SUBJECTS]
        named = [next(each._replace(stems=[stem]) for each in of if stem in each.stems) for stem in best]
        is_part = bool(firsts) and (len(firsts) > _MAX_SUBJECTS or len(of) < len(turns))
        lines = (to_line(self._turns[turn].scored_text, _EXCERPT) for turn in turns)
        said = [*chain.from_iterable(map(self.words, named)), *["…"] * is_part]
        return ", ".join(said) or next(filter(None, lines), "no text")

    def _weigh(self, row: int, near: range, message: Collection[str]) -> dict[str, tuple[float, bool]]:
        """Return the stems of a turn that can say what it is about: weight, and whether others have it.

        A stem that no other turn near it has must be rarer in all conversations. How rare a word is is known
        of English: in other languages words with a capital within a sentence come first.
        """
        result: dict[str, tuple[float, bool]] = {}
        others = [self._facts[turn].stems for turn in near]
        stop, text = stop_stems(self._facts[row].stems), self._turns[row].scored_text
        is_english = stop is stop_stems(())
        within = () if is_english else _WITHIN.findall(text)
        capitals = {*stems([word.casefold() for word in within if word[0].isupper()])}
        for stem in self._facts[row].stems:
            is_word = len(stem) >= _MIN_LETTERS and stem.isalpha() and is_rare(stem, _MAX_SHARE)
            if is_word and stem not in message and stem not in self._names and stem not in stop:
                count = [stem in other for other in others].count(True)
                if count > 1 or (is_rare(stem, _MAX_SHARE_ALONE) and (is_english or stem in capitals)):
                    result[stem] = count * rarity(stem), count > 1
        with_capitals = {} if is_english else {stem: result[stem] for stem in result if stem in capitals}
        return with_capitals or result

    def _run(self, turn: int, stem: str, stop: int) -> tuple[int, int]:
        """Return the first and the last of the turns around one that have a stem, every second or more."""
        first, last = self._runs.get((stem, stop), (turn + 1, turn))
        if not first <= turn <= last:
            first, last = (self._walk(turn, step, stem, stop) for step in (-1, 1))
            self._runs[stem, stop] = first, last
        return first, last

    def _walk(self, turn: int, step: int, stem: str, stop: int) -> int:
        end = turn
        while abs(turn - end) < _GAP and 0 <= (turn := turn + step) < stop:
            if stem in self._facts[turn].stems:
                end = turn
        return end
