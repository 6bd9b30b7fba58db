"""An estimate of confidence from hedging language, where none is stated.

It reads the usual hedges and assurances of English, French and German. A false statement without a hedge
counts as a plain one, so plain statements stay below the confidence that is kept without limit.

>>> estimated("Oslo is the capital of Norway."), estimated("I think it might be Bergen. I'm not sure.")
(0.65, 0.25)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt

_PLAIN = 0.65  # of a text without hedges and assurances
_HEDGED, _ASSURED = -0.4, 0.1  # added when every sentence hedges, or assures; in proportion when some do
_MAX_CHARACTERS = 50_000  # that are read of a text: at worst 50 µs each
_MAX_NESTING = 10  # of lists, their entries and quotations

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
    """Return 0.25 (every sentence hedges) to 0.75 (every sentence assures); None of a text without words.

    Code is not read. Of a long text the first 50,000 characters are.
    """
    prose = _INLINE_CODE.sub(" ", without_code(text[:_MAX_CHARACTERS])).replace("’", "'")
    sentences = [sentence for sentence in _SENTENCE_END.split(prose) if _WORD.search(sentence)]
    if not sentences:
        return None
    unhedged = [sentence for sentence in sentences if not _HEDGE.search(sentence)]
    assured = sum(bool(_ASSURANCE.search(sentence)) for sentence in unhedged)
    n, hedged = len(sentences), len(sentences) - len(unhedged)
    return round(_PLAIN + _HEDGED * hedged / n + _ASSURED * assured / n, 4)


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """One block of code in a message."""

    language: str  # the first word after the fence, as it is written; empty when none is given
    line: int  # of the message, from 1: where the block begins, its fence included
    end: int  # its last line, inclusive
    code: str


def code_blocks(text: str) -> tuple[CodeBlock, ...]:
    """Return the blocks of code in a text, by CommonMark's rules, in order; () when there is none.

    Of a long text the first 50,000 characters are read, and nothing within more than five lists.
    """
    text = text[:_MAX_CHARACTERS]
    if "```" not in text and "~~~" not in text and "\t" not in text and "    " not in text:
        return ()
    return tuple(
        CodeBlock("".join(token.info.split()[:1]), token.map[0] + 1, token.map[1], token.content)
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
        line for number, line in enumerate(re.split(r"\r\n?|\n", text), start=1) if number not in inside
    )


@lru_cache(maxsize=1)
def _blocks() -> MarkdownIt:
    """Return a reader of blocks alone, not of what is inside a paragraph."""
    reader = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).disable(["inline"])
    reader.parse("```\n```")  # sets up its rules, which two threads must not do at once
    return reader
