"""A cue: words that hint at a mode, in English, French and German alike."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cue:
    """Words, and what a message says that has them."""

    name: str  # unique among all cues
    says: str  # "it says that something fails": stands before the words found
    words: (
        str  # a regular expression over folded text; a new line is a blank, or nothing before | and after *
    )
    opens: bool = False  # whether it counts at the beginning of the message alone

    @property
    def expression(self) -> str:
        """The words in one line, as `gatekeeper.pattern` takes them."""
        tight = re.sub(
            r"\s*\n\s*\||(?<=\*)\s*\n\s*(?=\()", lambda joint: joint[0].strip(), self.words.strip()
        )
        return re.sub(r"\s*\n\s*", " ", tight)
