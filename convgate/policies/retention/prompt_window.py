"""The window for a prompt: what is shown of the messages so far.

>>> talk = [Turn.of("user", "x" * 1_500) for _ in range(6)]
>>> window(talk, [Confidence(value) for value in (0.9, 0.62, 0.5, 0.5, 0.5, 0.5)]).rows
[0, 4, 5]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from convgate.core.conversation import Turn
from convgate.core.decisions import Why
from convgate.policies.retention import retained
from convgate.policies.retention.bands import CHECKPOINTS, UNLIMITED
from convgate.policies.retention.confidence import confidences as confidences_of
from convgate.policies.retention.pruning import PERIOD
from convgate.policies.retention.retained import Retained, characters, every
from convgate.policies.retention.stated import Confidence

BASE_WINDOW = 4_000


def window(
    turns: Sequence[Turn],
    confidences: Sequence[Confidence] | None = None,
    *,
    base_window: int = BASE_WINDOW,
    period: int = PERIOD,
    first: int = 0,
) -> Retained:
    """What enters a prompt, walking back from the newest message; the order stays that of the conversation.

    From a confidence of 0.7 on everything enters; from 0.6 on where the position from the newest, which is 1
    for the last of `turns`, is a multiple of `period` (0 knows no checkpoints); anything else while the base
    window of `base_window` characters lasts. Only what enters that way uses it up, and it closes at the first
    message that does not fit. What instructs the model enters in any case and uses nothing.

    confidences: of each turn; those of `confidences(turns)` by default. first: index of the first turn in its
    conversation, for errors.

    Raises ConfidenceError for a confidence that is none, PolicyError for a number out of its range.
    """
    found = tuple(confidences_of(turns, first=first) if confidences is None else confidences)
    retained.check(turns, found, base_window=base_window, period=period)
    n, used, closed_by = len(turns), 0, -1
    rules = [retained.CLOSED] * n
    used_at = [0] * n  # characters of the base window in use, with the message where it entered
    for row in range(n - 1, -1, -1):
        turn, value, position_from_newest = turns[row], found[row].value, n - row
        if turn.is_instruction:
            rules[row] = retained.INSTRUCTION
        elif value >= UNLIMITED:
            rules[row] = retained.CONFIDENT
        elif value >= CHECKPOINTS and period and position_from_newest % period == 0:
            rules[row] = retained.CHECKPOINT
        elif closed_by < 0 and used + characters(turn) <= base_window:
            rules[row] = retained.BASE_WINDOW
            used += characters(turn)
        elif closed_by < 0:
            closed_by = row
        used_at[row] = used

    def why(row: int) -> Why:
        told, rule = found[row].told(), rules[row]
        position = f"message {n - row} from the newest"
        if rule == retained.INSTRUCTION:
            return Why(rule, "it instructs the model.")
        if rule == retained.CONFIDENT:
            return Why(rule, f"{told}, from {UNLIMITED:.2f} on a message stays without limit.")
        if rule == retained.CHECKPOINT:
            return Why(rule, f"{told}, {position}, {every(period)}.", how="at a checkpoint")
        if rule == retained.BASE_WINDOW:
            reason = f"{told}; {used_at[row]:,} of its {base_window:,} characters are used with this message."
            return Why(rule, reason, how="in the base window")
        if row == closed_by:
            left = f"{base_window - used:,} of {base_window:,}"
            reason = (
                f"{told}; its {characters(turns[row]):,} characters close the base window, {left} were left"
            )
        else:
            reason = f"{told}, older than the base window of {base_window:,} characters"
        missed = period and found[row].value >= CHECKPOINTS
        return Why(
            rule, f"{reason}; {position} is no checkpoint ({every(period)} is)." if missed else f"{reason}."
        )

    kept = np.array([rule != retained.CLOSED for rule in rules], dtype=bool)
    return Retained(kept, tuple(rules), found, why)
