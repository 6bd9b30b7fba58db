"""One statement of a user's, and what it says by itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from convgate.context.invariants.words import About

Kind = Literal[
    "none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error", "lifted", "resolved"
]

KINDS: tuple[Kind, ...] = (
    "none", "safety_requirement", "user_correction", "hard_constraint", "blocking_error", "lifted",
    "resolved",
)  # fmt: skip
"""Labels of the classifier: the types of invariants, what ends one, and none of these."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or list item. `start` and `end` are characters of the message."""

    start: int
    end: int
    text: str  # verbatim
    about: About
    old: frozenset[bytes] = frozenset()  # stems and numbers that it denies: "not Anne"
    points: bool = False  # begins with "it's", "they are", …
    quoted: bool = False  # hardly more than quotation or code
    kind: Kind = "none"
    likelihood: float = 0.0  # 0…1, of the kind
    resolves: bool = False  # says that earlier errors are solved, perhaps beside a new one
    signs: tuple[str, ...] = ()  # n-grams that contribute most to the kind
    scope: str = ""  # what it is about, in its own words
