"""What can be wrong with rules of one's own, all of it at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from convgate.errors import ConvgateError

_TOLD = 20  # problems that a message lists
_SHOWN = 80  # characters of a pattern


@dataclass(frozen=True, slots=True)
class RuleProblem:
    """One thing that is wrong, and where."""

    problem: str  # a sentence without its full stop
    file: str | None = None
    line: int | None = None  # from 1
    pattern: str | None = None

    def __str__(self) -> str:
        pattern = self.pattern
        if pattern is not None and len(pattern) > _SHOWN:
            pattern = f"{pattern[: _SHOWN - 1]}…"
        place = [
            self.file,
            f"line {self.line}" if self.line is not None else None,
            f"pattern {pattern!r}" if pattern is not None else None,
        ]
        return ": ".join(part for part in (", ".join(part for part in place if part), self.problem) if part)


class RulesError(ConvgateError):
    """A file of rules cannot be used; `problems` has everything that is wrong with it."""

    code = "rules"

    def __init__(self, problems: Sequence[RuleProblem]) -> None:
        self.problems = tuple(problems)
        told = [f"{problem}." for problem in self.problems[:_TOLD]]
        if len(self.problems) > _TOLD:
            told.append(f"{len(self.problems) - _TOLD} more problems.")
        super().__init__("\n".join(told))


class ModelError(ConvgateError):
    """A language model gave no decision; the message says why, without its full stop."""

    code = "model"
