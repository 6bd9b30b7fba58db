"""What sections want of a conversation: claims, and the places that turns get."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.context.section import SectionName


@dataclass(frozen=True, slots=True)
class Claim:
    """Turns that a section wants together, or not at all."""

    section: SectionName
    turns: tuple[int, ...]  # increasing
    wanted: tuple[int, ...]  # those of `turns` that it is about; the others have to come with them
    reason: str | None = None  # a sentence; None: that of the policy, which kept it
    beside: str = ""  # a sentence: why the others come with it
    overflows: bool = False  # whether it may take what other sections leave over


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a turn stands in the context."""

    section: SectionName
    reason: str | None  # a sentence; None: that of the policy, which kept it
