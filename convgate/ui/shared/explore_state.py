"""What Explore and Label show, between reruns.

?conversation=KEY&turn=57&selected=12&rule=blended,weight=0.3&show=Links
"""

from __future__ import annotations

from dataclasses import dataclass

from convgate.policies.gate import GatePolicy
from convgate.store import CurrentKey
from convgate.ui.shared.codecs import TURN, number, one_of
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.policy_options import POLICY_OPTION
from convgate.ui.shared.threshold_settings import THRESHOLD_SETTINGS, ThresholdSettings

LISTED = {"all": "All turns", "sent": "Sent", "dropped": "Dropped", "invariants": "Invariants"}
"""What the list shows, as addresses and as people call it."""

MAX_BUDGET = 10_000_000  # tokens


@dataclass(frozen=True)
class ExploreState(PageState):
    """The selected turn, how turns are chosen, and what else is open."""

    selected: int | None = param(None, TURN, of_conversation=True)
    policy: str = param(GatePolicy.name, POLICY_OPTION)
    choice: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS, name="rule")  # noqa: RUF009  # None: the gate's own rule
    budget: int | None = param(None, number(0, MAX_BUDGET))  # tokens; None: as the settings have it
    listed: str = param("all", one_of(LISTED), name="list")
    page: int = param(1, of_conversation=True)  # of the invariants
    pairs: bool = False  # keep a question and its answer together
    logit: bool = False  # whether chart and slider have a logit axis
    show: str | None = None  # the open tab
    messages: bool = False  # whether the messages to send are open
    queue: int | None = param(None, of_conversation=True)  # the queue that Label works through
    adjudicate: bool = param(False, of_conversation=True)  # whether Label adjudicates disagreements

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
