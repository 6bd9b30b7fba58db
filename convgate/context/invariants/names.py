"""Names in a text: what is written with a capital though no sentence begins there."""

from __future__ import annotations

import re

from convgate.context.invariants.words import stem
from convgate.gatekeeper.folding import fold

_NAME = re.compile(r"(?:[\w,)'%’-] +(?:[\"“«(] ?)?|[\"“«(])([A-Z][\w-]*[\w])")
_GREETING = re.compile(r"\b(?:Dear|Hello|Hi|Liebe|Lieber|Cher|Chère) ([A-Z]\w+)")
_NO_NAMES = frozenset(("Im", "Ich", "Sie", "Ihr", "Ihre", "Ihnen", "OK", "Ok"))
_LOOKED_AT = 4_000  # characters of a text


def names_of(text: str) -> frozenset[bytes]:
    """The names of a text, as stems.

    >>> sorted(names_of("It's Foss with an F. Tell Anna."))
    [b'anna', b'foss']
    """
    text = text[:_LOOKED_AT]
    found = (*_NAME.findall(text), *_GREETING.findall(text))
    return frozenset(stem(fold(name).text) for name in found if name not in _NO_NAMES)
