"""What a person looks at in Versions, as one value that an address can carry.

    ?version=NAME
    ?show=compare&a=gate@x&b=gate@y&conversation=KEY&turn=57
    ?show=compare&a=gate@x&b=bm25&on=set&set=NAME&only=fixed&page=2

Turns are numbered from 1 in addresses, as on the screen beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from convgate.evaluation.outcomes import OUTCOMES
from convgate.policies.gate import GatePolicy
from convgate.ui.choosers import read_chooser, version_of
from convgate.ui.query import QueryReader
from convgate.versions import is_name


@dataclass(frozen=True, slots=True)
class View:
    """The list, one version of it, or two choosers side by side."""

    version: str | None = None  # whose card is open
    beside: bool = False  # two choosers rather than versions
    a: str = GatePolicy.name
    b: str | None = None  # None: not chosen yet
    on_set: bool = False  # on a set rather than on a conversation
    conversation: str | None = None
    turn: int | None = None  # 0-based message; None: every message
    all_messages: bool = False  # every one of a long conversation, rather than the newest
    set: str | None = None
    only: str | None = None  # one of OUTCOMES; None: every turn
    page: int = 1  # of the list of turns

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        if not self.beside:
            return {"version": self.version} if self.version else {}
        values: dict[str, str | None] = {
            "show": "compare",
            "a": self.a,
            "b": self.b,
            "on": "set" if self.on_set else None,
            "conversation": self.conversation,
            "turn": None if self.turn is None else str(self.turn + 1),
            "messages": "all" if self.all_messages else None,
            "set": self.set,
            "only": self.only,
            "page": str(self.page) if self.page > 1 else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = _Reader(query)
        if query.get("show") != "compare":
            return cls(version=reader.version("version")), reader.problems
        view = cls(
            beside=True,
            a=read_chooser(reader, "a") or GatePolicy.name,
            b=read_chooser(reader, "b"),
            on_set=query.get("on") == "set",
            conversation=query.get("conversation") or None,
            turn=reader.turn("turn"),
            all_messages=query.get("messages") == "all",
            set=query.get("set") or None,
            only=reader.outcome("only"),
            page=reader.number("page") or 1,
        )
        return view, reader.problems

    def within(self, choosers: Collection[str]) -> tuple[View, list[str]]:
        """The view without choosers that there are not, and a sentence for each of those."""
        view, problems = self, []
        if self.a not in choosers:
            view = replace(view, a=GatePolicy.name)
            problems.append(_gone(self.a))
        if self.b is not None and self.b not in choosers:
            view = replace(view, b=None)
            problems.append(_gone(self.b))
        return view, problems


class _Reader(QueryReader):
    """Reads versions and outcomes, too."""

    def version(self, name: str) -> str | None:
        text = self.query.get(name)
        if text is None or is_name(text):
            return text
        self.leave_out(name, text, "a version's name")
        return None

    def outcome(self, name: str) -> str | None:
        text = self.query.get(name)
        if text is None or text in OUTCOMES:
            return text
        self.leave_out(name, text, "one of " + ", ".join(OUTCOMES))
        return None


def _gone(chooser: str) -> str:
    return f"The address names the version {version_of(chooser)}, which there is not, or no longer."
