"""What a new version does otherwise than its parent, turn by turn, on cases that were held out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from convgate.conversation import Conversation
from convgate.evaluation.metrics import Bools, Terms
from convgate.evaluation.results import Measure
from convgate.files import write_whole
from convgate.store.openings import chain
from convgate.training.certainty import f1_measure, f1_terms, gain
from convgate.training.errors import TrainingError

REPORT = "report.json"
_EXCERPT = 160  # characters of a text

Change = Literal["fixed", "broken", "right", "wrong"]
CHANGES: tuple[Change, ...] = ("fixed", "broken", "right", "wrong")
"""Wrong with the parent and right now; the other way round; right with both; wrong with both."""

_COLUMNS = ("case", "turn", "relevant", "parent_score", "child_score", "parent_kept", "child_kept")


@dataclass(frozen=True, slots=True)
class ReportedCase:
    """One message that was held out."""

    id: str
    conversation: str
    turn: int | None  # 0-based index of the message; None for a question put from outside
    text: str = ""  # how it begins
    question: str = ""  # put from outside, whole
    together: str = ""  # what all conversations share that are tied to its own; its id unless given

    @property
    def cluster(self) -> str:
        """What is one conversation in figures, whatever its copies and beginnings are called."""
        return self.together or self.conversation


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
        """How many different ones the cases are of; those that are tied are one."""
        return len(self._clusters)

    @property
    def changes(self) -> NDArray[np.int64]:
        """(n,) place in CHANGES of what became of each turn."""
        was, now = self.parent_kept == self.relevant, self.child_kept == self.relevant
        return np.select([~was & now, was & ~now, was & now], [0, 1, 2], 3).astype(np.int64)

    def count(self, change: Change) -> int:
        """How many turns of that kind there are."""
        return int((self.changes == CHANGES.index(change)).sum())

    @property
    def f1(self) -> tuple[Measure, Measure]:
        """Of the parent and of the child, over all rows; 1 when nothing is relevant and nothing kept."""
        return f1_measure(self.terms(self.parent_kept)), f1_measure(self.terms(self.child_kept))

    @property
    def gain(self) -> Measure:
        """The child's F1 less the parent's, -1…1."""
        return gain(self.terms(self.parent_kept), self.terms(self.child_kept))

    def terms(self, kept: Bools) -> Terms:
        """(conversations, 2, 1) what each conversation, those tied as one, adds to the F1 of `kept`."""
        places = {name: place for place, name in enumerate(self._clusters)}
        of_case = np.array([places[case.cluster] for case in self.cases], dtype=np.int64)
        return f1_terms(kept, self.relevant, of_case[self.case], len(places))

    @property
    def sha256(self) -> str:
        """What tells these cases and what is known about them from all others, hexadecimal."""
        cases = [[case.id, case.conversation, case.turn, case.question] for case in self.cases]
        rows = [column.tolist() for column in (self.case, self.turn, self.relevant)]
        return hashlib.sha256(json.dumps([cases, sorted(self.said.items()), rows]).encode()).hexdigest()

    @property
    def _clusters(self) -> list[str]:
        return sorted({case.cluster for case in self.cases})

    def with_texts(self, conversations: Mapping[str, Conversation], questions: Mapping[str, str]) -> Self:
        """The report with how its turns and messages begin; questions: those put from outside, by case."""
        texts: dict[str, dict[int, str]] = {}
        for case, turn in zip(self.case.tolist(), self.turn.tolist(), strict=True):
            id = self.cases[case].conversation
            texts.setdefault(id, {})[turn] = beginning(conversations[id].turns[turn].text)

        def told(case: ReportedCase) -> ReportedCase:
            if case.turn is None:
                asked = questions.get(case.id, "")
                return replace(case, text=beginning(asked), question=asked)
            return replace(case, text=beginning(conversations[case.conversation].turns[case.turn].text))

        said = {id: (chain(conversations[id].turns)[-1].hex(), len(conversations[id])) for id in texts}
        return replace(self, cases=tuple(map(told, self.cases)), texts=texts, said=said)

    def without_texts(self, conversations: Collection[str]) -> Self:
        """The report without a word of these conversations; its rows and figures stay."""
        cases = tuple(
            replace(case, text="", question="") if case.conversation in conversations else case
            for case in self.cases
        )
        texts = {id: known for id, known in self.texts.items() if id not in conversations}
        said = {id: known for id, known in self.said.items() if id not in conversations}
        return replace(self, cases=cases, texts=texts, said=said)

    @property
    def removed(self) -> frozenset[str]:
        """The conversations whose texts were removed."""
        return frozenset({case.conversation for case in self.cases} - self.texts.keys())

    def write(self, folder: Path) -> None:
        """Put it into the run's folder; TrainingError when the disk refuses."""
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
            raise TrainingError(f"the report cannot be saved in {folder}: {error.strerror}") from error

    @classmethod
    def read(cls, folder: Path) -> Self | None:
        """The report in a run's folder; None when there is none. TrainingError when it is damaged."""
        try:
            values = json.loads((folder / REPORT).read_bytes())
            return cls(**_parsed(values))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise TrainingError(f"{folder / REPORT} cannot be read: {error}; train again") from error


def item_report(cases: Sequence[ReportedCase], rows: Sequence[tuple[Any, ...]]) -> ItemReport:
    """The report of rows whose values are in the order of its columns."""
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(_COLUMNS)
    return ItemReport(
        cases=tuple(cases),
        case=np.array(columns[0], dtype=np.int64),
        turn=np.array(columns[1], dtype=np.int64),
        relevant=np.array(columns[2], dtype=np.bool_),
        parent_score=np.array(columns[3], dtype=np.float64),
        child_score=np.array(columns[4], dtype=np.float64),
        parent_kept=np.array(columns[5], dtype=np.bool_),
        child_kept=np.array(columns[6], dtype=np.bool_),
    )


def _parsed(values: Mapping[str, Any]) -> dict[str, Any]:
    cases = tuple(ReportedCase(**case) for case in values["cases"])
    report = item_report(cases, list(zip(*(values[name] for name in _COLUMNS), strict=True)))
    if len(report) and not 0 <= report.case.min() <= report.case.max() < len(cases):
        raise ValueError("a row is of no case")
    texts = {
        str(id): {int(turn): str(text) for turn, text in turns.items()}
        for id, turns in values["texts"].items()
    }
    said = {str(id): (str(digest), int(turns)) for id, (digest, turns) in values["said"].items()}
    return {
        "cases": cases,
        **{name: getattr(report, name) for name in _COLUMNS},
        "texts": texts,
        "said": said,
    }


def beginning(text: str) -> str:
    """How a text begins, on one line."""
    line = " ".join(text[: 4 * _EXCERPT].split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1].rstrip()}…"
