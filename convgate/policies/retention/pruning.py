"""Pruning: what stays of a stored conversation.

>>> talk = [Turn.of("user", f"message {place}") for place in range(1, 31)]
>>> prune(talk, [Confidence(0.62)] * 30).rows[:5]  # positions 3, 6 and 9, then the last 20
[2, 5, 8, 10, 11]
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import Why
from convgate.core.text import join_words, pluralize
from convgate.policies.retention import retained
from convgate.policies.retention.bands import BANDS, CHECKPOINTS, UNLIMITED
from convgate.policies.retention.confidence import confidences as confidences_of
from convgate.policies.retention.retained import Retained, characters, every
from convgate.policies.retention.stated import Confidence

PERIOD = 3
KEEP_LAST = 20


def prune(
    turns: Sequence[Turn],
    confidences: Sequence[Confidence] | None = None,
    *,
    period: int = PERIOD,
    keep_last: int = KEEP_LAST,
    max_messages: int = 0,
    max_characters: int = 0,
    first: int = 0,
) -> Retained:
    """What stays of a stored conversation.

    The last `keep_last` messages stay, and so does what instructs the model. Older messages stay from a
    confidence of 0.7 on, and from 0.6 on where their position from the start, which is 1 for the oldest, is a
    multiple of `period`; 0 knows no checkpoints.

    Where more stays than `max_messages` or `max_characters` (0: no limit), messages leave until it does not:
    those below 0.5, then below 0.6, below 0.7 and the rest, the oldest of each first, the last `keep_last` no
    later than others. Instructions count, but never leave.

    confidences: of each turn; those of `confidences(turns)` by default. first: index of the first turn in its
    conversation, from which its position follows.

    Raises ConfidenceError for a confidence that is none, PolicyError for a number out of its range.
    """
    found = tuple(confidences_of(turns, first=first) if confidences is None else confidences)
    retained.check(
        turns,
        found,
        period=period,
        keep_last=keep_last,
        max_messages=max_messages,
        max_characters=max_characters,
    )
    rules = []
    for row, (turn, confidence) in enumerate(zip(turns, found, strict=True)):
        position_from_start = first + row + 1
        if turn.is_instruction:
            rule = retained.INSTRUCTION
        elif row >= len(turns) - keep_last:
            rule = retained.LAST_MESSAGES
        elif confidence.value >= UNLIMITED:
            rule = retained.CONFIDENT
        elif confidence.value >= CHECKPOINTS and period and position_from_start % period == 0:
            rule = retained.CHECKPOINT
        else:
            rule = retained.OLDER
        rules.append(rule)
    for row in _leaving(turns, found, rules, max_messages, max_characters):
        rules[row] = retained.SIZE_LIMIT

    def why(row: int) -> Why:
        told, rule = found[row].told(), rules[row]
        position = f"message {first + row + 1} from the start"
        if rule == retained.INSTRUCTION:
            return Why(rule, "it instructs the model.")
        if rule == retained.LAST_MESSAGES:
            return Why(rule, f"one of the last {pluralize(keep_last, 'message')}, which always stay; {told}.")
        if rule == retained.CONFIDENT:
            return Why(rule, f"{told}, from {UNLIMITED:.2f} on a message stays without limit.")
        if rule == retained.CHECKPOINT:
            return Why(rule, f"{told}, {position}, {every(period)}.", how="at a checkpoint")
        if rule == retained.SIZE_LIMIT:
            limits = [pluralize(max_messages, "message")] * bool(max_messages)
            limits += [pluralize(max_characters, "character")] * bool(max_characters)
            return Why(
                rule, f"{told}; at most {join_words(limits)} may stay, and the least confident leave first."
            )
        reason = (
            f"{told}, older than the last {pluralize(keep_last, 'message')}"
            if keep_last
            else f"{told}, below {UNLIMITED:.2f}"
        )
        missed = period and found[row].value >= CHECKPOINTS
        return Why(
            rule, f"{reason}; {position} is no checkpoint ({every(period)} is)." if missed else f"{reason}."
        )

    kept = np.array([rule not in (retained.OLDER, retained.SIZE_LIMIT) for rule in rules], dtype=bool)
    return Retained(kept, tuple(rules), found, why)


def _leaving(
    turns: Sequence[Turn],
    found: Sequence[Confidence],
    rules: Sequence[str],
    max_messages: int,
    max_characters: int,
) -> list[int]:
    """Rows that leave for the sake of the limits."""
    staying = [row for row, rule in enumerate(rules) if rule != retained.OLDER]
    lengths: NDArray[np.int64] = np.array([characters(turn) for turn in turns], dtype=np.int64)
    messages, total = len(staying), int(lengths[staying].sum()) if staying else 0
    order = sorted(
        (row for row in staying if rules[row] != retained.INSTRUCTION),
        key=lambda row: (-BANDS.index(found[row].band), row),
    )
    leaving: list[int] = []
    for row in order:
        if not (max_messages and messages > max_messages) and not (max_characters and total > max_characters):
            break
        leaving.append(row)
        messages, total = messages - 1, total - int(lengths[row])
    return leaving
