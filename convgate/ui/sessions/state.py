"""The state of the page Sessions.

?conversation=KEY&selected=13&gap=1800&override=0
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from convgate.policies.sessions import BoundaryRules
from convgate.ui.shared.codecs import TURN, Codec, share
from convgate.ui.shared.page_state import Address, PageState, param

_SECONDS = share(0, math.inf)
GAP = Codec(
    lambda gap: "off" if math.isinf(gap) else _SECONDS.write(gap),
    lambda text: math.inf if text == "off" else _SECONDS.read(text),
    "a number of seconds, or off",
)


@dataclass(frozen=True)
class SessionsState(PageState):
    """One conversation under some rules. Rules that are None are the saved ones."""

    selected: int | None = param(None, TURN, of_conversation=True)
    gap: float | None = param(None, GAP)  # seconds, inf for none
    override: bool | None = None  # whether a continue command continues after a longer gap
    complete: bool | None = None  # whether COMPLETE closes the conversation

    def rules(self, saved: BoundaryRules) -> BoundaryRules:
        """Return the saved rules with what the page changes."""
        return replace(
            saved,
            idle_gap_seconds=saved.idle_gap_seconds if self.gap is None else self.gap,
            continue_overrides_gap=saved.continue_overrides_gap if self.override is None else self.override,
            close_on_complete=saved.close_on_complete if self.complete is None else self.complete,
        )


page = Address("sessions", SessionsState)
