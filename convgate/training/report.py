"""What a new version does otherwise than its parent, turn by turn, on cases that were held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from convgate.core.conversation import Conversation
from convgate.core.errors import TrainingError
from convgate.core.files import write_whole
from convgate.core.text import pluralize, to_line
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.metrics import Bools, Terms, ratios
from convgate.store.openings import chain
from convgate.training.run import REPORT
from convgate.versions.card import Measured, Metric

MIN_COMPARED = 25
"""Held-out conversations; with fewer, a new version waits for a person to activate it."""

MIN_FOR_INTERVAL = 5  # conversations; with fewer, chance alone often puts all on one side
_EXCERPT = 160  # characters of a text

Change = Literal["fixed", "broken", "right", "wrong"]
CHANGES: tuple[Change, ...] = ("fixed", "broken", "right", "wrong")
"""Wrong with the parent and right now; the other way round; right with both; wrong with both."""

_COLUMNS: Mapping[str, Any] = {
    "case": np.int64,
    "turn": np.int64,
    "relevant": np.bool_,
    "parent_score": np.float64,
    "child_score": np.float64,
    "parent_kept": np.bool_,
    "child_kept": np.bool_,
}


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """One message that was held out."""

    id: str
    conversation: str
    turn: int | None  # 0-based index of the message; None for a question put from outside
    text: str = ""  # how it begins
    question: str = ""  # put from outside, whole
    group: str = ""  # shared by all conversations that count as one in figures; its id unless given


@dataclass(frozen=True, eq=False)
class ItemReport:
    """Both versions on every judged turn of the held-out cases; row i of each column is about one turn."""

    cases: tuple[ReportedCase, ...]
    case: NDArray[np.int64]  # (n,) number of its case, from 0
    turn: NDArray[np.int64]  # (n,) 0-based index in the conversation
    relevant: NDArray[np.bool_]  # (n,)
    parent_score: NDArray[np.float64]  # (n,) 0…1
    child_score: NDArray[np.float64]
    parent_kept: NDArray[np.bool_]
    child_kept: NDArray[np.bool_]
    texts: Mapping[str, Mapping[int, str]] = field(default_factory=dict)  # how turns begin, by conversation
    said: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """By conversation: the last hash of its `chain` in hexadecimal, and how many turns it has."""

    def __len__(self) -> int:
        return len(self.case)

    @property
    def conversations(self) -> int:
        """Return how many the cases are of; those of one group count once."""
        return len(self._groups)

    @property
    def changes(self) -> NDArray[np.int64]:
        """(n,) index into CHANGES of each turn."""
        was, now = self.parent_kept == self.relevant, self.child_kept == self.relevant
        return np.select([~was & now, was & ~now, was & now], [0, 1, 2], 3).astype(np.int64)

    def count(self, change: Change) -> int:
        """Return how many turns of that kind there are."""
        return int((self.changes == CHANGES.index(change)).sum())

    @property
    def f1(self) -> tuple[Metric, Metric]:
        """F1 of the parent and of the child over all rows; 1 when nothing is relevant and nothing kept."""
        return _f1_measure(self._terms(self.parent_kept)), _f1_measure(self._terms(self.child_kept))

    @property
    def gain(self) -> Metric:
        """The child's F1 less the parent's, -1…1; its interval is None with fewer than 5 conversations."""
        before, after = self._terms(self.parent_kept), self._terms(self.child_kept)
        value = _f1(after) - _f1(before)
        if len(before) < MIN_FOR_INTERVAL:
            return Metric(value)
        return Metric.of(value, *difference_interval(before, after, draw(len(before)))[0])

    @property
    def sha256(self) -> str:
        """Digest of the cases and what is known about them, hexadecimal."""
        cases = [[case.id, case.conversation, case.turn, case.question] for case in self.cases]
        rows = [column.tolist() for column in (self.case, self.turn, self.relevant)]
        return hashlib.sha256(json.dumps([cases, sorted(self.said.items()), rows]).encode()).hexdigest()

    @property
    def _groups(self) -> list[str]:
        return sorted({case.group or case.conversation for case in self.cases})

    def _terms(self, kept: Bools) -> Terms:
        """(groups, 2, 1) what each adds to F1: twice the relevant ones kept; the kept and the relevant."""
        index = {name: row for row, name in enumerate(self._groups)}
        of_case = np.array([index[case.group or case.conversation] for case in self.cases], dtype=np.int64)
        turns = np.stack([2 * (kept & self.relevant), kept.astype(int) + self.relevant], axis=1)
        return cluster_sums(turns[:, :, np.newaxis].astype(np.float64), of_case[self.case], len(index))

    def with_texts(self, conversations: Mapping[str, Conversation], questions: Mapping[str, str]) -> Self:
        """Return the report with excerpts; questions: those put from outside, by case."""
        texts: dict[str, dict[int, str]] = {}
        for case, turn in zip(self.case.tolist(), self.turn.tolist(), strict=True):
            id = self.cases[case].conversation
            texts.setdefault(id, {})[turn] = to_line(conversations[id].turns[turn].text, _EXCERPT)

        def with_text(case: ReportedCase) -> ReportedCase:
            if case.turn is None:
                question = questions.get(case.id, "")
                return replace(case, text=to_line(question, _EXCERPT), question=question)
            return replace(
                case, text=to_line(conversations[case.conversation].turns[case.turn].text, _EXCERPT)
            )

        said = {id: (chain(conversations[id].turns)[-1].hex(), len(conversations[id])) for id in texts}
        return replace(self, cases=tuple(map(with_text, self.cases)), texts=texts, said=said)

    def write(self, folder: Path) -> None:
        """Write it to the run's folder. Raises TrainingError when that fails."""
        columns = {name: getattr(self, name).tolist() for name in _COLUMNS}
        for name in ("parent_score", "child_score"):
            columns[name] = [round(value, 4) for value in columns[name]]
        values = {
            "cases": [asdict(case) for case in self.cases],
            **columns,
            "texts": self.texts,
            "said": self.said,
        }
        try:
            write_whole(folder / REPORT, json.dumps(values, allow_nan=False).encode(), private=True)
        except OSError as error:
            raise TrainingError(f"{folder / REPORT} cannot be written: {error.strerror}") from error

    @classmethod
    def read(cls, folder: Path) -> ItemReport | None:
        """Return the report in a run's folder; None without one. Raises TrainingError when damaged."""
        try:
            values = json.loads((folder / REPORT).read_bytes())
            return _parsed(values)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise TrainingError(f"{folder / REPORT} cannot be read: {error}; train again") from error


def make_report(cases: Sequence[ReportedCase], rows: Sequence[Sequence[Any]]) -> ItemReport:
    """Return the report of rows whose values are in the order of its columns."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(_COLUMNS)
    arrays: dict[str, Any] = {
        name: np.array(values, dtype=kind)
        for (name, kind), values in zip(_COLUMNS.items(), columns, strict=True)
    }
    return ItemReport(cases=tuple(cases), **arrays)


def _parsed(values: Mapping[str, Any]) -> ItemReport:
    cases = [ReportedCase(**case) for case in values["cases"]]
    report = make_report(cases, list(zip(*(values[name] for name in _COLUMNS), strict=True)))
    if len(report) and not 0 <= report.case.min() <= report.case.max() < len(cases):
        raise ValueError("a row is of no case")
    texts = {
        str(id): {int(turn): str(text) for turn, text in turns.items()}
        for id, turns in values["texts"].items()
    }
    said = {str(id): (str(digest), int(turns)) for id, (digest, turns) in values["said"].items()}
    return replace(report, texts=texts, said=said)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Both gates on the held-out cases, each with its learned threshold, by one rule."""

    cases: int
    conversations: int
    parent_f1: float  # micro over all turns of the cases, 0…1
    child_f1: float
    fixed: int  # turns that the parent had wrong and the child has right
    broken: int  # the other way round
    gain_low: float | None = None  # 95% interval of the child's F1 less the parent's, over conversations
    gain_high: float | None = None  # None with fewer than five

    @property
    def better(self) -> bool:
        """Whether the child's F1 is higher, and it breaks no more turns than it fixes."""
        return self.child_f1 > self.parent_f1 and self.fixed >= self.broken

    @property
    def certain(self) -> bool:
        """Whether the interval of the gain excludes 0."""
        return self.gain_low is not None and self.gain_high is not None and not self._has_0

    @property
    def activates(self) -> bool:
        """Whether the new version may be activated without asking a person."""
        return self.better and self.certain and self.conversations >= MIN_COMPARED

    @property
    def _has_0(self) -> bool:
        return (self.gain_low or 0) <= 0 <= (self.gain_high or 0)

    def headline(self, parent: str) -> str:
        """The verdict in a few words."""
        if not self.better:
            return f"Not better than {parent}"
        return f"Better than {parent}" if self.certain else f"Possibly better than {parent}"

    @property
    def sentence(self) -> str:
        """The verdict for people."""
        how = "better than" if self.better else "not better than"
        return (
            f"On {pluralize(self.cases, 'message')} of"
            f" {pluralize(self.conversations, 'held-out conversation')} it is {how} its parent:"
            f" F1 {self.child_f1:.3f} vs. {self.parent_f1:.3f},"
            f" {pluralize(self.fixed, 'turn')} fixed, {self.broken:,} broken. {self._certainty}"
        )

    @property
    def _certainty(self) -> str:
        if self.gain_low is None or self.gain_high is None:
            return "Not enough data for an interval."
        interval = f"{self.gain_low:+.2f} to {self.gain_high:+.2f}".replace("-", "\N{MINUS SIGN}")
        return f"95% interval of the difference: {interval}{'' if self.certain else ', so it may be chance'}."


_VERDICT = TypeAdapter(Verdict)


def read_verdict(value: object) -> Verdict | None:
    """Return the verdict in an outcome; None when there is none or it is damaged."""
    try:
        return _VERDICT.validate_python(value)
    except ValidationError:
        return None


def make_verdict(report: ItemReport) -> Verdict:
    """Return the verdict of a report."""
    (before, after), gain = report.f1, report.gain
    assert before.value is not None
    assert after.value is not None
    return Verdict(
        cases=len(report.cases),
        conversations=report.conversations,
        parent_f1=before.value,
        child_f1=after.value,
        fixed=report.count("fixed"),
        broken=report.count("broken"),
        gain_low=gain.low,
        gain_high=gain.high,
    )


def measured_f1(report: ItemReport) -> Measured:
    """Return what the child's card says: F1 of both on the same cases."""
    before, after = report.f1
    return Measured(
        len(report.cases),
        report.conversations,
        {"f1": _metric(after)},
        sha256=report.sha256,
        parent={"f1": _metric(before)},
        gain={"f1": _metric(report.gain)},
    )


def _metric(measure: Metric) -> Metric:
    return Metric(measure.value, measure.low, measure.high)


def _f1_measure(terms: Terms) -> Metric:
    return Metric.of(_f1(terms), *interval(terms, draw(len(terms)))[0])


def _f1(terms: Terms) -> float:
    value = float(ratios(terms.sum(axis=0))[0])
    return 1.0 if np.isnan(value) else value
