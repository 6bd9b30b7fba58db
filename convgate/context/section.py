"""The sections of a context, in the order in which they take their turns."""

from __future__ import annotations

from typing import Literal

SectionName = Literal["rules", "task_state", "recent", "evidence", "decisions", "capsules"]

SECTIONS: tuple[SectionName, ...] = ("rules", "task_state", "recent", "evidence", "decisions", "capsules")
