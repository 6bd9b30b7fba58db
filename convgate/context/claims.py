"""The turns that each section claims, in order of priority.

| section | claims |
|---|---|
| rules | instructions, and turns that state what must hold; they are always sent |
| evidence | turns that the policy kept, the best first |
| task state | errors that block the work, and the latest task that the user set |
| decisions | turns that decide something or answer a question, by the gatekeeper's patterns |
| recent | the last exchange, then the newest turns; in TASK and LEARNING none that the policy dropped |

Sections choose in this order; evidence that task state or decisions claim is listed there. In the other
modes, what the last exchange leaves of the recent budget goes half to the newest turns, then to older ones
that the policy dropped, the best first.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.context.budgets import DROPS, WINDOWED, SectionName
from convgate.context.invariant import Invariant, quote_line
from convgate.context.reading import ConversationReading
from convgate.context.turn_table import TurnTable


@dataclass(frozen=True, slots=True)
class Claim:
    """Turns that a section claims together, or not at all."""

    section: SectionName
    turns: tuple[int, ...]  # increasing
    wanted: tuple[int, ...]  # those of `turns` that it is for; the others must be sent with them
    reason: str | None = None  # a sentence; None: that of the policy, which kept it
    companion_reason: str = ""  # a sentence: why the others are sent with them
    overflows: bool = False  # whether it may use budget that other sections leave


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a turn stands in the context."""

    section: SectionName
    reason: str | None  # a sentence; None: that of the policy, which kept it


_SAME_UNIT = "its tool call, or a result of the same call, is kept, and models want them together."
_SAME_EXCHANGE = "its question or its answer is kept, and they stay together."
_MIN_USE = 0.2  # expected use of a turn that fills a budget
_FILLS = "the policy dropped it, and ranks it first among what the budget still has room for."
_RANKS = "the policy ranks it best of the turns that it dropped and that are not among the newest."
_ASKS = "it asks what the turn after it answers."


@dataclass(frozen=True, eq=False)
class SectionClaims:
    """The turns that each section of a context claims."""

    table: TurnTable
    reading: ConversationReading
    kept: Sequence[bool]  # of each earlier turn, whether the policy keeps it
    scores: Sequence[float]  # of each earlier turn: evidence claims the highest first
    ranked: bool = True  # whether the scores are the policy's; otherwise the newest turn has the highest
    uses: Sequence[float] | None = None  # of each earlier turn: expected use; None: unknown
    shortened: frozenset[int] = frozenset()  # turns of which only the statements that must hold are sent
    disabled: frozenset[SectionName] = frozenset()  # sections that claim nothing in this mode
    fills_budget: bool = False  # whether turns that only the policy dropped use what is left of the budget
    filters: bool = True  # whether policy and mode leave turns out
    paired: bool = False  # whether a question and its answer stay together

    @cached_property
    def required(self) -> dict[int, str]:
        """Turns that are sent whatever the budget is, with their reasons."""
        required = {
            index: f"instructions to the model ({turn.role} messages) are always sent."
            for index, turn in enumerate(self.table.turns[:-1])
            if turn.is_instruction
        }
        for invariant in self.reading.invariants:
            is_replaced = invariant.source in self.table.unsendable or invariant.source in self.shortened
            if invariant.held and invariant.source < self.table.current and not is_replaced:
                required.setdefault(
                    invariant.source,
                    f"it states what must hold ({invariant.label}): {quote_line(invariant.text)}.",
                )
        return required

    @cached_property
    def corrected(self) -> dict[int, Invariant]:
        """Turns whose statement was corrected later and that state nothing else that holds."""
        active = {invariant.source for invariant in self.reading.invariants if invariant.active}
        return {
            invariant.source: invariant
            for invariant in self.reading.invariants
            if invariant.state == "superseded"
            and invariant.source not in active
            and invariant.source < self.table.current
        }

    def by_section(self, window: int) -> dict[SectionName, Iterable[Claim]]:
        """Return the claims of the sections, in order, each section's first choice first.

        window: tokens of the newest turns that the recent window looks at.
        """
        evidence: dict[SectionName, Iterable[Claim]] = {"evidence": self._evidence()}
        others: dict[SectionName, Iterable[Claim]] = {
            "task_state": self._task_state(),
            "decisions": self._decisions(),
            "recent": self._recent(window),
        }
        # without the filter, what is newest counts for evidence too
        claims = evidence | others if self.filters else others | evidence
        return {section: own for section, own in claims.items() if section not in self.disabled}

    def is_left_out(self, index: int) -> bool:
        """Return whether the mode drops the turn, unless the policy keeps it or a section claims it."""
        label = self.reading.labels.get(index)
        if label is None or label not in DROPS[self.reading.mode]:
            return False
        return self.reading.mode != "DEBUGGING" or not self._has_error_near(index)

    def _has_error_near(self, index: int) -> bool:
        """Return whether the exchange of the turn, or the next one, states an error."""
        place = bisect_right(self._users, index)
        asked, after = self._users[max(0, place - 1) : place], self._users[place : place + 1]
        return any(user in self._turns_with_errors for user in asked + after) or any(
            self.reading.labels.get(user) == "DEBUGGING" for user in after
        )

    @cached_property
    def _users(self) -> list[int]:
        """Users' turns."""
        return [index for index, user in enumerate(self.table.is_user) if user]

    @cached_property
    def _turns_with_errors(self) -> set[int | None]:
        """Users' turns whose exchange states an error."""
        return {
            self.table.user_turn[invariant.source]
            for invariant in self.reading.invariants
            if invariant.type == "blocking_error"
        }

    def _may_claim(self, index: int) -> bool:
        """Return whether a section may claim the turn."""
        table = self.table
        return not (index in table.unsendable or index in self.corrected or table.is_instruction[index])

    def _claim(
        self, section: SectionName, index: int, reason: str | None, *, overflows: bool = False
    ) -> Claim:
        turns = self.table.group(index, paired=self.paired)
        wanted: tuple[int, ...] = (index,)
        if section == "recent":
            wanted = turns
        elif section == "evidence" and self.filters and len(turns) > 1:
            wanted = tuple(turn for turn in turns if turn < self.table.current and self.kept[turn]) or wanted
        return Claim(section, turns, wanted, reason, _SAME_EXCHANGE if self.paired else _SAME_UNIT, overflows)

    def _task_state(self) -> Iterator[Claim]:
        for invariant in reversed(self.reading.invariants):
            if (
                invariant.active
                and not invariant.held
                and invariant.source < self.table.current
                and self._may_claim(invariant.source)
            ):
                reason = f"it states what is open ({invariant.label}): {quote_line(invariant.text)}."
                yield self._claim("task_state", invariant.source, reason, overflows=True)
        # A turn that stands for its rule amends a task more than it sets one.
        earlier = (index for index in reversed(self.reading.goals) if index < self.table.current)
        goals = (index for index in earlier if index not in self.required and self._may_claim(index))
        goal = next(goals, None)
        if goal is not None and not (self.reading.mode == "DEBUGGING" and self.is_left_out(goal)):
            yield self._claim("task_state", goal, "it is the latest task that the user set.", overflows=True)

    def _decisions(self) -> Iterator[Claim]:
        marks = {
            index: mark
            for index, mark in enumerate(self.table.marks[: self.table.current])
            if mark is not None and self._may_claim(index)
        }
        for index in sorted(marks, key=lambda index: (self.scores[index], index), reverse=True):
            mark = marks[index]
            claim = self._claim("decisions", index, mark.reason)
            if mark.question is not None and self._may_claim(mark.question) and not self.paired:
                turns = sorted({*claim.turns, *self.table.group(mark.question)})
                yield Claim("decisions", tuple(turns), (index,), mark.reason, companion_reason=_ASKS)
            yield claim  # by itself, where both do not fit

    def _recent(self, window: int) -> Iterator[Claim]:
        last, max_tokens, costs = self.table.last_exchange, window, self.table.tokens
        keeps_dropped = self.reading.mode in WINDOWED
        ends = {last.start, self.table.current - 1}
        for index in (last.start, *reversed(last[1:])) if last else ():
            window -= costs[index]
            if self._may_claim(index):
                overflows = index in ends and not self.table.has_tools[index]
                yield self._claim("recent", index, "it is part of the last exchange.", overflows=overflows)
        ranks_rest = keeps_dropped and self.filters and self.ranked
        newest = window // 2 if ranks_rest else window
        for index in range(last.start - 1, -1, -1):
            if not self._may_claim(index):
                continue
            if costs[index] <= newest:
                newest -= costs[index]
            elif costs[index] <= max_tokens:
                break
            else:
                continue  # larger than the whole window
            if self.kept[index] or not self.filters or (keeps_dropped and not self.is_left_out(index)):
                yield self._claim("recent", index, "it is one of the newest turns.")
        if ranks_rest and window > 0:
            yield from self._best_dropped(last.start)

    def _best_dropped(self, stop: int) -> Iterator[Claim]:
        """Yield turns before `stop` that only the policy dropped, the best first."""
        rows = [i for i in range(stop) if not self.kept[i] and self._may_claim(i) and not self.is_left_out(i)]
        for index in sorted(rows, key=lambda row: (self.scores[row], row), reverse=True):
            yield self._claim("recent", index, _RANKS)

    def _evidence(self) -> Iterator[Claim]:
        if self.paired:
            for index in self.required:
                if self._may_claim(index):
                    yield self._claim("evidence", index, None)
        rows = [i for i in range(self.table.current) if self._may_fill(i) and self._may_claim(i)]
        if self.filters:
            rows.sort(key=lambda index: (self.kept[index], self._utility(index), index), reverse=True)
            for index in rows:
                yield self._claim("evidence", index, None if self.kept[index] else _FILLS)
            return
        corrected = [index for index in self.corrected if index not in self.table.unsendable]
        for index in (*reversed(rows), *sorted(corrected, reverse=True)):
            yield self._claim("evidence", index, "nothing is left out that fits.")

    def _may_fill(self, index: int) -> bool:
        """Return whether evidence may claim the turn, if any section may."""
        if self.kept[index] or not self.filters:
            return True
        is_likely = self.uses is None or self.uses[index] >= _MIN_USE
        return self.fills_budget and is_likely and not self.is_left_out(index)

    def _utility(self, index: int) -> float:
        """Return the priority of evidence: expected use over the square root of tokens, else the score.

        Both are of all turns sent with it. The square root keeps a long turn of much use ahead of many
        short turns of little use (Lehmann, O'Callaghan and Shoham 2002, on greedy allocation).
        """
        if self.uses is None:
            return self.scores[index]
        group = self.table.group(index, paired=self.paired)
        turns = [turn for turn in group if turn < self.table.current]
        return sum(self.uses[turn] for turn in turns) / math.sqrt(sum(self.table.tokens[i] for i in turns))
