"""What Monitor shows, between reruns: ?period=7d, ?on=rollout."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from convgate.ui.shared.codecs import one_of
from convgate.ui.shared.page_state import Address, PageState, param

PERIODS = {"1h": timedelta(hours=1), "24h": timedelta(days=1), "7d": timedelta(days=7), "30d": timedelta(30)}


@dataclass(frozen=True)
class MonitorState(PageState):
    """A period of the log up to now, or the rollout."""

    on: Literal["log", "rollout"] = "log"
    period: str = param("24h", one_of(PERIODS))

    @property
    def follows_open(self) -> bool:
        """Whether the open conversation is shown: Monitor shows none."""
        return False


page = Address("monitor", MonitorState)
