"""What a person looks at in Sessions, as one value that an address can carry.

    ?conversation=KEY&selected=13&gap=1800&override=0
    ?on=stored&workspace=shop&only=active&session=session_20260305_090000_1234&page=2

Turns are numbered from 1 in addresses, as on the screen beside them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from convgate.conversation import Conversation
from convgate.sessions import BoundaryRules
from convgate.ui.query import QueryReader

AXES = {"time": "By the clock", "turns": "Turn by turn"}
STATES = {"all": "All", "active": "Active", "ended": "Ended"}
OFF = "off"


@dataclass(frozen=True, slots=True)
class View:
    """The conversation and the settings that are tried on it, or the list of stored sessions."""

    conversation: str | None = None
    selected: int | None = None  # 0-based turn that is looked at
    axis: str = "time"  # one of AXES
    gap: float | None = (
        None  # seconds that are tried, inf for none; None: as the settings have it, so the others
    )
    override: bool | None = None  # whether a continue command goes on after a longer gap
    close: bool | None = None  # whether COMPLETE closes the conversation
    new: tuple[str, ...] | None = None  # commands
    onward: tuple[str, ...] | None = None  # commands
    stored: bool = False  # the sessions of running agents rather than one conversation
    workspace: str | None = None  # None: all
    only: str = "all"  # one of STATES
    session: str | None = None  # id of the one that is opened
    page: int = 0  # of whichever list is shown, from 1; 0: the one where the selected turn is, or the first

    @property
    def is_trial(self) -> bool:
        """Whether any setting is tried."""
        return any(
            value is not None for value in (self.gap, self.override, self.close, self.new, self.onward)
        )

    def rules(self, in_use: BoundaryRules) -> BoundaryRules:
        """The rules in use with what is tried in their place; SessionError for what cannot be."""
        return BoundaryRules(
            idle_gap=in_use.idle_gap if self.gap is None else self.gap,
            continue_overrides_gap=in_use.continue_overrides_gap if self.override is None else self.override,
            close_on_complete=in_use.close_on_complete if self.close is None else self.close,
            new_commands=in_use.new_commands if self.new is None else self.new,
            continue_commands=in_use.continue_commands if self.onward is None else self.onward,
        )

    def to_query(self) -> dict[str, str]:
        """The view as an address has it; what is at its default is left out."""
        gap = None if self.gap is None else OFF if math.isinf(self.gap) else f"{self.gap:g}"
        values: dict[str, str | None] = {
            "on": "stored" if self.stored else None,
            "conversation": self.conversation,
            "selected": None if self.selected is None else str(self.selected + 1),
            "axis": None if self.axis == "time" else self.axis,
            "gap": gap,
            "override": _BITS[self.override],
            "complete": _BITS[self.close],
            "new": None if self.new is None else ",".join(self.new),
            "continue": None if self.onward is None else ",".join(self.onward),
            "workspace": self.workspace,
            "only": None if self.only == "all" else self.only,
            "session": self.session,
            "page": str(self.page) if self.page else None,
        }
        return {name: value for name, value in values.items() if value is not None}

    @classmethod
    def from_query(cls, query: Mapping[str, str]) -> tuple[View, list[str]]:
        """The view of an address, and a sentence for each part of it that means nothing."""
        reader = _Reader(query)
        view = cls(
            conversation=query.get("conversation") or None,
            selected=reader.turn("selected"),
            axis=reader.one_of("axis", AXES, "time"),
            gap=reader.gap(),
            override=reader.bit("override"),
            close=reader.bit("complete"),
            new=reader.commands("new"),
            onward=reader.commands("continue"),
            stored=reader.one_of("on", ("stored", "conversation"), "conversation") == "stored",
            workspace=query.get("workspace") or None,
            only=reader.one_of("only", STATES, "all"),
            session=query.get("session") or None,
            page=reader.number("page") or 0,
        )
        return view, reader.problems

    def within(self, conversation: Conversation) -> tuple[View, list[str]]:
        """The view without a turn that the conversation has not, and a sentence for that."""
        if self.selected is None or self.selected < len(conversation):
            return self, []
        told = (
            f"The address names turn {self.selected + 1:,}, but this conversation has {len(conversation):,}."
        )
        return replace(self, selected=None), [told]

    def opened(self, conversation: str) -> View:
        """Another conversation, under the same settings."""
        return replace(self, conversation=conversation, selected=None, stored=False, page=0)


class _Reader(QueryReader):
    """Reads settings of sessions, too."""

    def gap(self) -> float | None:
        text = self.query.get("gap")
        if text is None or text == OFF:
            return None if text is None else math.inf
        if text.isascii() and text.replace(".", "", 1).isdecimal() and len(text) < 12:
            return float(text)
        self.leave_out("gap", text, f"a number of seconds, or {OFF}")
        return None

    def bit(self, name: str) -> bool | None:
        text = self.query.get(name)
        if text in (None, "0", "1"):
            return None if text is None else text == "1"
        self.leave_out(name, text or "", "0 or 1")
        return None

    def commands(self, name: str) -> tuple[str, ...] | None:
        text = self.query.get(name)
        return None if text is None else split_commands(text, ",")


def split_commands(text: str, between: str) -> tuple[str, ...]:
    """Commands out of a text, none of them empty or there twice.

    >>> split_commands("go on,, next ,next", ",")
    ('go on', 'next')
    """
    return tuple(dict.fromkeys(one for part in text.split(between) if (one := " ".join(part.split()))))


_BITS = {None: None, False: "0", True: "1"}
