"""Policies that look only at a turn's place and speaker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from convgate.core.conversation import CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.filling import fill
from convgate.core.parameters import ParameterSet, setting
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import is_from_user
from convgate.policies.base import history_indices


@dataclass(frozen=True, slots=True)
class Everything:
    """Keeps every earlier turn."""

    name: ClassVar[str] = "everything"
    label: ClassVar[str] = "Everything"
    ranks: ClassVar[bool] = False

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return every turn kept."""
        indices = history_indices(history)
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=indices,
            kept=np.ones(len(indices), dtype=bool),
            why_kept="this policy keeps every turn.",
            why_dropped="",
        )


@dataclass(frozen=True, slots=True)
class LastK(ParameterSet):
    """Keeps the k newest turns; ranks by recency."""

    name: ClassVar[str] = "last_k"
    label: ClassVar[str] = "Last k turns"
    ranks: ClassVar[bool] = True
    k: int = setting(10, "turns", low=0, high=10_000, step=1, help="How many turns are kept.")

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the newest k kept; the score is the turn's place, 0 (oldest) to 1 (newest)."""
        n = len(history)
        last = "the last turn" if self.k == 1 else f"the last {self.k} turns"
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=np.arange(n) >= n - self.k,
            why_kept=f"{'' if self.k == 1 else 'one of '}{last}.",
            why_dropped=f"older than {last}.",
            scores=_recency(n),
        )


@dataclass(frozen=True, slots=True)
class UserFirst(ParameterSet):
    """Keeps the user's turns, the newest first, then the newest of the others, while they fit a budget."""

    name: ClassVar[str] = "user_first"
    label: ClassVar[str] = "User's turns first"
    ranks: ClassVar[bool] = True
    share: float = setting(
        0.35, "share of the tokens", low=0.0, high=1.0, step=0.05, help="Of the history's tokens."
    )
    counter: TokenCounter | None = None

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the turns kept that fit; a user's turn scores 1 to 1.5 by its place, others 0 to 0.5."""
        tokens = turn_tokens(history.turns, self.counter)
        is_user = np.fromiter((is_from_user(turn) for turn in history.turns), dtype=np.float64)
        scores = is_user + _recency(len(history)) / 2
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=fill(scores, tokens, self.share * int(tokens.sum())),
            why_kept=f"within {self.share:.0%} of the tokens, the user's newest turns first.",
            why_dropped=f"not within {self.share:.0%} of the tokens, the user's newest turns first.",
            scores=scores,
        )


@dataclass(frozen=True, slots=True)
class TokenWindow(ParameterSet):
    """Keeps the newest turns while their tokens fit a budget; ranks by recency."""

    name: ClassVar[str] = "token_window"
    label: ClassVar[str] = "Token window"
    ranks: ClassVar[bool] = True
    budget: int = setting(2_000, "tokens", low=0, high=1_000_000, step=100, help="Tokens of all kept turns.")
    counter: TokenCounter | None = None

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the newest turns kept that fit; the first that does not fit closes the window."""
        tokens = turn_tokens(history.turns, self.counter)
        back = np.cumsum(tokens[::-1])[::-1]  # tokens from this turn to the newest
        return TurnDecisions(
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=back <= self.budget,
            why_kept=f"within the newest {self.budget:,} tokens.",
            why_dropped=f"older than the newest {self.budget:,} tokens.",
            scores=_recency(len(history)),
        )


def _recency(n: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return (np.arange(n) + 1) / max(n, 1)
