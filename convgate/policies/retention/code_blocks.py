"""The code blocks of a message: fenced ones with their language, and indented ones.

>>> code_blocks("As promised:\\n\\n```python\\nprint(1)\\n```")
(CodeBlock(language='python', line=3, end=5, code='print(1)\\n'),)
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt

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
    """The blocks of code in a text, by CommonMark's rules, in order; () when there is none.

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
    """The text without its code blocks; nothing else is changed.

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
    """Reads blocks alone: what is inside a paragraph does not matter here."""
    reader = MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).disable(["inline"])
    reader.parse("```\n```")  # sets up its rules, which two threads must not do at once
    return reader
