"""What Experiments shows, between reruns: ?experiment=pilot, ?experiment=pilot&rate=1."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.ui.page_state import Address, PageState


@dataclass(frozen=True)
class View(PageState):
    """All experiments, the report of one, or its queue."""

    experiment: str | None = None
    rate: bool = False

    @property
    def follows_open(self) -> bool:
        """Whether the open conversation is shown: Experiments shows none."""
        return False


page = Address("experiments", View)
