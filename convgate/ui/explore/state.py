"""What Explore and Label show, between reruns.

?conversation=KEY&turn=57&selected=12&rule=blended,weight=0.3&compare=bm25
"""

from __future__ import annotations

from dataclasses import dataclass

from convgate.context.mode import MODES
from convgate.policies.gate import GatePolicy
from convgate.ui.choosers import CHOOSER
from convgate.ui.page_state import TURN, Address, PageState, one_of, param
from convgate.ui.state import put as put
from convgate.ui.threshold_settings import THRESHOLD_SETTINGS, ThresholdSettings


@dataclass(frozen=True)
class View(PageState):
    """The turn that is explained, how turns are chosen, and what else is open."""

    selected: int | None = param(None, TURN, of_conversation=True)
    policy: str = param(GatePolicy.name, CHOOSER)
    choice: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS, name="rule")  # noqa: RUF009  # None: the gate's own rule
    baseline: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS)  # noqa: RUF009  # what flips are counted against; None: the own rule
    compare: str | None = param(None, CHOOSER)
    pairs: bool = False  # keep a question and its answer together
    mode: str | None = param(None, one_of(MODES))  # only the turns that belong to it are listed
    show: str | None = None  # which of the further views is open
    queue: int | None = param(None, of_conversation=True)  # that is worked through, on Label
    settle: bool = param(False, of_conversation=True)  # whether disagreements are settled, on Label

    @property
    def follows_open(self) -> bool:
        """A queue and disagreements lead to messages of their own."""
        return self.queue is None and not self.settle


page = Address("explore", View)
VIEW = page.key
current_view, change, select = page.current, page.change, page.select
touched, keep = page.touched, page.keep
