"""What Experiments shows, between reruns.

?experiment=pilot, ?experiment=pilot&rate=1, ?on=replay&data=@labels&control=everything&arms=gate; alone:gate
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from convgate.experiments.replay import RandomOrder
from convgate.policies.registry import check_spec
from convgate.policies.spec import read_policy
from convgate.ui.shared import codecs
from convgate.ui.shared.page_state import Address, PageState, param

BudgetName = Literal["matched", "free", "share"]


def _read_arm(text: str) -> str:
    """Return an arm of a replay; no path of a settings file, for a link must not open files."""
    arm = text.strip()
    policy = arm.removeprefix("alone:")
    if arm not in ("none", RandomOrder.name):
        check_spec(read_policy(policy))
    return arm


ARM = codecs.Codec(str, _read_arm)
ARMS = codecs.Codec("; ".join, lambda text: tuple(dict.fromkeys(map(_read_arm, text.split(";")))))


@dataclass(frozen=True)
class ExperimentsState(PageState):
    """All experiments, the report of one, its queue, or a replay."""

    on: Literal["experiments", "replay"] = "experiments"
    experiment: str | None = None
    rate: bool = False
    data: str | None = None  # replayed; None: the first that has labelled turns
    control: str = param("last_k", ARM)
    arms: tuple[str, ...] = param(("gate", "alone:gate"), ARMS)
    budgets: tuple[BudgetName, ...] = ("matched",)
    share: float = param(0.35, codecs.share(0.05, 1.0))  # of the history's tokens
    measure: bool = False  # whether a person asked for the replay

    @property
    def follows_open(self) -> bool:
        """Whether the open conversation is shown: Experiments shows none."""
        return False


page = Address("experiments", ExperimentsState, bare=True)
