"""What Sessions shows, between reruns.

?conversation=KEY&selected=13&gap=1800&override=0
?on=stored&workspace=shop&only=active&session=session_20260305_090000_1234&page=2
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from convgate.policies.sessions import BoundaryRules
from convgate.ui.page_state import TURN, Address, Codec, PageState, number, one_of, param, share
from convgate.ui.state import put as put

AXES = {"time": "By the clock", "turns": "Turn by turn"}
STATES = {"all": "All", "active": "Active", "ended": "Ended"}


def split_commands(text: str, between: str) -> tuple[str, ...]:
    """Commands out of a text, none of them empty or there twice.

    >>> split_commands("go on,, next ,next", ",")
    ('go on', 'next')
    """
    return tuple(dict.fromkeys(one for part in text.split(between) if (one := " ".join(part.split()))))


_SECONDS = share(0, math.inf)
GAP = Codec(
    lambda gap: "off" if math.isinf(gap) else _SECONDS.write(gap),
    lambda text: math.inf if text == "off" else _SECONDS.read(text),
    "a number of seconds, or off",
)
COMMANDS = Codec(",".join, lambda text: split_commands(text, ","), is_many=True)


@dataclass(frozen=True)
class View(PageState):
    """The settings that are tried on the conversation, or the list of stored sessions."""

    on: Literal["conversation", "stored"] = "conversation"
    selected: int | None = param(None, TURN, of_conversation=True)
    axis: str = param("time", one_of(AXES))
    gap: float | None = param(
        None, GAP
    )  # seconds, inf for none; None: as the settings have it, so the others
    override: bool | None = None  # whether a continue command goes on after a longer gap
    close: bool | None = param(None, name="complete")  # whether COMPLETE closes the conversation
    new: tuple[str, ...] | None = param(None, COMMANDS)
    onward: tuple[str, ...] | None = param(None, COMMANDS, name="continue")
    workspace: str | None = None  # None: all
    only: str = param("all", one_of(STATES))
    session: str | None = None  # id of the one that is opened
    page: int = param(0, number(0), of_conversation=True)  # 0: where the selected turn is, or the first

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


page = Address("sessions", View)
VIEW = page.key
current_view, change, touched, keep = page.current, page.change, page.touched, page.keep


def select(turn: int | None) -> None:
    """Look at another turn (0-based), and at the part of the list that it is in; for callbacks."""
    if turn is not None:
        change(selected=turn)


def open_conversation(key: str | None) -> None:
    """Look at the boundaries of a conversation under the same settings; for callbacks."""
    page.open(key)
    change(on="conversation")
