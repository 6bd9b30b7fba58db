"""What each section wants, in the order in which it wants it.

| section | wants |
|---|---|
| rules | instructions, and turns that state what must hold; they stand in any case |
| evidence | what the policy kept, the best first |
| task state | errors that block the work, and the latest task that the user set |
| decisions | turns that decide something or answer what was asked, as the gatekeeper's patterns say |
| recent | the last exchange, then the newest turns; in TASK and LEARNING none that the policy dropped |

Sections choose in this order; a turn of evidence that task state or decisions want is listed there.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.context.budgets import DROPS, WINDOWED
from convgate.context.claims import Claim
from convgate.context.invariant import Invariant
from convgate.context.mode import Mode
from convgate.context.moment import Moment
from convgate.context.section import SectionName
from convgate.context.wording import quoted, typed

_UNIT = "its tool call, or a result of the same call, is kept, and models want them together."
_PAIR = "its question or its answer is kept, and they stay together."
_MIN_USE = 0.2  # expected use of a turn that fills a budget, at least
_FILLS = "the policy dropped it, and ranks it first among what the budget still has room for."
_ASKS = "it asks what the turn after it answers."


@dataclass(frozen=True, eq=False)
class Wishes:
    """A moment with all that tells what its turns are good for."""

    moment: Moment
    mode: Mode  # that is applied
    labels: Mapping[int, Mode]  # by turn: the mode that it belongs to
    kept: Sequence[bool]  # of each earlier turn, whether the policy keeps it
    scores: Sequence[float]  # of each earlier turn: the higher, the more evidence wants it
    uses: Sequence[float] | None = None  # of each earlier turn, expected use; None: scores are none
    invariants: Sequence[Invariant] = ()
    shortened: frozenset[int] = frozenset()  # turns of which only the statements that must hold are sent
    goals: Sequence[int] = ()  # users' turns that set a task
    off: frozenset[SectionName] = frozenset()  # sections that take nothing in this mode
    fills: bool = False  # whether turns that the policy alone dropped take what is left of the budget
    filters: bool = True  # whether policy and mode leave turns out
    paired: bool = False  # whether a question and its answer stay together

    @cached_property
    def always(self) -> dict[int, str]:
        """Turns that stand whatever the budget is, with their reasons."""
        instructs = self.moment.columns.instructs
        always = {
            index: f"instructions to the model ({turn.role} messages) are always sent."
            for index, turn in enumerate(self.moment.turns[:-1])
            if instructs[index]
        }
        for one in self.invariants:
            barred = one.source in self.moment.unsendable or one.source in self.shortened
            if one.held and one.source < self.moment.current and not barred:
                always.setdefault(
                    one.source, f"it states what must hold ({typed(one.type)}): {quoted(one.text)}."
                )
        return always

    @cached_property
    def corrected(self) -> dict[int, Invariant]:
        """Turns whose statement was corrected later and that state nothing else that holds."""
        active = {one.source for one in self.invariants if one.active}
        return {
            one.source: one
            for one in self.invariants
            if one.state == "superseded" and one.source not in active and one.source < self.moment.current
        }

    def claims(self, window: int) -> dict[SectionName, Iterable[Claim]]:
        """The claims of the sections that choose, in their order, each section's dearest first.

        window: tokens of the newest turns that the recent window looks at.
        """
        evidence: dict[SectionName, Iterable[Claim]] = {"evidence": self._evidence()}
        others: dict[SectionName, Iterable[Claim]] = {
            "task_state": self._task_state(),
            "decisions": self._decisions(),
            "recent": self._recent(window),
        }
        # without the filter, what is newest counts for evidence too
        wanted = evidence | others if self.filters else others | evidence
        return {section: claims for section, claims in wanted.items() if section not in self.off}

    def left_out(self, index: int) -> bool:
        """Whether the mode leaves the turn out, unless the policy keeps it or something claims it."""
        label = self.labels.get(index)
        if label is None or label not in DROPS[self.mode]:
            return False
        return self.mode != "DEBUGGING" or not self._troubled(index)

    def _troubled(self, index: int) -> bool:
        """Whether an error stands in the task that the turn belongs to, or follows it at once."""
        place = bisect_right(self._users, index)
        asked, after = self._users[max(0, place - 1) : place], self._users[place : place + 1]
        return any(user in self._failing for user in asked + after) or any(
            self.labels.get(user) == "DEBUGGING" for user in after
        )

    @cached_property
    def _users(self) -> list[int]:
        """Users' turns."""
        return [index for index, user in enumerate(self.moment.is_user) if user]

    @cached_property
    def _failing(self) -> set[int | None]:
        """Users' turns whose exchange states an error."""
        return {self.moment.asked[one.source] for one in self.invariants if one.type == "blocking_error"}

    def _open(self, index: int) -> bool:
        """Whether a section may want the turn."""
        return not (
            index in self.moment.unsendable or index in self.corrected or self.moment.columns.instructs[index]
        )

    def _claim(
        self, section: SectionName, index: int, reason: str | None, *, overflows: bool = False
    ) -> Claim:
        turns = self.moment.together(index, paired=self.paired)
        wanted: tuple[int, ...] = (index,)
        if section == "recent":
            wanted = turns
        elif section == "evidence" and self.filters and len(turns) > 1:
            wanted = tuple(turn for turn in turns if turn < self.moment.current and self.kept[turn]) or wanted
        beside = _PAIR if self.paired else _UNIT
        return Claim(section, turns, wanted, reason, beside=beside, overflows=overflows)

    def _task_state(self) -> Iterator[Claim]:
        for one in reversed(self.invariants):
            if one.active and not one.held and one.source < self.moment.current and self._open(one.source):
                reason = f"it states what is open ({typed(one.type)}): {quoted(one.text)}."
                yield self._claim("task_state", one.source, reason, overflows=True)
        # A turn that stands for its rule amends a task more than it sets one.
        earlier = (index for index in reversed(self.goals) if index < self.moment.current)
        goal = next((index for index in earlier if index not in self.always and self._open(index)), None)
        if goal is not None and not (self.mode == "DEBUGGING" and self.left_out(goal)):
            yield self._claim("task_state", goal, "it is the latest task that the user set.", overflows=True)

    def _decisions(self) -> Iterator[Claim]:
        found = [
            (self.scores[index], index, one)
            for index, one in enumerate(self.moment.columns.decided[: self.moment.current])
            if one is not None and self._open(index)
        ]
        for _, index, one in sorted(found, key=lambda row: row[:2], reverse=True):
            claim = self._claim("decisions", index, one.reason)
            if one.question is None or not self._open(one.question) or self.paired:
                yield claim
            else:
                turns = sorted({*claim.turns, *self.moment.together(one.question)})
                yield Claim("decisions", tuple(turns), (index,), one.reason, beside=_ASKS)
                yield claim  # where both do not fit

    def _recent(self, window: int) -> Iterator[Claim]:
        last, widest, costs = self.moment.last_exchange, window, self.moment.tokens
        everything = self.mode in WINDOWED
        ends = {last.start, self.moment.current - 1}
        for index in (last.start, *reversed(last[1:])) if last else ():
            window -= costs[index]
            if self._open(index):
                tooled = self.moment.columns.tooled[index]
                reason = "it is part of the last exchange."
                yield self._claim("recent", index, reason, overflows=index in ends and not tooled)
        for index in range(last.start - 1, -1, -1):
            if not self._open(index):
                continue
            if costs[index] <= window:
                window -= costs[index]
            elif costs[index] <= widest:
                return
            else:
                continue  # larger than the whole window
            if self.kept[index] or not self.filters or (everything and not self.left_out(index)):
                yield self._claim("recent", index, "it is one of the newest turns.")

    def _evidence(self) -> Iterator[Claim]:
        if self.paired:
            for index in self.always:
                if self._open(index):
                    yield self._claim("evidence", index, None)
        rows = [i for i in range(self.moment.current) if self._may_fill(i) and self._open(i)]
        if self.filters:
            rows.sort(key=lambda index: (self.kept[index], self._worth(index), index), reverse=True)
            for index in rows:
                yield self._claim("evidence", index, None if self.kept[index] else _FILLS)
            return
        demoted = [index for index in self.corrected if index not in self.moment.unsendable]
        for index in (*reversed(rows), *sorted(demoted, reverse=True)):
            yield self._claim("evidence", index, "nothing is left out that fits.")

    def _may_fill(self, index: int) -> bool:
        likely = self.uses is None or self.uses[index] >= _MIN_USE
        return self.kept[index] or not self.filters or (self.fills and likely and not self.left_out(index))

    def _worth(self, index: int) -> float:
        """Return what orders evidence: expected use over the square root of tokens; without it, the score.

        Both of all that is sent with the turn. The square root keeps a long turn of much use ahead of many
        short turns of little use (Lehmann, O'Callaghan and Shoham 2002, on greedy allocation).
        """
        if self.uses is None:
            return self.scores[index]
        turns = [
            turn for turn in self.moment.together(index, paired=self.paired) if turn < self.moment.current
        ]
        costs = self.moment.tokens
        return sum(self.uses[turn] for turn in turns) / math.sqrt(sum(costs[turn] for turn in turns))
