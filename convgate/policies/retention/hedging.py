"""An estimate of confidence from hedging language, where nothing better is known.

It knows the usual hedges and assurances of English, French and German, and nothing of whether they are
deserved: a fluent mistake has none. That is why plain statements stay below the border from which on a
message is kept without limit, and why what comes from here is marked as estimated wherever it is shown.

>>> estimated("Oslo is the capital of Norway."), estimated("I think it might be Bergen. I'm not sure.")
(0.65, 0.25)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt

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


LONGEST = 50_000
"""Characters of a text that are read: in the worst of texts each costs 50 µs."""

_DEEPEST = 10  # lists, their entries and quotations within each other
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One block of code in a message."""

    language: str  # the first word after the fence, as it is written; empty when none is given
    line: int  # of the message, from 1: where the block begins, its fence included
    end: int  # its last line, inclusive
    code: str


def code_blocks(text: str) -> tuple[CodeBlock, ...]:
    """Return the blocks of code in a text, by CommonMark's rules, in order; () when there is none.

    Of a long text the first LONGEST characters are read, and nothing within more than five lists.
    """
    text = text[:LONGEST]
    if "```" not in text and "~~~" not in text and "\t" not in text and "    " not in text:
        return ()
    return tuple(
        CodeBlock(_language(token.info), token.map[0] + 1, token.map[1], token.content)
        for token in _blocks().parse(text)
        if token.type in ("fence", "code_block") and token.map
    )


def without_code(text: str) -> str:
    """Return the text without its code blocks; nothing else is changed.

    >>> without_code("Perhaps so:\\n\\n```\\nmaybe()\\n```\\nDone.")
    'Perhaps so:\\n\\nDone.'
    """
    blocks = code_blocks(text)
    if not blocks:
        return text
    inside = {line for block in blocks for line in range(block.line, block.end + 1)}
    return "\n".join(
        line for number, line in enumerate(_LINE_END.split(text), start=1) if number not in inside
    )


def _language(info: str) -> str:
    words = info.split()
    return words[0] if words else ""


@lru_cache(maxsize=1)
def _blocks() -> MarkdownIt:
    """Read blocks alone: what is inside a paragraph does not matter here."""
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).disable(["inline"])
    reader.parse("```\n```")  # sets up its rules, which two threads must not do at once
    return reader
