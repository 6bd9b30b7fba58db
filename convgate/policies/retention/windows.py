"""Which messages stay by their confidence: in the window for a prompt, and in a stored conversation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Turn
from convgate.core.decisions import Why
from convgate.core.errors import PolicyError
from convgate.core.text import join_words, pluralize
from convgate.policies.retention.confidence import BANDS, CHECKPOINTS, UNLIMITED, Confidence
from convgate.policies.retention.confidence import confidences as confidences_of

PERIOD = 3
KEEP_LAST = 20
BASE_WINDOW = 4_000

# Which rule decided about a message.
INSTRUCTION = "instruction"  # kept: it instructs the model
CONFIDENT = "confident"  # kept: 0.7 or more
CHECKPOINT = "checkpoint"  # kept: 0.6 or more, at a multiple of the period
IN_BASE_WINDOW = "base_window"  # kept: inside the base window of a prompt
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
    """Return how long a message is: what it says and the tool calls that it makes."""
    return len(turn.scored_text)


def window(
    turns: Sequence[Turn],
    confidences: Sequence[Confidence] | None = None,
    *,
    base_window: int = BASE_WINDOW,
    period: int = PERIOD,
    first: int = 0,
) -> Retained:
    """Return what enters a prompt, walking back from the newest message; the order stays as it is.

    From a confidence of 0.7 on everything enters; from 0.6 on where the position from the newest, which is 1
    for the last of `turns`, is a multiple of `period` (0 knows no checkpoints); anything else while the base
    window of `base_window` characters lasts. Only what enters that way uses it up, and it closes at the first
    message that does not fit. What instructs the model enters in any case and uses nothing.

    confidences: of each turn; those of `confidences(turns)` by default. first: index of the first turn in its
    conversation, for errors.

    Raises ConfidenceError for a confidence that is none, PolicyError for a number out of its range.

    >>> talk = [Turn.of("user", "x" * 1_500) for _ in range(6)]
    >>> window(talk, [Confidence(value) for value in (0.9, 0.62, 0.5, 0.5, 0.5, 0.5)]).rows
    [0, 4, 5]
    """
    found = tuple(confidences_of(turns, first=first) if confidences is None else confidences)
    _check(turns, found, base_window=base_window, period=period)
    n, used, is_open = len(turns), 0, True
    rules = [CLOSED] * n
    for row in range(n - 1, -1, -1):
        rule = _rule(turns[row], found[row], n - row, period)
        if rule is None and is_open:
            is_open = used + characters(turns[row]) <= base_window
            if is_open:
                rule, used = IN_BASE_WINDOW, used + characters(turns[row])
        rules[row] = rule or CLOSED

    def why(row: int) -> Why:
        position = f"message {n - row} from the newest"
        if rules[row] == IN_BASE_WINDOW:
            reason = f"{found[row].told()}; it fits into the base window of {base_window:,} characters."
            return Why(IN_BASE_WINDOW, reason, how="in the base window")
        if rules[row] != CLOSED:
            return _why_kept(rules[row], found[row], position, period)
        reason = f"{found[row].told()}, older than the base window of {base_window:,} characters"
        return _why_dropped(CLOSED, reason, found[row], position, period)

    return Retained(np.array([rule != CLOSED for rule in rules], dtype=bool), tuple(rules), found, why)


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
    """Return what stays of a stored conversation.

    The last `keep_last` messages stay, and so does what instructs the model. Older messages stay from a
    confidence of 0.7 on, and from 0.6 on where their position from the start, which is 1 for the oldest, is a
    multiple of `period`; 0 knows no checkpoints.

    Where more stays than `max_messages` or `max_characters` (0: no limit), messages leave until it does not:
    those below 0.5, then below 0.6, below 0.7 and the rest, the oldest of each first, the last `keep_last` no
    later than others. Instructions count, but never leave.

    confidences: of each turn; those of `confidences(turns)` by default. first: index of the first turn in its
    conversation, from which its position follows.

    Raises ConfidenceError for a confidence that is none, PolicyError for a number out of its range.

    >>> talk = [Turn.of("user", f"message {place}") for place in range(1, 31)]
    >>> prune(talk, [Confidence(0.62)] * 30).rows[:5]  # positions 3, 6 and 9, then the last 20
    [2, 5, 8, 10, 11]
    """
    found = tuple(confidences_of(turns, first=first) if confidences is None else confidences)
    _check(
        turns,
        found,
        period=period,
        keep_last=keep_last,
        max_messages=max_messages,
        max_characters=max_characters,
    )
    rules = []
    for row, (turn, confidence) in enumerate(zip(turns, found, strict=True)):
        rule = _rule(turn, confidence, first + row + 1, period)
        is_last = row >= len(turns) - keep_last
        rules.append(LAST_MESSAGES if is_last and rule != INSTRUCTION else rule or OLDER)
    for row in _leaving(turns, found, rules, max_messages, max_characters):
        rules[row] = SIZE_LIMIT

    def why(row: int) -> Why:
        text, rule = found[row].told(), rules[row]
        position = f"message {first + row + 1} from the start"
        if rule == LAST_MESSAGES:
            return Why(rule, f"one of the last {pluralize(keep_last, 'message')}, which always stay; {text}.")
        if rule == SIZE_LIMIT:
            limits = [pluralize(max_messages, "message")] * bool(max_messages)
            limits += [pluralize(max_characters, "character")] * bool(max_characters)
            reason = f"{text}; at most {join_words(limits)} may stay, and the least confident leave first."
            return Why(rule, reason)
        if rule != OLDER:
            return _why_kept(rule, found[row], position, period)
        reason = f"{text}, older than the last {pluralize(keep_last, 'message')}"
        return _why_dropped(rule, reason, found[row], position, period)

    kept = np.array([rule not in (OLDER, SIZE_LIMIT) for rule in rules], dtype=bool)
    return Retained(kept, tuple(rules), found, why)


def _rule(turn: Turn, confidence: Confidence, position: int, period: int) -> str | None:
    """Return the rule that keeps a message wherever it stands; None when none does."""
    if turn.is_instruction:
        return INSTRUCTION
    if confidence.value >= UNLIMITED:
        return CONFIDENT
    is_checkpoint = period and position % period == 0
    return CHECKPOINT if is_checkpoint and confidence.value >= CHECKPOINTS else None


def _why_kept(rule: str, confidence: Confidence, position: str, period: int) -> Why:
    if rule == INSTRUCTION:
        return Why(rule, "it instructs the model.")
    if rule == CONFIDENT:
        return Why(rule, f"{confidence.told()}, from {UNLIMITED:.2f} on a message stays without limit.")
    return Why(rule, f"{confidence.told()}, {position}, {_every(period)}.", how="at a checkpoint")


def _why_dropped(rule: str, reason: str, confidence: Confidence, position: str, period: int) -> Why:
    if period and confidence.value >= CHECKPOINTS:
        reason += f"; {position} is no checkpoint ({_every(period)} is)"
    return Why(rule, f"{reason}.")


def _leaving(
    turns: Sequence[Turn],
    found: Sequence[Confidence],
    rules: Sequence[str],
    max_messages: int,
    max_characters: int,
) -> list[int]:
    """Return the rows that leave for the sake of the limits."""
    staying = [row for row, rule in enumerate(rules) if rule != OLDER]
    messages, total = len(staying), sum(characters(turns[row]) for row in staying)
    order = sorted(
        (row for row in staying if rules[row] != INSTRUCTION),
        key=lambda row: (-BANDS.index(found[row].band), row),
    )
    leaving: list[int] = []
    for row in order:
        if not (max_messages and messages > max_messages) and not (max_characters and total > max_characters):
            break
        leaving.append(row)
        messages, total = messages - 1, total - characters(turns[row])
    return leaving


def _every(period: int) -> str:
    """Return a period in words.

    >>> _every(1), _every(2), _every(3), _every(11), _every(22)
    ('every message', 'every 2nd', 'every 3rd', 'every 11th', 'every 22nd')
    """
    if period == 1:
        return "every message"
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"every {period}{'th' if period // 10 % 10 == 1 else endings.get(period % 10, 'th')}"


def _check(turns: Sequence[Turn], found: Sequence[Confidence], **numbers: int) -> None:
    """Raise PolicyError unless each turn has a confidence and every number is whole, from 0."""
    if len(found) != len(turns):
        raise PolicyError(f"{len(found)} confidences were given for {len(turns)} messages")
    for name, number in numbers.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise PolicyError(f"{name} must be a whole number from 0; got {number!r}")
