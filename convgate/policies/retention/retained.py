"""What stays of some messages: columns for all of them, and a sentence for each that somebody looks at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import Why
from convgate.core.errors import PolicyError
from convgate.policies.retention.stated import Confidence

# Which rule decided about a message.
INSTRUCTION = "instruction"  # kept: it instructs the model
CONFIDENT = "confident"  # kept: 0.7 or more
CHECKPOINT = "checkpoint"  # kept: 0.6 or more, at a multiple of the period
BASE_WINDOW = "base_window"  # kept: inside the base window of a prompt
LAST_MESSAGES = "last_messages"  # kept: one of the last messages of a stored conversation
CLOSED = "closed"  # dropped: the base window was used up
OLDER = "older"  # dropped: older than the last messages, and neither confident nor a checkpoint
SIZE_LIMIT = "size_limit"  # dropped: it would have stayed, but for a limit of size


@dataclass(frozen=True, eq=False)
class Retained:
    """Which messages stay; row i is about the i-th that was given."""

    kept: NDArray[np.bool_]  # (n,)
    rules: tuple[str, ...]  # (n,) which rule decided: one of the names above
    confidences: tuple[Confidence, ...]  # (n,)
    why: Callable[[int], Why]  # by row

    def __len__(self) -> int:
        return len(self.rules)

    @property
    def rows(self) -> list[int]:
        """Those that stay, in order."""
        return np.flatnonzero(self.kept).tolist()


def characters(turn: Turn) -> int:
    """How long a message is: what it says and the tool calls that it makes."""
    return len(turn.scored_text)


def every(period: int) -> str:
    """A period in words.

    >>> every(1), every(2), every(3), every(11), every(22)
    ('every message', 'every 2nd', 'every 3rd', 'every 11th', 'every 22nd')
    """
    if period == 1:
        return "every message"
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"every {period}{'th' if period // 10 % 10 == 1 else endings.get(period % 10, 'th')}"


def check(turns: Sequence[Turn], found: Sequence[Confidence], **numbers: int) -> None:
    """Raises PolicyError unless each turn has a confidence and every number is whole, from 0."""
    if len(found) != len(turns):
        raise PolicyError(f"{len(found)} confidences were given for {len(turns)} messages")
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise PolicyError(f"{name} must be a whole number from 0; got {number!r}")
