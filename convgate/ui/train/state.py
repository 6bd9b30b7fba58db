"""What Train shows, between reruns.

?data=@labels,talks or ?run=ID
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from convgate.ui.shared.actions import reporting_problems
from convgate.ui.shared.page_state import Address, PageState


@dataclass(frozen=True)
class TrainState(PageState):
    """A new training and the list of all, or one of them."""

    run: str | None = None  # the id of the training that is open
    data: tuple[str, ...] | None = None  # the labels and sets of a new one; None: the labels


page = Address("train", TrainState)


def attempt(action: Callable[..., Any], *args: Any) -> None:
    """Run the action of a button; the page shows its ConvgateError."""
    page.touched()
    with reporting_problems():
        action(*args)
