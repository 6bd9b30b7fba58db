"""What is wrong in a transcript and where, collected while it is read."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Self, TypeVar

from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize

MAX_LISTED = 1_000
"""Errors of a file that are kept, and warnings; more are only counted."""

_ITEMS_PER_CHECK = 100  # lines or items between two checks of the time limit

_AFTER_NOUN = re.compile(r"(?= (?:of|in|on|to|for|from|by|with|without|that) )")

Severity = Literal["error", "warning"]
T = TypeVar("T")


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

    n_errors: int
    total: int  # errors and warnings

    def __new__(cls, listed: Iterable[Problem] = (), *, n_errors: int = 0, n_warnings: int = 0) -> Self:
        """Keep what is listed, and the counts."""
        problems = super().__new__(cls, listed)
        problems.n_errors, problems.total = n_errors, n_errors + n_warnings
        return problems

    @property
    def errors(self) -> Problems:
        """The places that are left out, without the warnings."""
        return Problems((problem for problem in self if problem.severity == "error"), n_errors=self.n_errors)


class BadLinesError(TranscriptError):
    """Some places of a transcript cannot be read, and perhaps the others can.

    `readable` is what is left without them, such as "997 conversations"; None when nothing is.
    """

    def __init__(self, problems: Problems, readable: str | None) -> None:
        self.problems, self.readable, self.bad = problems, readable, problems.n_errors
        first = problems.errors[0]
        rest = (
            f"the other {readable} can be read without them (skip_bad=True, --skip-bad, or the app's button)"
            if readable
            else "nothing else can be read"
        )
        super().__init__(
            f"{first.message.rstrip('.')}. {pluralize(self.bad, 'bad place')} in all; {rest}.",
            file=first.file,
            line=first.line,
            field=first.field,
        )


class ReadStoppedError(TranscriptError):
    """Reading took longer than its time limit, or was cancelled; nothing of the file was taken."""

    code = "read_stopped"


class Report:
    """Collects the problems of one file while it is read, and stops the reading.

    time_limit: seconds from the making of the report; None for no limit.
    stop: called again and again while lines and items pass; reading stops when it returns True.
    """

    def __init__(
        self, file: str, time_limit: float | None = None, stop: Callable[[], bool] | None = None
    ) -> None:
        self.file, self.time_limit, self.stop = file, time_limit, stop
        self.max_listed = MAX_LISTED
        self.problems: list[Problem] = []
        self.counts: Counter[Severity] = Counter()
        self.omitted: Counter[str] = Counter()  # by what it is, in the singular
        self._started = time.monotonic()

    def watch(self, items: Iterable[T], unit: str) -> Iterator[T]:
        """Yield the items; raises ReadStoppedError when the time is up or the reading was cancelled."""
        for number, item in enumerate(items):
            if number and number % _ITEMS_PER_CHECK == 0:
                reason = ""
                if self.stop is not None and self.stop():
                    reason = "because it was cancelled"
                elif self.time_limit is not None and time.monotonic() - self._started >= self.time_limit:
                    reason = f"after {self.time_limit:g} s"
                if reason:
                    raise ReadStoppedError(
                        f"reading was stopped {reason} and {number:,} {unit}; nothing was taken. Split the"
                        " file, or raise the limit (time_limit, or set CONVGATE_READ_LIMIT_SECONDS)",
                        file=self.file,
                    )
            yield item

    def error(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note a place that is left out."""
        self._note(Problem(self.file, line, field, message))

    def warn(self, message: str, *, line: int | None = None, field: str | None = None) -> None:
        """Note something odd that loses no turn."""
        self._note(Problem(self.file, line, field, message, "warning"))

    def warn_once(self, message: str, *, line: int | None = None) -> None:
        """Note something odd, unless it was noted already."""
        if not any(problem.message == message for problem in self.problems):
            self.warn(message, line=line)

    def omit(self, what: str, n: int = 1) -> None:
        """Count what the file has and a conversation cannot hold: "turn of another branch"."""
        if n:
            self.omitted[what] += n

    def of_part(self, name: str) -> Report:
        """Return the report of a file within this archive or folder, with the same limits."""
        part = Report(f"{self.file}/{name}", self.time_limit, self.stop)
        part._started, part.max_listed = self._started, self.max_listed
        return part

    def _note(self, problem: Problem) -> None:
        self.counts[problem.severity] += 1
        if self.counts[problem.severity] <= self.max_listed:
            self.problems.append(problem)

    def close(self, readable: str | None, *, skip_bad: bool) -> Problems:
        """Return the problems in order, once everything is read; errors as for `close_reports`."""
        return close_reports([self], readable, skip_bad=skip_bad)


def close_reports(reports: Iterable[Report], readable: str | None, *, skip_bad: bool) -> Problems:
    """Return the problems of some files, each by line, once everything is read.

    Raises BadLinesError when a place was left out without `skip_bad`, or nothing was readable.
    """
    counts: Counter[Severity] = Counter()
    listed: list[Problem] = []
    for report in reports:
        counts += report.counts
        listed += sorted(report.problems, key=lambda problem: (problem.line is None, problem.line or 0))
    problems = Problems(listed, n_errors=counts["error"], n_warnings=counts["warning"])
    if problems.n_errors and not (skip_bad and readable):
        raise BadLinesError(problems, readable)
    return problems


def pluralize_noun(n: int, what: str) -> str:
    """Return a number with what it counts, as given to `Report.omit`.

    >>> pluralize_noun(2, "message of another branch"), pluralize_noun(1, "reaction")
    ('2 messages of another branch', '1 reaction')
    """
    noun, *rest = _AFTER_NOUN.split(what, maxsplit=1)
    return "".join((pluralize(n, noun), *rest))
