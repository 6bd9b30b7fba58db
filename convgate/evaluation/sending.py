"""What is sent in a case: beside what a policy keeps, what must hold and the rest of tool calls and answers.

Without it, figures are of a policy alone, as `evaluate` gives them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from convgate.core.conversation import CurrentMessage, History
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import Floats
from convgate.evaluation.metrics import Bools
from convgate.invariants.invariant import held_turns
from convgate.messages.table import TurnTable
from convgate.messages.validity import make_valid

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.invariants.finding import InvariantReader


@dataclass(frozen=True, eq=False)
class SentTurns:
    """Which turns of one history are sent, by those that a policy keeps."""

    table: TurnTable  # up to the message to answer
    held: Bools  # (n,) turns of the table that state what must hold, or change a part of it
    start: int  # of the history in the table; its end is the message
    pair_answers: bool

    def of(self, kept: Bools) -> Bools:
        """Return (m,) which turns of the history are sent where a policy keeps those of (m,)."""
        chosen = self.held.copy()
        chosen[self.start : -1] |= kept
        table = self.table
        valid = make_valid(table, chosen, table.current, pair_answers=self.pair_answers)
        return table.flags(valid.indices)[self.start : -1]

    def reach(self, reach: Floats) -> Floats:
        """Return (m,) the highest value of a rule's parameter at which each turn is sent; see `Rule.reach`.

        A question that an answer brings in at some values, and an earlier turn leaves out again at lower
        ones, counts as what the rule makes of it.
        """
        table = self.table
        reached = np.full(len(table), -np.inf)
        reached[self.start : -1] = reach
        reached[self.held | table.is_instruction | table.is_held] = np.inf
        reached[table.current] = np.inf  # what belongs to it is sent, too
        reached[table.is_unsendable] = -np.inf
        reached = table.by_group(reached, np.maximum, paired=self.pair_answers)
        reached[table.is_unsendable] = -np.inf
        others = np.where(table.is_instruction, -np.inf, reached)
        asked = np.maximum.accumulate(np.where(table.is_user, np.arange(len(table)), -1))
        answers = np.full(len(table), -np.inf)  # by the question, the highest of what follows it
        is_answer = (asked >= 0) & ~table.is_user
        np.maximum.at(answers, asked[is_answer], others[is_answer])
        opens = table.is_user & (reached == np.maximum.accumulate(others))
        reached = np.where(opens, np.maximum(reached, answers), reached)
        return np.asarray(reached[self.start : -1])

    def __len__(self) -> int:
        """Return m, the number of turns of the history."""
        return len(self.table) - 1 - self.start


@dataclass(frozen=True, eq=False)
class Sending:
    """Finds what is sent of each case."""

    holds: InvariantReader | None = None  # finds what must hold; None: nothing is held
    pair_answers: bool = False
    _tables: ConversationCache[TurnTable] = field(default_factory=ConversationCache, repr=False)

    @classmethod
    def of(cls, settings: Settings) -> Sending:
        """Return what sends as `select` does without a budget; errors as of `load_judge`."""
        from convgate.invariants.finding import InvariantReader
        from convgate.invariants.judge import load_judge

        holds = InvariantReader(load_judge(settings)) if settings.hold_invariants else None
        return cls(holds, settings.pair_answers)

    def at(self, current: CurrentMessage, history: History) -> SentTurns:
        """Return which turns are sent for a message."""
        turns = [*history.conversation.turns[: history.stop], current.turn]
        # The lengths stand for token counts, which nothing here reads.
        table = self._tables.get(turns, lambda known, new: (known or TurnTable()).extend(new, len))
        held = [] if self.holds is None else self.holds.read(turns)
        turns_held = held_turns([invariant for invariant in held if invariant.held])
        return SentTurns(table, table.flags(turns_held), history.start, self.pair_answers)
