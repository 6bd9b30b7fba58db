"""Policies by how confident the model was: a window for a prompt, and pruning of a stored conversation."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import CurrentMessage, History, Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.parameters import ParameterSet, setting, switch
from convgate.core.text import join_words, pluralize
from convgate.policies.base import history_indices
from convgate.policies.retention.confidence import CHECKPOINTS, UNLIMITED, Confidence, band_of, confidences

_DROPPED = frozenset({"closed", "older", "size_limit"})  # rules that drop; the others keep
_HOW = {"checkpoint": "at a checkpoint", "base_window": "in the base window"}


@dataclass(frozen=True, eq=False)
class RetentionResult:
    """Which messages stay; row i is about the i-th that was given."""

    rules: tuple[str, ...]  # (n,) which rule decided
    confidences: tuple[Confidence, ...]  # (n,)
    why: Callable[[int], Why]  # by row

    @property
    def kept(self) -> NDArray[np.bool_]:
        """(n,) which messages stay."""
        return np.array([rule not in _DROPPED for rule in self.rules], dtype=bool)

    @property
    def rows(self) -> list[int]:
        """The rows of the messages that stay, in order."""
        return np.flatnonzero(self.kept).tolist()


@dataclass(frozen=True)
class ConfidencePolicy(ParameterSet, ABC):
    """What both policies share: the score is the confidence, which says nothing about relevance."""

    ranks: ClassVar[bool] = False
    counted_from: ClassVar[str]  # the message whose position is 1
    period: int = setting(
        3, "checkpoint period", low=0, high=10_000, step=1,
        help="Every so many messages, one of 0.60 or more stays; 0: no checkpoints.",
    )  # fmt: skip
    estimate: bool = switch(
        default=False, label="estimate",
        help="On: estimated from hedging language where none is stated. Off: it counts as 0.50.",
    )  # fmt: skip

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return what `retain` keeps of the history; positions in the reasons are the conversation's."""
        retained = self.retain(history.turns, first=history.start)
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=retained.kept,
            scores=np.array([confidence.value for confidence in retained.confidences], dtype=np.float64),
            explain=lambda index: retained.why(index - history.start),
        )

    def retain(
        self, turns: Sequence[Turn], known: Sequence[Confidence] | None = None, *, first: int = 0
    ) -> RetentionResult:
        """Return which messages stay.

        known: the confidence of each turn; by default that of `confidences`. first: the index of the first
        turn in its conversation. Raises ConfidenceError for a stated confidence that cannot be read.
        """
        if known is None:
            known = confidences(turns, estimate=self.estimate, first=first)
        n = len(turns)
        positions = range(n, 0, -1) if self.counted_from == "newest" else range(first + 1, first + n + 1)
        rules = self._own_rules(
            turns, known, [self._rule(*each) for each in zip(turns, known, positions, strict=True)]
        )

        def why(row: int) -> Why:
            reason = self._reason(rules[row], known[row], positions[row])
            return Why(rules[row], f"{reason}.", how=_HOW.get(rules[row], ""))

        return RetentionResult(tuple(rules), tuple(known), why)

    @abstractmethod
    def _own_rules(
        self, turns: Sequence[Turn], known: Sequence[Confidence], rules: Sequence[str | None]
    ) -> list[str]:
        """Return the rule that decides each turn; `rules` has None where no shared rule does."""

    @abstractmethod
    def _own_reason(self, rule: str) -> str:
        """Return the reason of a rule that only this policy has."""

    def _rule(self, turn: Turn, confidence: Confidence, position: int) -> str | None:
        """Return the rule that keeps a message wherever it stands; None when none does."""
        if turn.is_instruction:
            return "instruction"
        if confidence.value >= UNLIMITED:
            return "confident"
        is_checkpoint = self.period and position % self.period == 0
        return "checkpoint" if is_checkpoint and confidence.value >= CHECKPOINTS else None

    def _reason(self, rule: str, confidence: Confidence, position: int) -> str:
        place = f"message {position} from the {self.counted_from}"
        if rule == "instruction":
            return "it instructs the model"
        if rule == "confident":
            return f"{confidence.describe()}, from {UNLIMITED:.2f} on a message stays without limit"
        if rule == "checkpoint":
            return f"{confidence.describe()}, {place}; the checkpoint period is {self.period}"
        reason = f"{confidence.describe()}, {self._own_reason(rule)}"
        if rule in ("closed", "older") and self.period and confidence.value >= CHECKPOINTS:
            reason += f"; {place} is no checkpoint (the period is {self.period})"
        return reason


@dataclass(frozen=True)
class Pruning(ConfidencePolicy):
    """Prunes a stored conversation: keeps its last messages, and older ones by their confidence.

    Instructions and the last `keep_last` messages stay. Older ones stay from a confidence of 0.7 on, and from
    0.6 on where their position from the start is a multiple of `period`. Where more stays than `max_messages`
    or `max_characters`, messages leave until it does not: those below 0.5, then below 0.6, below 0.7 and the
    rest, the oldest of each first. Instructions count, but never leave.

    >>> turns = [Turn.of("user", f"message {place}") for place in range(1, 31)]
    >>> Pruning().retain(turns, [Confidence(0.62)] * 30).rows[:5]  # positions 3, 6 and 9, then the last 20
    [2, 5, 8, 10, 11]
    """

    name: ClassVar[str] = "pruning"
    label: ClassVar[str] = "Confidence: pruning of what is stored"
    counted_from: ClassVar[str] = "start"
    keep_last: int = setting(
        20, "last messages", low=0, high=10_000, step=1, help="How many messages stay in any case."
    )
    max_messages: int = setting(
        0, "at most messages", low=0, high=1_000_000, step=1,
        help="The least confident leave first; 0: no limit.",
    )  # fmt: skip
    max_characters: int = setting(
        0, "at most characters", low=0, high=100_000_000, step=100, help="The same, by length; 0: no limit."
    )

    def _own_rules(
        self, turns: Sequence[Turn], known: Sequence[Confidence], rules: Sequence[str | None]
    ) -> list[str]:
        decided = [rule or "older" for rule in rules]
        for row in range(max(0, len(turns) - self.keep_last), len(turns)):
            if decided[row] != "instruction":
                decided[row] = "last_messages"
        staying = [row for row, rule in enumerate(decided) if rule != "older"]
        messages, characters = len(staying), sum(len(turns[row].scored_text) for row in staying)
        for row in sorted(staying, key=lambda row: (band_of(known[row].value), row)):
            is_over_messages = self.max_messages and messages > self.max_messages
            if not is_over_messages and not (self.max_characters and characters > self.max_characters):
                break
            if decided[row] != "instruction":
                decided[row] = "size_limit"
                messages, characters = messages - 1, characters - len(turns[row].scored_text)
        return decided

    def _own_reason(self, rule: str) -> str:
        if rule == "size_limit":
            limits = [pluralize(self.max_messages, "message")] * bool(self.max_messages)
            limits += [pluralize(self.max_characters, "character")] * bool(self.max_characters)
            return f"at most {join_words(limits)} may stay, and the least confident leave first"
        last = pluralize(self.keep_last, "message")
        is_last = rule == "last_messages"
        return f"one of the last {last}, which always stay" if is_last else f"older than the last {last}"


@dataclass(frozen=True)
class Retention(ConfidencePolicy):
    """Keeps confident messages, checkpoints, and the newest messages in a base window.

    Walking back from the newest message, which has position 1: from a confidence of 0.7 on everything stays;
    from 0.6 on where the position is a multiple of `period`; anything else while the base window lasts. Only
    messages that stay by the base window use it up, and it closes at the first that does not fit.
    Instructions stay in any case and use nothing.

    >>> turns = [Turn.of("user", "x" * 1_500) for _ in range(6)]
    >>> Retention().retain(turns, [Confidence(value) for value in (0.9, 0.62, 0.5, 0.5, 0.5, 0.5)]).rows
    [0, 4, 5]
    """

    name: ClassVar[str] = "retention"
    label: ClassVar[str] = "Confidence: window for a prompt"
    counted_from: ClassVar[str] = "newest"
    base_window: int = setting(
        4_000, "base window", low=0, high=1_000_000, step=100,
        help="Characters of messages below the other borders.",
    )  # fmt: skip

    def _own_rules(
        self, turns: Sequence[Turn], known: Sequence[Confidence], rules: Sequence[str | None]
    ) -> list[str]:
        decided = [rule or "closed" for rule in rules]
        remaining = self.base_window
        for row in reversed([row for row, rule in enumerate(rules) if rule is None]):
            remaining -= len(turns[row].scored_text)
            if remaining < 0:
                break
            decided[row] = "base_window"
        return decided

    def _own_reason(self, rule: str) -> str:
        verb = "it fits into" if rule == "base_window" else "older than"
        return f"{verb} the base window of {self.base_window:,} characters"
