"""Code fences of Markdown: which lines are code."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_FENCE = re.compile(r"[ \t]*(?P<marks>`{3,}|~{3,})(?P<info>.*)", re.DOTALL)


def find_fence(line: str) -> tuple[str, bool] | None:
    """Return the marks of the code fence that a line may open or close, and whether it may close one."""
    if "```" not in line and "~~~" not in line:
        return None
    match = _FENCE.fullmatch(line.rstrip("\r\n"))
    if match is None or (match["marks"][0] == "`" and "`" in match["info"]):
        return None
    return match["marks"], not match["info"].strip()


def find_fenced(lines: Sequence[str], texts: Mapping[int, str]) -> list[bool]:
    """Return for each line whether it belongs to a code fence.

    A fence that is never closed is none, for else it would swallow all turns after it. texts: what
    follows a speaker's name, by the place of its line; a fence may open there, and the line is outside.
    """
    fences = [find_fence(texts.get(i, line)) for i, line in enumerate(lines)]
    opened = ""
    flags = []
    for place, (fence, longest) in enumerate(zip(fences, _longest_closing_marks(fences), strict=True)):
        if opened:
            flags.append(True)
            if fence and fence[1] and fence[0].startswith(opened) and place not in texts:
                opened = ""
        else:
            opened = fence[0] if fence and longest[fence[0][0]].startswith(fence[0]) else ""
            flags.append(bool(opened) and place not in texts)
    return flags


def _longest_closing_marks(fences: Sequence[tuple[str, bool] | None]) -> list[dict[str, str]]:
    """Return for each line the longest marks after it that could close a fence, by their character."""
    longest = {"`": "", "~": ""}
    after = []
    for fence in reversed(fences):
        after.append(longest)
        if fence and fence[1] and len(fence[0]) > len(longest[fence[0][0]]):
            longest = {**longest, fence[0][0]: fence[0]}
    return after[::-1]
