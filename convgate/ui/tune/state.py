"""What Tune shows, between reruns.

?version=gate@mine&data=@labels,talks&goal=recall&recall=0.9&rule=anchored,threshold=0.31
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from convgate.policies.gate import GatePolicy
from convgate.ui.shared.codecs import share
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.policy_options import POLICY_OPTION
from convgate.ui.shared.threshold_settings import THRESHOLD_SETTINGS, ThresholdSettings


@dataclass(frozen=True)
class TuneState(PageState):
    """The gate, the labelled data, the goal, the threshold settings, and which flips are listed."""

    version: str = param(GatePolicy.name, POLICY_OPTION)  # a policy option that is a gate
    data: tuple[str, ...] | None = None  # None: what there is
    goal: Literal["f1", "recall"] = "f1"
    recall: float = param(0.9, share(0.05, 1.0))  # the min recall, of the goal "recall"
    choice: ThresholdSettings | None = param(None, THRESHOLD_SETTINGS, name="rule")  # noqa: RUF009  # None: the version's own
    only: Literal["all", "fixed", "broken"] = "all"
    page: int = 1


page = Address("tune", TuneState)
