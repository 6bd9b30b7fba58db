"""What a person looks at in Compare, as one value that an address can carry.

    ?conversation=KEY&turn=57&policies=gate, last_k(k=5)&reference=gate&selected=12&rows=differ
    ?on=sets&data=@labels,talks&policies=gate, bm25&tags=1

Turns are numbered from 1 in addresses, as on the screen beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from convgate.conversation import Conversation
from convgate.errors import PolicyError
from convgate.policies.written import Written, read_policies, read_policy, to_text
from convgate.ui.address import LONGEST_QUESTION
from convgate.ui.choosers import is_chooser
from convgate.ui.compare.columns import START, chooser_of, missing_from, unknown_in
from convgate.ui.query import QueryReader

ALL, DIFFER = "all", "differ"


@dataclass(frozen=True, slots=True)
class View:
    """The ways to choose, one of them the reference, and what they are compared on."""

    policies: tuple[Written, ...] = START  # as columns, left to right; no two are alike
    reference: Written | None = None  # one of them; None: the first
    on_sets: bool = False  # on labelled conversations rather than on one conversation
    conversation: str | None = None
    turn: int | None = None  # 0-based current message; None: the one that a model would answer
    question: str = ""  # asked after the last turn, in place of a turn
    selected: int | None = None  # 0-based turn that is explained
    rows: str = ALL  # ALL turns, those where columns DIFFER, or a column's text: those unlike the reference
    page: int = 1  # of the table
    data: tuple[str, ...] | None = None  # labels and sets; None: what there is
    by_tag: bool = False

    @property
    def against(self) -> Written | None:
        """What the others are compared with; None when there is no column."""
        return self.reference or next(iter(self.policies), None)

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        values: dict[str, str | None] = {
            "on": "sets" if self.on_sets else None,
            "conversation": self.conversation,
            "turn": None if self.turn is None else str(self.turn + 1),
            "ask": self.question[:LONGEST_QUESTION] or None,
            "policies": None if self.policies == START else to_text(self.policies, ","),
            "reference": self.reference.to_text() if self.reference else None,
            "selected": None if self.selected is None else str(self.selected + 1),
            "rows": None if self.rows == ALL else self.rows,
            "page": None if self.page == 1 else str(self.page),
            "data": None if self.data is None else ",".join(self.data),
            "tags": "1" if self.by_tag else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = _Reader(query)
        question = query.get("ask", "").strip()
        view = cls(
            policies=reader.policies(),
            reference=reader.reference(),
            on_sets=query.get("on") == "sets",
            conversation=query.get("conversation") or None,
            turn=None if question else reader.turn("turn"),
            question=question,
            selected=reader.turn("selected"),
            rows=query.get("rows") or ALL,
            page=reader.number("page") or 1,
            data=reader.names("data"),
            by_tag=query.get("tags") == "1",
        )
        return view, reader.problems

    def among(self, choosers: Collection[str], data: Collection[str]) -> tuple[View, list[str]]:
        """The view without versions and sets that there are not, and a sentence for each of those."""
        there = tuple(one for one in self.policies if chooser_of(one) in choosers)
        problems = [missing_from(one) for one in self.policies if one not in there]
        view = replace(self, policies=there)
        if self.reference is not None and self.reference not in there:
            view = replace(view, reference=None)
            if self.reference not in self.policies:
                told = self.reference.to_text()
                problems.append(f"The address compares with {told[:60]}, which is not among its policies.")
        if view.rows not in (ALL, DIFFER, *(one.to_text() for one in there)):
            view = replace(view, rows=ALL)
            problems.append(
                f"The address says rows={self.rows[:40]}, not {ALL}, {DIFFER} or one of its policies."
            )
        if view.data is not None and (gone := [name for name in view.data if name not in data]):
            view = replace(view, data=tuple(name for name in view.data if name in data))
            told = ", ".join(name[:40] for name in gone)
            problems.append(f"There is no data called {told}, or no longer.")
        return view, problems

    def within(self, conversation: Conversation) -> tuple[View, list[str]]:
        """The view without turns that the conversation has not, and a sentence for each of those."""
        problems = [
            f"The address names turn {turn + 1:,}, but this conversation has {len(conversation):,}."
            for turn in (self.turn, self.selected)
            if turn is not None and turn >= len(conversation)
        ]
        turn = None if self.turn is not None and self.turn >= len(conversation) else self.turn
        out = self.selected is not None and self.selected >= len(conversation)
        return replace(self, turn=turn, selected=None if out else self.selected), problems


class _Reader(QueryReader):
    """Reads policies with their parameters, too."""

    def policies(self) -> tuple[Written, ...]:
        text = self.query.get("policies")
        if text is None:
            return START
        try:
            read = read_policies(text, ",") if text.strip() else ()
        except PolicyError as error:
            self.problems.append(f"The address names policies that cannot be read: {error}.")
            return START
        return self._known(unlike(read))

    def reference(self) -> Written | None:
        text = self.query.get("reference")
        if not text:
            return None
        try:
            return next(iter(self._known((read_policy(text),))), None)
        except PolicyError as error:
            self.problems.append(f"The address compares with what cannot be read: {error}.")
            return None

    def _known(self, read: tuple[Written, ...]) -> tuple[Written, ...]:
        told = {one.to_text(): unknown_in(one) for one in read}
        self.problems += [problem for problem in told.values() if problem]
        return tuple(one for one in read if is_chooser(chooser_of(one)) and not told[one.to_text()])


def unlike(policies: tuple[Written, ...]) -> tuple[Written, ...]:
    """Each of them once, in their order.

    >>> len(unlike((Written("bm25"), Written("last_k", {"k": 5}), Written("bm25"))))
    2
    """
    return tuple({one.to_text(): one for one in policies}.values())
