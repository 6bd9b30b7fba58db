"""What is wrong in a transcript and where: collected while reading, told to the person at the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from convgate.errors import TranscriptError

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One bad place of a transcript.

    >>> print(Problem("chat.jsonl", 17, "messages[3].role", "there is no role"))
    chat.jsonl, line 17, field 'messages[3].role': there is no role
    """

    file: str
    line: int | None  # 1-based, as an editor counts; None where no single line is meant
    field: str | None
    message: str
    severity: Severity = "error"  # "error": this place is left out; "warning": no turn is lost

    def __str__(self) -> str:
        return str(TranscriptError(self.message, file=self.file, line=self.line, field=self.field))


class BadLinesError(TranscriptError):
    """Some places of a transcript cannot be read, and perhaps the others can.

    `problems` are all of them, warnings too; `readable` says what is left when the bad ones are
    skipped, such as "997 conversations", or is None when nothing is.
    """

    def __init__(self, problems: Sequence[Problem], readable: str | None) -> None:
        self.problems, self.readable = tuple(problems), readable
        bad = [problem for problem in problems if problem.severity == "error"]
        self.bad = len(bad)
        count = "This is the only bad place" if self.bad == 1 else f"{self.bad} bad places in all"
        way_out = (
            f"{count}; the other {readable} can be read by skipping what is bad "
            "(skip_bad=True, --skip-bad, or the button in the app)"
            if readable
            else f"{count}, and nothing else to read"
        )
        first = bad[0]
        super().__init__(
            f"{first.message.rstrip('.')}. {way_out}.", file=first.file, line=first.line, field=first.field
        )


@dataclass
class Report:
    """Collects the problems of one file while it is read."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def error(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note a place that is left out."""
        self.problems.append(Problem(self.file, line, field, message, "error"))

    def warn(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note something odd that loses no turn."""
        self.problems.append(Problem(self.file, line, field, message, "warning"))

    def in_order(self) -> tuple[Problem, ...]:
        """The problems by line; those without one come last."""
        return tuple(sorted(self.problems, key=lambda problem: (problem.line is None, problem.line or 0)))

    def close(self, readable: str | None, *, skip_bad: bool) -> tuple[Problem, ...]:
        """All problems in order, once everything is read.

        Raises BadLinesError when a place was left out and nobody allowed that, or nothing was readable.
        """
        problems = self.in_order()
        if any(problem.severity == "error" for problem in problems) and not (skip_bad and readable):
            raise BadLinesError(problems, readable)
        return problems
