r"""A rule more in the text of the editor: everything else stays as a person wrote it, comments too.

>>> print(with_rule("# mine\nskip_patterns: []\n", SKIP, "^lgtm$", "says no more than yes"), end="")
# mine
skip_patterns:
  - pattern: '^lgtm$'
    reason: 'says no more than yes'
"""

from __future__ import annotations

import re
from io import StringIO

from ruamel.yaml import YAML

from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.gatekeeper.errors import RulesError
from convgate.gatekeeper.rules import Rules, parse_rules
from convgate.transcripts.characters import writable

LISTS = {SKIP: "skip_patterns", KEEP: "keep_patterns"}
_LONGEST = 80  # characters of a message that a pattern is made of
_SPECIAL = re.compile(r"([\\.^$|?*+()\[\]{}])")

EXAMPLE = r"""# Rules of your own, tried before the built-in checks. What is to be kept comes first.
#   pattern   words to find in the message, whatever the case; a regular expression of RE2.
#             Put it in single quotes: '^lgtm$' is that message alone, '\bticket\b' the word anywhere.
#   reason    why, for those who read the decision
#   category  a name of your own, or one of the gatekeeper's; custom unless given
#   applies_to  user, assistant or both: in whose message; user unless given
skip_patterns:
  - pattern: '^(lgtm|\+1|ping)[.!]*$'
    reason: says no more than yes
keep_patterns:
  - pattern: '\bticket #?\d+'
    reason: names a ticket
    category: ticket
"""
"""What an empty editor offers."""


def pattern_of(message: str) -> str | None:
    r"""A pattern for messages like this one: all of a short message, the first words of a long one.

    None when there is nothing to make it of.

    >>> pattern_of(" Fix it! (now) "), pattern_of("  ")
    ('^Fix it! \\(now\\)$', None)
    """
    words = [word for word in re.split(r"(\s+)", writable(message).strip()) if word]
    text, ends = "", True
    for word in words:
        if text and len(text) + len(word) > _LONGEST:
            ends = False
            break
        text += word[:_LONGEST]
        ends = len(word) <= _LONGEST
    if not text:
        return None
    pieces = re.split(r"(\s+)", text.strip())
    escaped = "".join(_gap(piece) if piece.isspace() else _whole(piece) for piece in pieces)
    return f"^{escaped}{'$' if ends else ''}"


def pattern_of_words(words: str) -> str | None:
    r"""A pattern that finds the words anywhere, not as parts of longer ones; None without any.

    >>> pattern_of_words("red build"), pattern_of_words("C++")
    ('\\bred build\\b', '\\bC\\+\\+')
    """
    text = " ".join(writable(words).split())
    if not text:
        return None
    begin, end = (r"\b" if _is_ascii_word(letter) else "" for letter in (text[0], text[-1]))
    return f"{begin}{_whole(text)}{end}"


def with_rule(text: str, outcome: str, pattern: str, reason: str) -> str:
    """The text with a rule more, the last of its list.

    Where the text is no YAML that can be read the rule is put where it seems to belong, or at the end.
    """
    added = _inserted(text, LISTS[outcome], pattern, reason)
    before, after = _rules(text), _rules(added)
    if before is None or (after is not None and len(after) == len(before) + 1):
        return added
    return _dumped(text, LISTS[outcome], pattern, reason) or added


def line_of(text: str, pattern: str) -> int | None:
    """The last line, from 1, that holds the pattern as `with_rule` writes it."""
    lines = text.split("\n")
    return next((n for n in range(len(lines), 0, -1) if _quoted(pattern) in lines[n - 1]), None)


def _inserted(text: str, name: str, pattern: str, reason: str) -> str:
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if re.match(rf"{name}\s*:", line)), None)
    if start is None:
        body = text.rstrip("\n")
        return (f"{body}\n" if body else "") + "\n".join([f"{name}:", *_entry("  ", pattern, reason), ""])
    lines[start] = re.sub(rf"^({name}\s*:)\s*(?:\[\s*\]|null|~)", r"\1", lines[start]).rstrip()
    end = start + 1
    indent = "  "
    for place in range(start + 1, len(lines)):
        line = lines[place]
        if re.match(r"[^\s#-]", line):  # the next list
            break
        if dash := re.match(r"(\s*)- ", line):
            indent = dash[1] if end == start + 1 else indent
        if line.strip() and not line.lstrip().startswith("#"):
            end = place + 1
    return "\n".join([*lines[:end], *_entry(indent, pattern, reason), *(lines[end:] or [""])])


def _dumped(text: str, name: str, pattern: str, reason: str) -> str | None:
    """The text read, added to, and written again: of lists in brackets, which no line can be put into."""
    yaml = YAML()  # keeps comments and quotes
    yaml.preserve_quotes = True
    yaml.width = 1_000
    document = yaml.load(text)
    entries = document.setdefault(name, [])
    if not isinstance(entries, list):
        return None
    entries.append({"pattern": pattern, "reason": reason})
    written = StringIO()
    yaml.dump(document, written)
    return written.getvalue()


def _rules(text: str) -> Rules | None:
    try:
        return parse_rules(text)
    except RulesError:
        return None


def _entry(indent: str, pattern: str, reason: str) -> list[str]:
    return [f"{indent}- pattern: {_quoted(pattern)}", f"{indent}  reason: {_quoted(reason)}"]


def _quoted(text: str) -> str:
    """YAML in single quotes, in which nothing but the quote itself is special."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


def _gap(space: str) -> str:
    if space == " ":
        return space
    return r"\s+" if space.isascii() else r"[\s\pZ]+"  # white space of RE2 is ASCII alone


def _whole(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _is_ascii_word(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "_")
