"""What is wrong in a transcript and where: collected while reading, told to the person at the end."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal, Self, TypeVar

from convgate.core.errors import TranscriptError

MAX_LISTED = 1_000
"""Errors of a file that are kept, and warnings; more are only counted."""

Severity = Literal["error", "warning"]
T = TypeVar("T")

_WATCHED = 100  # lines or items between two looks at the clock


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


class Problems(tuple[Problem, ...]):
    """The problems of a file by line: the first MAX_LISTED errors and warnings each, and all counted."""

    n_errors: int  # all of them, listed or not
    n_warnings: int

    def __new__(cls, listed: Iterable[Problem] = (), *, n_errors: int = 0, n_warnings: int = 0) -> Self:
        """Keep what is listed, and the counts."""
        problems = super().__new__(cls, listed)
        problems.n_errors, problems.n_warnings = n_errors, n_warnings
        return problems

    @property
    def total(self) -> int:
        """How many problems there are, listed or not."""
        return self.n_errors + self.n_warnings

    @property
    def errors(self) -> Problems:
        """The places that are left out, without the warnings."""
        return Problems((problem for problem in self if problem.severity == "error"), n_errors=self.n_errors)


class BadLinesError(TranscriptError):
    """Some places of a transcript cannot be read, and perhaps the others can.

    `problems` lists the first, warnings too, and `bad` counts all errors; `readable` says what is left when
    the bad ones are skipped, such as "997 conversations", or is None when nothing is.
    """

    def __init__(self, problems: Problems, readable: str | None) -> None:
        self.problems, self.readable, self.bad = problems, readable, problems.n_errors
        errors = problems.errors
        count = "This is the only bad place" if self.bad == 1 else f"{self.bad:,} bad places in all"
        if len(errors) < self.bad:
            count += f", the first {len(errors):,} are listed"
        way_out = (
            f"{count}; the other {readable} can be read by skipping what is bad "
            "(skip_bad=True, --skip-bad, or the button in the app)"
            if readable
            else f"{count}, and nothing else to read"
        )
        first = errors[0]
        super().__init__(
            f"{first.message.rstrip('.')}. {way_out}.", file=first.file, line=first.line, field=first.field
        )


class ReadStoppedError(TranscriptError):
    """Reading took longer than its time limit, or was cancelled; nothing of the file was taken.

    items_read: how many of its lines or items had been read.
    """

    code = "read_stopped"

    def __init__(self, reason: str, items_read: int, unit: str, *, file: str) -> None:
        self.items_read = items_read
        super().__init__(
            f"reading was stopped {reason}, having read {items_read:,} {unit}, and nothing was taken; split"
            " the file, or raise the limit (time_limit, or set CONVGATE_READ_LIMIT_SECONDS)",
            file=file,
        )


@dataclass
class Report:
    """Collects the problems of one file while it is read, and stops the reading.

    time_limit: seconds from the making of the report; None for no limit.
    stop: asked again and again while lines and items pass; reading stops when it returns True.
    """

    file: str
    time_limit: float | None = None
    stop: Callable[[], bool] | None = None
    _started: float = field(default_factory=time.monotonic, init=False)
    _listed: dict[Severity, list[Problem]] = field(
        default_factory=lambda: {"error": [], "warning": []}, init=False
    )
    _counts: Counter[Severity] = field(default_factory=Counter, init=False)

    def watch(self, items: Iterable[T], unit: str) -> Iterator[T]:
        """Yield the items; raises ReadStoppedError when the time is up or the reading was cancelled."""
        for number, item in enumerate(items):
            if number and number % _WATCHED == 0:
                if self.stop is not None and self.stop():
                    raise ReadStoppedError("because it was cancelled", number, unit, file=self.file)
                if self.time_limit is not None and time.monotonic() - self._started >= self.time_limit:
                    raise ReadStoppedError(f"after {self.time_limit:g} s", number, unit, file=self.file)
            yield item

    def lists(self, severity: Severity) -> bool:
        """Return whether another problem would be listed, and not only counted."""
        return len(self._listed[severity]) < MAX_LISTED

    def error(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note a place that is left out."""
        self._note(message, line, field, "error")

    def warn(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note something odd that loses no turn."""
        self._note(message, line, field, "warning")

    def _note(self, message: str, line: int | None, field: str | None, severity: Severity) -> None:
        self._counts[severity] += 1
        if self.lists(severity):
            self._listed[severity].append(Problem(self.file, line, field, message, severity))

    def close(self, readable: str | None, *, skip_bad: bool) -> Problems:
        """Return the problems in order, once everything is read; errors as for `close_reports`."""
        return close_reports([self], readable, skip_bad=skip_bad)

    def in_order(self) -> list[Problem]:
        """Return the listed problems by line; those without one come last."""
        listed = [*self._listed["error"], *self._listed["warning"]]
        return sorted(listed, key=lambda problem: (problem.line is None, problem.line or 0))


def close_reports(reports: Iterable[Report], readable: str | None, *, skip_bad: bool) -> Problems:
    """Return the problems of some files, once everything is read.

    Raises BadLinesError when a place was left out and nobody allowed that, or nothing was readable.
    """
    counts: Counter[Severity] = Counter()
    listed = []
    for report in reports:
        counts += report._counts
        listed += report.in_order()
    problems = Problems(listed, n_errors=counts["error"], n_warnings=counts["warning"])
    if problems.n_errors and not (skip_bad and readable):
        raise BadLinesError(problems, readable)
    return problems
