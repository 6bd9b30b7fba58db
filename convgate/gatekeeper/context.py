"""What of a message is the person's own statement: not quoted, no code, and not asked."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Any

from convgate.gatekeeper.pattern import CLAUSE, Span, compiled, spelled_out
from convgate.gatekeeper.patterns import LANGUAGES

_MARKS = (b'"', b" '", b"`", b">", b"#", b"//", b"/*")
_LETTER = re.compile(rb"[a-wyz]")  # of words that are not blanked
_LONGEST_QUOTE = 300  # characters; what is longer is a quotation mark that stands alone
_BLANKED = bytes(ord("_") if chr(code).isalnum() or chr(code) == "'" else code for code in range(256))

# Text that is handed over to be worked on.
_HANDED_OVER = re.compile(
    rb"\b(?:translate|rewrite|reword|rephrase|paraphrase|proofread|summari[sz]e|(?:write|make) an? [a-z]+"
    rb"|what does|traduis|traduisez|reecris|reformule|corrige|uberset[a-z]+|formulier[a-z]*)\b"
    rb"[^:.!?\n]{0,60}:[^\n]*"
)

# What somebody else said, and code: backticks, quotation marks, a quoted line, a line that is a comment, a
# comment of several lines, a comment behind something. Each repeats one class up to what ends it, so all
# take linear time. Within single quotes an apostrophe stands between letters.
_FOREIGN = re.compile(
    rb'`[^`\n]+`|"[^"\n]{2,%d}"|^[ \t]*>[^\n]*' % _LONGEST_QUOTE
    + rb"|(?<=[\s(:])'(?:[^'\n]|(?<=[a-z])'(?=[a-z])){2,%d}'(?![a-z0-9])" % _LONGEST_QUOTE
    + rb"|^(?://|[ \t]+(?:#|//))[^\n]*|^[ \t]*/\*[^\n]*(?:\n[ \t]*\*[^\n]*)*|(?<=\S)[ \t](?:#|//) [^\n]*",
    re.MULTILINE,
)


@functools.cache
def _asked() -> Any:
    openers = "|".join(spelled_out(language.questions, {}) for language in LANGUAGES)
    linking = r"\b(?:and|but|so|or|hi|hey|hello|well|ok|okay|no|et|mais|und|aber) "
    return compiled(rf"(?:{CLAUSE}|{linking.replace(' ', r'[, ]+')})((?:{openers})(?:[^.!?\n]|[.]\S)*[?])")


@functools.cache
def _asked_without_mark() -> Any:
    """An English question word with its verb before the subject, as in "what do we always use"."""
    return compiled(
        r"(?:^|[.!?\n]\s*)((?:what|which|who|how|why|where|when)(?:'s|s)?\s+(?:[a-z]+\s+){0,2}"
        r"(?:do|does|did|should|can|could|would|is|are|was|were|happens|means?)\b[^.!?\n]*)"
    )


def own_words(text: bytes) -> bytes:
    """A folded message with quotations and code blanked; a message that is nothing else stays."""
    if b":" in text:
        text = _HANDED_OVER.sub(_blank, text)
    if not any(mark in text for mark in _MARKS):
        return text
    parts = text.split(b"```")
    parts[1::2] = [part.translate(_BLANKED) for part in parts[1::2]]
    blanked = _FOREIGN.sub(_named, b"```".join(parts))
    return blanked if _LETTER.search(blanked) else text


def _blank(found: re.Match[bytes]) -> bytes:
    return found[0].translate(_BLANKED)


def _named(found: re.Match[bytes]) -> bytes:
    """Quoted words become one without meaning, so that "never `push`" is still never something."""
    return b"x" * len(found[0]) if found[0][:1] in b"`\"'" else _blank(found)


def questions(text: bytes) -> Sequence[Span]:
    """The parts of a folded message that ask."""
    asked = [found.span(1) for found in _asked().finditer(text)] if b"?" in text else []
    return asked + [found.span(1) for found in _asked_without_mark().finditer(text)]
