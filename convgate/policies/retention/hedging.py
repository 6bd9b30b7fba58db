"""An estimate of confidence from hedging language, where nothing better is known.

It knows the usual hedges and assurances of English, French and German, and nothing of whether they are
deserved: a fluent mistake has none. That is why plain statements stay below the border from which on a
message is kept without limit, and why what comes from here is marked as estimated wherever it is shown.

>>> estimated("Oslo is the capital of Norway."), estimated("I think it might be Bergen. I'm not sure.")
(0.65, 0.25)
"""

from __future__ import annotations

import re
from functools import lru_cache

from convgate.policies.retention.code_blocks import LONGEST, without_code

PLAIN = 0.65
"""A text without hedges and assurances."""

HEDGED = -0.4
"""What is added when every sentence hedges; less, as fewer do."""

ASSURED = 0.1
"""What is added when every sentence assures; less, as fewer do."""

_HEDGES = (
    "maybe|perhaps|possibly|probably|presumably|supposedly|apparently|might|i guess|i suppose|unsure",
    "i think|i believe|i assume|i suspect|not (?:entirely |quite |really )?(?:sure|certain)|don't quote me",
    "uncertain|could be|may be|may well|seems|hard to (?:say|tell)|double[- ]check|if i (?:remember|recall)",
    "i (?:don't|do not|can't|cannot) (?:know|tell|verify|confirm|be sure)|as far as i (?:know|can tell)",
    "peut-être|probablement|sans doute|il se peut|je (?:crois|pense|suppose)|il (?:me )?semble|pourrait",
    "pas (?:sûre?|certaine?)|je ne sais pas|à ma connaissance|éventuellement|apparemment|à vérifier",
    "vielleicht|vermutlich|wahrscheinlich|möglicherweise|eventuell|anscheinend|womöglich|könnte|dürfte",
    "ich (?:glaube|denke|vermute|schätze|weiß nicht)|nicht (?:ganz )?sicher|unsicher|soweit ich weiß",
)
_ASSURANCES = (
    "definitely|certainly|clearly|exactly|always|never|guaranteed|confirmed|verified|proven",
    "i(?:'m| am) (?:sure|certain|confident)|i (?:have )?(?:tested|checked|verified|confirmed)|all tests pass",
    "certainement|exactement|toujours|jamais|j'ai (?:vérifié|testé)|je suis (?:sûre?|certaine?)",
    "definitiv|garantiert|sicherlich|genau|immer|niemals|geprüft|getestet|ich bin (?:mir )?sicher",
)
_HEDGE = re.compile(rf"\b(?:{'|'.join(_HEDGES)})\b", re.IGNORECASE)
_ASSURANCE = re.compile(rf"\b(?:{'|'.join(_ASSURANCES)})\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s|\n")
_INLINE_CODE = re.compile(r"`[^`\n]*`")
_WORD = re.compile(r"\w")


@lru_cache(maxsize=20_000)
def estimated(text: str) -> float | None:
    """0.25 (every sentence hedges) to 0.75 (every sentence assures); None of a text without words.

    Code is not read: `maybe` is a name there. Of a long text the first 50,000 characters are.
    """
    prose = _INLINE_CODE.sub(" ", without_code(text[:LONGEST])).replace("’", "'")
    sentences = [sentence for sentence in _SENTENCE_END.split(prose) if _WORD.search(sentence)]
    if not sentences:
        return None
    hedged = [bool(_HEDGE.search(sentence)) for sentence in sentences]
    assured = sum(
        not hedges and bool(_ASSURANCE.search(sentence))
        for hedges, sentence in zip(hedged, sentences, strict=True)
    )
    n = len(sentences)
    return round(PLAIN + HEDGED * sum(hedged) / n + ASSURED * assured / n, 4)
