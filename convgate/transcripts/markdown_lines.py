"""Lines of Markdown and plain text: which name a speaker, and which stand in a code fence.

>>> speaker("**User:** Hi"), speaker("See the **User:** page")
(Speaker(style='bold', role='user', name=None, said='Hi'), None)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from convgate.transcripts.roles import ROLE_NAMES, role_of

_AMBIGUOUS = frozenset({"model", "language model", "customer", "client", "bing", "llama", "me", "function"})
"""Names that begin too many lines which are no turns."""

_NAMES = "|".join(
    re.escape(name).replace(r"\ ", " +")
    for name in sorted((n for names in ROLE_NAMES.values() for n in names if n not in _AMBIGUOUS), key=len)[
        ::-1
    ]
)
_WHO = rf"(?P<role>{_NAMES})(?: +\((?P<name>[^()\n]{{1,80}})\))?"
_STYLES = {
    "heading": re.compile(
        r" {0,3}(?P<marks>\#{1,6})[ \t]++(?:[^\w\s#*]{1,3}[ \t]++)?(?:\*\*|__)?"
        rf"{_WHO}(?P<verb> said)?[ \t]*(?P<tail>.*)",
        re.IGNORECASE,
    ),
    "bold": re.compile(
        rf" {{0,3}}(?P<bold>\*\*|__){_WHO}(?: said)?[ \t]*"
        r"(?:[:：](?P=bold)|(?P=bold)[ \t]*[:：]|(?P=bold)\s*$)[ \t]*(?P<said>.*)",
        re.IGNORECASE | re.DOTALL,
    ),
    "plain": re.compile(rf"{_WHO}(?: said)?[ \t]*[:：](?!//)[ \t]*(?P<said>.*)", re.IGNORECASE | re.DOTALL),
}
_FENCE = re.compile(r"[ \t]*(?P<fence>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Speaker:
    """What a line says that begins a turn."""

    style: str  # "plain", "bold", "heading 2", "heading" for headings of any level such as "You said:"
    role: str
    name: str | None
    said: str  # what follows on the same line


@dataclass(frozen=True, slots=True)
class Fence:
    """What a line says that may open or close a code fence."""

    mark: str  # "`" or "~"
    length: int
    closes: bool  # whether it can close one: nothing follows the marks

    def ends(self, opened: Fence) -> bool:
        """Whether it closes the fence that another line opened."""
        return self.closes and self.mark == opened.mark and self.length >= opened.length


def speaker(line: str) -> Speaker | None:
    """Who a line says speaks now, None when it says nothing of the kind."""
    line = line.rstrip("\r\n")
    for style, pattern in _STYLES.items():
        match = pattern.fullmatch(line)
        if match is None:
            continue
        found = match.groupdict()
        said = found.get("said") or ""
        if style == "heading":
            tail = found["tail"].strip(" \t*_#")
            if tail and tail[0] not in ":：":
                continue
            said = tail[1:].lstrip(" \t*_")
            if not found["verb"]:
                style = f"heading {len(found['marks'])}"
        return Speaker(style, role_of(found["role"]) or "user", found["name"], said)
    return None


def speakers_in(lines: Iterable[str]) -> dict[int, Speaker]:
    """The lines that would begin a turn, by their place, in code fences too."""
    return {place: who for place, line in enumerate(lines) if (who := speaker(line))}


def fence(line: str) -> Fence | None:
    """The code fence that a line may open or close."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line.rstrip("\r\n"))
    if match is None:
        return None
    mark, info = match["fence"][0], match["info"]
    if mark == "`" and "`" in info:
        return None
    return Fence(mark, len(match["fence"]), closes=not info.strip())


def fenced(lines: Sequence[str], speakers: Mapping[int, Speaker]) -> list[bool]:
    """For each line whether it belongs to a code fence.

    A fence that is never closed is none, for else it would swallow all turns after it. One may also
    open behind the name on one of the lines of `speakers`; that line counts as outside.
    """
    fences = [fence(speakers[i].said if i in speakers else line) for i, line in enumerate(lines)]
    inside: Fence | None = None
    flags = []
    for place, (found, longest) in enumerate(zip(fences, _longest_closing_marks(fences), strict=True)):
        who = speakers.get(place)
        if inside:
            flags.append(True)
            if found and not who and found.ends(inside):
                inside = None
        else:
            inside = found if found and longest[found.mark] >= found.length else None
            flags.append(inside is not None and who is None)
    return flags


def _longest_closing_marks(fences: Sequence[Fence | None]) -> list[dict[str, int]]:
    """For each line the length of the longest marks after it that could close a fence, by mark."""
    longest = {"`": 0, "~": 0}
    found = []
    for one in reversed(fences):
        found.append(longest)
        if one and one.closes and one.length > longest[one.mark]:
            longest = {**longest, one.mark: one.length}
    return found[::-1]


def escape(text: str) -> str:
    """The text with a backslash before lines that would begin a turn or open a fence without end.

    >>> print(escape("see\\n## User\\nabove"))
    see
    \\## User
    above
    """
    lines = text.split("\n")
    return "\n".join(
        line if inside or not _means_something(line) else f"\\{line}"
        for line, inside in zip(lines, fenced(lines, {}), strict=True)
    )


def unescape(lines: Sequence[str], flags: Sequence[bool]) -> list[str]:
    """The lines without the backslashes that `escape` put there; `flags` as from `fenced`."""
    return [
        line[1:] if not inside and line.startswith("\\") and _means_something(line) else line
        for line, inside in zip(lines, flags, strict=True)
    ]


def _means_something(line: str) -> bool:
    bare = line.lstrip("\\")
    return speaker(bare) is not None or fence(bare) is not None
