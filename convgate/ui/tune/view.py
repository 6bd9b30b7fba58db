"""What a person looks at in Tune, as one value that an address can carry.

?version=gate@mine&data=@labels,talks&goal=recall&wanted=0.9&rule=anchored&threshold=0.31

"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from convgate.policies.gate import GatePolicy
from convgate.ui.choice import Choice, read_choice
from convgate.ui.choosers import is_chooser, policy_of, version_of
from convgate.ui.query import QueryReader
from convgate.ui.tune.goals import GOALS

LABELLED, LIBRARY = "labelled", "library"
WHERE = {LABELLED: "Labelled turns", LIBRARY: "Your library"}
ONLY = ("all", "wrong", "right", "up", "down")
"""Which flips are listed."""


@dataclass(frozen=True, slots=True)
class View:
    """The gate, the labelled data, the goal, the rule that is tried, and which flips are listed."""

    version: str = GatePolicy.name  # a chooser that is a gate
    data: tuple[str, ...] | None = None  # None: what there is
    goal: str = "f_beta"
    wanted: float = 1.0  # of the goal
    choice: Choice | None = None  # None: the version's own rule
    where: str = LABELLED
    only: str = "all"
    page: int = 1
    conversation: str | None = None  # whose flips are listed, of the library

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        start = View()
        values: dict[str, str | None] = {
            "version": None if self.version == start.version else self.version,
            "data": None if self.data is None else ",".join(self.data),
            "goal": None if self.goal == start.goal else self.goal,
            "wanted": None if self.wanted == GOALS[self.goal].start else f"{self.wanted:.12g}",
            **(self.choice.to_query() if self.choice else {}),
            "flips": None if self.where == start.where else self.where,
            "only": None if self.only == start.only else self.only,
            "page": None if self.page == 1 else str(self.page),
            "conversation": self.conversation,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = QueryReader(query)
        version = query.get("version", GatePolicy.name)
        if not (is_chooser(version) and policy_of(version) == GatePolicy.name):
            reader.leave_out("version", version, "gate or gate@VERSION")
            version = GatePolicy.name
        goal = reader.one_of("goal", GOALS, "f_beta")
        view = cls(
            version=version,
            data=reader.names("data"),
            goal=goal,
            wanted=_wanted(goal, reader),
            choice=read_choice(reader, query),
            where=reader.one_of("flips", WHERE, LABELLED),
            only=reader.one_of("only", ONLY, "all"),
            page=reader.number("page") or 1,
            conversation=query.get("conversation") or None,
        )
        return view, reader.problems

    def within(
        self, choosers: Collection[str], data: Collection[str], conversations: Collection[str]
    ) -> tuple[View, list[str]]:
        """The view without what there is not, or no longer, and a sentence for each of those."""
        view, problems = self, []
        if view.version not in choosers:
            view = replace(view, version=GatePolicy.name)
            problems.append(f"There is no version {version_of(self.version)}, or no longer.")
        if view.data is not None and (gone := [name for name in view.data if name not in data]):
            view = replace(view, data=tuple(name for name in view.data if name in data))
            told = ", ".join(name[:40] for name in gone)
            problems.append(f"There is no data called {told}, or no longer.")
        if view.conversation is not None and view.conversation not in conversations:
            view = replace(view, conversation=None)
            problems.append("The address names a conversation that the library does not have.")
        return view, problems


def _wanted(goal: str, reader: QueryReader) -> float:
    kind, text = GOALS[goal], reader.query.get("wanted")
    if text is None:
        return kind.start
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if kind.low <= value <= kind.high:
        return value
    reader.leave_out("wanted", text, f"from {kind.low:g} to {kind.high:g}")
    return kind.start
