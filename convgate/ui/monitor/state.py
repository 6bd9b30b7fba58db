"""What Monitor shows, between reruns: ?period=7d, ?on=rollout, ?on=simulation&toward=DEBUGGING&nats=0.15."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from convgate.modes.mode import Mode
from convgate.ui.codecs import number, one_of, share
from convgate.ui.page_state import Address, PageState, param

PERIODS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(30)}
MIN_NATS, MAX_NATS = 0.01, 1.5
MIN_MINUTES, MAX_MINUTES = 5, 600


@dataclass(frozen=True)
class View(PageState):
    """A period of the log up to now, the rollout, or a simulation."""

    on: Literal["log", "rollout", "simulation"] = "log"
    period: str = param("24h", one_of(PERIODS))
    toward: Mode = "DEBUGGING"  # the mode that there is more of during the drift
    nats: float = param(0.15, share(MIN_NATS, MAX_NATS))  # from the usual modes
    minutes: int = param(90, number(MIN_MINUTES, MAX_MINUTES))  # that the drift lasts
    step: int | None = None  # of the simulation, from 1; None: its peak

    @property
    def follows_open(self) -> bool:
        """Whether the open conversation is shown: Monitor shows none."""
        return False


page = Address("monitor", View)
