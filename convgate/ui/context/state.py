"""What Context shows, between reruns: ?conversation=KEY&turn=27&budget=8000&show=dropped."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.ui.codecs import TURN, number, one_of
from convgate.ui.page_state import Address, PageState, param
from convgate.ui.policy_options import POLICY_OPTION

SHOWN = {
    "all": "All turns",
    "sent": "Sent",
    "dropped": "Dropped",
    "invariants": "Invariants",
    "messages": "Messages",
}
"""What stands below the chart, as addresses and as people call it."""

MAX_BUDGET = 10_000_000  # tokens


@dataclass(frozen=True)
class View(PageState):
    """What replaces the settings, and what is listed. None: as the settings have it."""

    selected: int | None = param(None, TURN, of_conversation=True)
    budget: int | None = param(None, number(0, MAX_BUDGET))  # tokens
    policy: str | None = param(None, POLICY_OPTION)
    show: str = param("all", one_of(SHOWN))
    page: int = param(1, of_conversation=True)  # of the invariants


page = Address("context", View)
