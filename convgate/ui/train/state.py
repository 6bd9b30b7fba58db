"""What Train shows between reruns, and how its buttons act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from convgate.ui.shared.actions import reporting_problems
from convgate.ui.shared.changed_turns import Listed
from convgate.ui.shared.page_state import Address, StandaloneState


@dataclass(frozen=True)
class TrainState(StandaloneState):
    """A new training and the list of all, or one of them: ?data=@labels,talks or ?run=ID."""

    run: str | None = None  # the id of the training that is open
    data: tuple[str, ...] | None = None  # the labels and sets of a new one; None: the labels
    only: Listed = "all"  # of the changed decisions
    page: int = 1  # of them


page = Address("train", TrainState)


def attempt(action: Callable[..., Any], *args: Any) -> None:
    """Run the action of a button; the page shows its ConvgateError."""
    page.touched()
    with reporting_problems():
        action(*args)
