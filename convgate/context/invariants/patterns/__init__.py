"""The patterns of invariants beside the gatekeeper's own, a place for each language.

Corrections and policies are the gatekeeper's (`convgate.gatekeeper.patterns`); here is what only a whole
conversation needs: what has to be, what is dangerous, what fails, what ends a rule, what is said once only.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping

from convgate.context.invariants.patterns import de, en, fr
from convgate.context.invariants.patterns.traces import TRACES
from convgate.gatekeeper.pattern import Lexicon, Pattern
from convgate.gatekeeper.patterns.de import GERMAN
from convgate.gatekeeper.patterns.en import ENGLISH
from convgate.gatekeeper.patterns.fr import FRENCH
from convgate.gatekeeper.patterns.language import Language

ERROR = frozenset(("trace", "error"))
"""Categories that are looked for in quotations and code, too."""

_END = {
    "end": r"(?:[.,;:!)\n]+\s*[-*(]*\s*[a-z0-9_]+|[.,;:!)]*\s*$)",
    "num": r"""
        (?:[0-9][0-9.,:]*(?:k|m|ms|st|nd|rd|th|h|g|kg|km|cm|mm|ml|mb|gb|kb)?\b|one|two|three|four|five
        |six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|hundred
        |thousand|half an?|a quarter(?: of an?)?)
    """,
}
"""The end of a clause, with the next letter, for patterns stand between word boundaries; and a number."""

_LANGUAGES: tuple[tuple[Language, tuple[Pattern, ...]], ...] = (
    (ENGLISH, (*TRACES, *en.PATTERNS)),
    (FRENCH, (*TRACES, *fr.PATTERNS)),
    (GERMAN, (*TRACES, *de.PATTERNS)),
)

# Everyday words that the other two languages do not have.
_EVERYDAY: tuple[frozenset[bytes], ...] = (
    frozenset(
        b"""the and of to is it that you for are with this have not be at from they we what my your can will
    would there their all no but or if do has was our an please only must never always use should i'm
    it's don't thanks""".split()
    ),
    frozenset(
        b"""le la les des une du et est que qui pour dans pas sur au aux avec ce cette je tu nous vous il elle
    mais ou sont ne plus par mon ma mes son sa ses notre votre c'est j'ai merci jamais toujours bonjour
    non d'un d'une l'on qu'il un""".split()
    ),
    frozenset(
        b"""der das und ist ich nicht ein eine mit auf fur sie wir es den dem von zu sich auch nur noch wie
    bei
    aus aber oder wenn hat sind einen einem einer mir mich immer bitte danke kein keine nein ja nie im
    am vom zum zur doch jetzt die mehr hab soll""".split()
    ),
)
_WORD = re.compile(rb"[a-z]+(?:'[a-z]+)?")
_TELLS = 3  # everyday words of a language, at least, before others are left out
_READ = 2_000  # bytes of a message by which its language is told


def spoken(text: bytes) -> tuple[int, ...]:
    """Which languages a folded message may be in; all of them when it has hardly an everyday word."""
    words = _WORD.findall(text[:_READ])
    counts = [sum(word in known for word in words) for known in _EVERYDAY]
    most = max(counts)
    if most < _TELLS:
        return tuple(place for place, count in enumerate(counts) if count == most or place == 0)
    return tuple(place for place, count in enumerate(counts) if count * 3 >= most)


@functools.cache
def lexicon(language: int) -> Lexicon:
    """The patterns of one language that are looked for in what the user says in own words."""
    return _lexicon(language, lambda pattern: pattern.category not in ERROR)


@functools.cache
def error_lexicon(language: int) -> Lexicon:
    """The patterns of one language that are looked for in everything, quotations and code too."""
    return _lexicon(language, lambda pattern: pattern.category in ERROR)


def _lexicon(place: int, wanted: Callable[[Pattern], bool]) -> Lexicon:
    language, patterns = _LANGUAGES[place]
    named: Mapping[str, str] = {**language.named, **_END}
    chosen = [pattern for pattern in patterns if wanted(pattern)]
    return Lexicon(chosen, [named] * len(chosen))
