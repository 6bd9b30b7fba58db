"""What Tune shows, between reruns.

?version=gate@mine&data=@labels,talks&goal=recall&wanted=0.9&rule=anchored,threshold=0.31
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from convgate.policies.gate import GatePolicy
from convgate.ui.choice import CHOICE, Choice
from convgate.ui.choosers import CHOOSER
from convgate.ui.page_state import Address, PageState, one_of, param
from convgate.ui.state import put as put
from convgate.ui.tune.goals import GOALS

LABELLED, LIBRARY = "labelled", "library"
WHERE = {LABELLED: "Labelled turns", LIBRARY: "Your library"}
ONLY = ("all", "wrong", "right", "up", "down")
"""Which flips are listed."""


@dataclass(frozen=True)
class View(PageState):
    """The gate, the labelled data, the goal, the rule that is tried, and which flips are listed."""

    version: str = param(GatePolicy.name, CHOOSER)  # a chooser that is a gate
    data: tuple[str, ...] | None = None  # None: what there is
    goal: str = param("f_beta", one_of(GOALS))
    wanted: float | None = None  # of the goal; None: its start
    choice: Choice | None = param(None, CHOICE, name="rule")  # noqa: RUF009  # None: the version's own rule
    where: str = param(LABELLED, one_of(WHERE), name="flips")
    only: str = param("all", one_of(ONLY))
    page: int = 1

    @property
    def aim(self) -> float:
        """What is wanted of the goal."""
        return GOALS[self.goal].start if self.wanted is None else self.wanted


def _read(query: Mapping[str, str], known: View | None) -> tuple[View, list[str]]:
    view, problems = View.from_query(query)
    kind = GOALS[view.goal]
    if view.wanted is not None and not kind.low <= view.wanted <= kind.high:
        problems.append(f"The address says wanted={view.wanted:g}, not from {kind.low:g} to {kind.high:g}.")
        view = replace(view, wanted=None)
    return view, problems


page = Address("tune", _read)
VIEW = page.key
current_view, change, touched, keep = page.current, page.change, page.touched, page.keep
