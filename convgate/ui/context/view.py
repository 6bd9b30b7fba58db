"""What a person looks at in Context, as one value that an address can carry.

    ?conversation=KEY&turn=27&intent=debug&budget=8000&cells=TASK.evidence:2000&selected=12&show=dropped

Turns are numbered from 1 in addresses, as on the screen beside them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import cast

from convgate.context.mode import MODES, Mode
from convgate.context.section import SECTIONS, SectionName
from convgate.conversation import Conversation
from convgate.ui.address import LONGEST_QUESTION
from convgate.ui.choosers import read_chooser, version_of
from convgate.ui.query import QueryReader

SHOWN = {
    "sections": "In the context",
    "invariants": "Invariants",
    "dropped": "Dropped",
    "messages": "Messages",
}
"""The lists below the picture, as addresses and as people call them."""

LARGEST = 10_000_000
"""Tokens of a budget that is tried."""

Cell = tuple[Mode, SectionName, int]


@dataclass(frozen=True, slots=True)
class View:
    """The message, what is tried in place of the settings, and what is looked at."""

    conversation: str | None = None
    turn: int | None = None  # 0-based current message; None: the one that a model would answer
    question: str = ""  # asked after the last turn, in place of a turn
    selected: int | None = None  # 0-based turn that is looked at
    intent: str | None = None  # said by the caller; None: the mode is found by the message
    budget: int | None = None  # tokens of the whole; None: as the settings have it, so the others
    cells: tuple[Cell, ...] = ()  # tokens of single sections
    filter: bool | None = None
    hysteresis: float | None = None  # 0…1, gain in score
    policy: str | None = None  # a chooser
    show: str = "sections"  # one of SHOWN
    section: SectionName | None = None  # the one that is listed whole
    why: str | None = None  # of the dropped turns, only those that this dropped
    page: int = 0  # of the list, from 1; 0: where the selected turn is, or the first

    @property
    def tried(self) -> dict[str, object]:
        """What stands in place of the settings, by the names of fields."""
        values = {name: getattr(self, name) for name in ("budget", "filter", "hysteresis", "policy")}
        found = {name: value for name, value in values.items() if value is not None}
        return found | ({"cells": self.cells} if self.cells else {})

    @property
    def as_set(self) -> View:
        """The same message and intent by the settings alone."""
        return replace(self, budget=None, cells=(), filter=None, hysteresis=None, policy=None)

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        values: dict[str, str | None] = {
            "conversation": self.conversation,
            "turn": None if self.turn is None else str(self.turn + 1),
            "ask": self.question[:LONGEST_QUESTION] or None,
            "selected": None if self.selected is None else str(self.selected + 1),
            "intent": self.intent,
            "budget": None if self.budget is None else str(self.budget),
            "cells": ",".join(f"{mode}.{section}:{tokens}" for mode, section, tokens in self.cells) or None,
            "filter": None if self.filter is None else str(int(self.filter)),
            "hysteresis": None if self.hysteresis is None else f"{self.hysteresis:g}",
            "policy": self.policy,
            "show": None if self.show == "sections" else self.show,
            "section": self.section,
            "why": self.why,
            "page": str(self.page) if self.page else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = _Reader(query)
        question = query.get("ask", "").strip()
        section = reader.one_of("section", ("", *SECTIONS), "")
        view = cls(
            conversation=query.get("conversation") or None,
            turn=None if question else reader.turn("turn"),
            question=question,
            selected=reader.turn("selected"),
            intent=query.get("intent", "").strip().lower() or None,
            budget=reader.tokens(),
            cells=reader.cells(),
            filter={"0": False, "1": True}.get(reader.one_of("filter", ("", "0", "1"), "")),
            hysteresis=reader.share("hysteresis"),
            policy=read_chooser(reader, "policy"),
            show=reader.one_of("show", SHOWN, "sections"),
            section=cast(SectionName, section) if section else None,
            why=query.get("why") or None,
            page=reader.number("page") or 0,
        )
        return view, reader.problems

    def among(self, choosers: Collection[str], intents: Collection[str]) -> tuple[View, list[str]]:
        """The view without a version and an intent that there are not, and a sentence for each."""
        view, problems = self, []
        if self.policy is not None and self.policy not in choosers:
            view = replace(view, policy=None)
            named = version_of(self.policy) or self.policy
            problems.append(f"The address names the version {named}, which there is not, or no longer.")
        if self.intent is not None and self.intent not in intents:
            view = replace(view, intent=None)
            known = ", ".join(intents)
            problems.append(f"The address says intent={self.intent[:40]}, which is not one of {known}.")
        return view, problems

    def within(self, conversation: Conversation) -> tuple[View, list[str]]:
        """The view without turns that the conversation has not, and a sentence for each."""
        view, problems = self, []
        for name in ("turn", "selected"):
            turn: int | None = getattr(self, name)
            if turn is not None and turn >= len(conversation):
                view = replace(view, **{name: None})  # type: ignore[arg-type]  # both may be None
                problems.append(
                    f"The address names turn {turn + 1:,}, but this conversation has {len(conversation):,}."
                )
        return view, problems

    def opened(self, conversation: str) -> View:
        """Another conversation, looked at in the same way."""
        return replace(
            self, conversation=conversation, turn=None, question="", selected=None, intent=None, why=None,
            section=None, page=0,
        )  # fmt: skip


class _Reader(QueryReader):
    """Reads what is tried of a context, too."""

    def tokens(self) -> int | None:
        text = self.query.get("budget")
        if text is None:
            return None
        if _is_number(text) and int(text) <= LARGEST:
            return int(text)
        self.leave_out("budget", text, f"a number of tokens, 0 to {LARGEST:,}")
        return None

    def share(self, name: str) -> float | None:
        text = self.query.get(name)
        if text is None:
            return None
        if text.isascii() and text.replace(".", "", 1).isdecimal() and len(text) < 12 and float(text) <= 1:
            return float(text)
        self.leave_out(name, text, "a number from 0 to 1")
        return None

    def cells(self) -> tuple[Cell, ...]:
        found: dict[tuple[Mode, SectionName], int] = {}
        for part in self.names("cells") or ():
            place, _, tokens = part.partition(":")
            mode, _, section = place.partition(".")
            if mode in MODES and section in SECTIONS and _is_number(tokens) and int(tokens) <= LARGEST:
                found[mode, section] = int(tokens)
            else:
                self.leave_out("cells", part, "MODE.section:tokens")
        return tuple((mode, section, tokens) for (mode, section), tokens in sorted(found.items()))


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 12
