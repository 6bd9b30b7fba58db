"""What Explore and Label show, between reruns.

?conversation=KEY&turn=57&selected=12&rule=blended,weight=0.3&show=Links
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from convgate.policies.gate import GatePolicy
from convgate.store import CurrentKey
from convgate.ui.shared.codecs import TURN, names_of, number, one_of
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.policy_options import POLICY_OPTION
from convgate.ui.shared.threshold_settings import THRESHOLD_SETTINGS, ThresholdSettings

LISTED = {"all": "All", "sent": "As sent", "dropped": "Dropped", "invariants": "Must hold"}
"""What the strip shows, as addresses and as people call it."""

COLUMNS = {
    "tier1": "Turn alone",
    "tier2": "With linked turns",
    "threshold": "Threshold",
    "gate": "Share of links",
}
"""Numbers of each turn that the strip can show."""

MAX_BUDGET = 10_000_000  # tokens


@dataclass(frozen=True)
class ExploreState(PageState):
    """The selected turn, how turns are chosen, and what else is open."""

    selected: int | None = param(None, TURN, of_conversation=True)
    policy: str = param(GatePolicy.name, POLICY_OPTION)
    choice: ThresholdSettings | None = param(  # noqa: RUF009  # None: the gate's own rule
        None, THRESHOLD_SETTINGS, name="rule", of_conversation=True
    )
    budget: int | None = param(None, number(0, MAX_BUDGET))  # tokens; None: as the settings have it
    listed: str = param("all", one_of(LISTED), name="list", of_conversation=True, on=("Explore",))
    page: int = param(1, of_conversation=True)  # of the invariants
    pairs: bool = False  # keep a question and its answer together
    columns: tuple[str, ...] = param((), names_of(COLUMNS), on=("Explore",))  # numbers that the strip shows
    chart: bool = param(False, on=("Explore",))  # whether the scores are drawn as dots, too
    logit: bool = param(False, on=("Explore",))  # whether chart and slider spread scores near 0 and 1
    tab: str | None = param(  # the open one
        None, name="show", of_conversation=True, on=("Explore",), of_part=True
    )
    show: str | None = param(None, on=("Label",))  # what is open below the card
    queue: int | None = param(None, of_conversation=True)  # the queue that Label works through
    adjudicate: bool = param(False, of_conversation=True)  # whether Label adjudicates disagreements

    def to_query(self, page: str | None = None) -> dict[str, str]:
        """Return the parameters of the address, on Label without what the stored answers lead to.

        Otherwise each answer would take a press of "back" of its own.
        """
        state = self
        if page == "Label":
            state = replace(state, selected=None)
            if not self.follows_open:
                state = replace(state, conversation=None, turn=None, question="")
        return PageState.to_query(state, page)

    @classmethod
    def from_query(cls, query: Mapping[str, str], page: str | None = None) -> tuple[Self, list[str]]:
        """Return the state of an address; older ones open the messages to send by `messages=1`."""
        return super().from_query({"list": "sent", **query} if query.get("messages") == "1" else query, page)

    @property
    def follows_open(self) -> bool:
        """A queue and disagreements lead to messages of their own."""
        return self.queue is None and not self.adjudicate


page = Address("explore", ExploreState)


def go(current: CurrentKey, selected: int | None) -> None:
    """Show a message with one of its earlier turns selected; for callbacks."""
    page.change(
        conversation=current.conversation, turn=current.turn, question=current.question, selected=selected
    )
