"""What a person looks at in Explore, as one value that an address can carry.

    ?conversation=KEY&turn=57&selected=12&rule=blended&weight=0.3&compare=bm25

Turns are numbered from 1 in addresses, as on the screen beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from convgate.context.mode import MODES
from convgate.conversation import Conversation
from convgate.policies.gate import GatePolicy
from convgate.ui.address import LONGEST_QUESTION as LONGEST_QUESTION
from convgate.ui.choice import Choice, read_choice
from convgate.ui.choosers import read_chooser, version_of
from convgate.ui.query import QueryReader


@dataclass(frozen=True, slots=True)
class View:
    """The conversation, the current message, the turn that is explained, and how turns are chosen."""

    conversation: str | None = None
    turn: int | None = None  # 0-based current message; None: the one that a model would answer
    question: str = ""  # asked after the last turn, in place of a turn
    selected: int | None = None  # 0-based turn that is explained
    policy: str = GatePolicy.name  # a chooser, as is `compare`
    choice: Choice | None = None  # None: the gate's own rule
    baseline: Choice | None = None  # what flips are counted against; None: the gate's own rule
    compare: str | None = None
    pairs: bool = False  # keep a question and its answer together
    mode: str | None = None  # only the turns that belong to it are listed
    show: str | None = None  # which of the further views is open
    queue: int | None = None  # number of the queue that is worked through, on Label
    settle: bool = False  # whether disagreements are settled, on Label

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        values: dict[str, str | None] = {
            "conversation": self.conversation,
            "turn": None if self.turn is None else str(self.turn + 1),
            "ask": self.question[:LONGEST_QUESTION] or None,
            "selected": None if self.selected is None else str(self.selected + 1),
            "policy": None if self.policy == GatePolicy.name else self.policy,
            **(self.choice.to_query() if self.choice else {}),
            "baseline": _packed(self.baseline) if self.baseline else None,
            "compare": self.compare,
            "pairs": "1" if self.pairs else None,
            "mode": self.mode,
            "show": self.show,
            "queue": None if self.queue is None else str(self.queue),
            "settle": "1" if self.settle else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = QueryReader(query)
        question = query.get("ask", "").strip()
        view = cls(
            conversation=query.get("conversation") or None,
            turn=None if question else reader.turn("turn"),
            question=question,
            selected=reader.turn("selected"),
            policy=read_chooser(reader, "policy") or GatePolicy.name,
            choice=read_choice(reader, query),
            baseline=read_choice(reader, _unpacked(query.get("baseline", ""))),
            compare=read_chooser(reader, "compare"),
            pairs=query.get("pairs") == "1",
            mode=reader.one_of("mode", ("", *MODES), "") or None,
            show=query.get("show") or None,
            queue=reader.number("queue"),
            settle=query.get("settle") == "1",
        )
        return view, reader.problems

    def within(self, conversation: Conversation, choosers: Collection[str]) -> tuple[View, list[str]]:
        """The view without turns and versions that there are not, and a sentence for each of those."""
        view, problems = self, []
        if self.policy not in choosers:
            view = replace(view, policy=GatePolicy.name)
            problems.append(_gone(self.policy))
        if self.compare is not None and self.compare not in choosers:
            view = replace(view, compare=None)
            problems.append(_gone(self.compare))
        if self.turn is not None and self.turn >= len(conversation):
            view = replace(view, turn=None)
            problems.append(_missing(self.turn, conversation))
        if self.selected is not None and self.selected >= len(conversation):
            view = replace(view, selected=None)
            problems.append(_missing(self.selected, conversation))
        return view, problems

    def opened(self, conversation: str) -> View:
        """Another conversation, looked at in the same way."""
        return replace(
            self, conversation=conversation, turn=None, question="", selected=None, queue=None, settle=False
        )


def _gone(chooser: str) -> str:
    return f"The address names the version {version_of(chooser)}, which there is not, or no longer."


def _missing(turn: int, conversation: Conversation) -> str:
    return f"The address names turn {turn + 1:,}, but this conversation has {len(conversation):,}."


def _packed(choice: Choice) -> str:
    return ",".join(f"{name}={value}" for name, value in choice.to_query().items())


def _unpacked(text: str) -> dict[str, str]:
    pairs = (item.partition("=") for item in text.split(",") if item)
    return {name: value for name, _, value in pairs}
