"""The turns that each section claims, in order of priority.

| section | claims |
|---|---|
| rules | instructions, what must hold, and turns that are held for what they have; they are always sent |
| evidence | turns that the policy kept, the best first |
| task state | errors that block the work, and the latest task that the user set |
| decisions | turns that decide something or answer a question, by the gatekeeper's patterns |
| recent | the last exchange, then the newest turns; in TASK and LEARNING none that the policy dropped |

Sections choose in this order; evidence that task state or decisions claim is listed there. In the other
modes, what the last exchange leaves of the recent budget goes half to the newest turns, then to older ones
that the policy dropped, the best first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import Floats
from convgate.invariants.invariant import Invariant, held_turns, quote_line
from convgate.messages.table import TurnTable
from convgate.messages.validity import explain_instruction
from convgate.modes.budgets import DROPS, WINDOWED, SectionName
from convgate.selection.marks import DecisionMark
from convgate.selection.reading import ConversationReading

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]
Room = Callable[[SectionName], int]

COMPANION = ""
"""In place of the reason of a turn that is sent with another of its tool unit or its exchange."""


class Claim(NamedTuple):  # hundreds are made for a request, and tuples sooner than dataclasses
    """Turns that a section claims together, or not at all."""

    section: SectionName
    turns: tuple[int, ...]  # increasing
    wanted: tuple[int, ...]  # those of `turns` that it is for; the others must be sent with them
    reason: str | None = None  # a sentence; None: that of the policy, which kept it
    companion_reason: str = COMPANION  # a sentence: why the others are sent with them
    overflows: bool = False  # whether it may use budget that other sections leave


class Placement(NamedTuple):
    """Where a turn stands in what is sent."""

    section: SectionName
    reason: str | None  # a sentence; None: that of the policy, which kept it; of a rule, `explain_required`


_BLOCK = 256  # rows of which those that may fit are found at a time
_FILLS = "the policy dropped it, and ranks it first among what the budget still has room for."
_RANKS = "the policy ranks it best of the turns that it dropped and that are not among the newest."
_UNFILTERED = "nothing is left out that fits."
_ASKS = "it asks what the turn after it answers."
FILLERS = frozenset((_FILLS, _RANKS, _UNFILTERED))
"""Reasons of turns that are sent because there is room."""


@dataclass(frozen=True, eq=False)
class SectionClaims:
    """The turns that each section of a budget claims."""

    table: TurnTable
    reading: ConversationReading
    marks: Mapping[int, DecisionMark]  # turns that decide or answer something, by index, increasing
    kept: Sequence[bool] | Flags  # of each earlier turn, whether the policy keeps it
    scores: Sequence[float] | Floats  # of each earlier turn: evidence claims the highest first
    ranked: bool = True  # whether the scores are the policy's; otherwise the newest turn has the highest
    uses: Sequence[float] | Floats | None = None  # of each earlier turn: expected use; None: unknown
    shortened: Mapping[int, int] = field(default_factory=dict)
    """Turns of which only the statements that must hold need be sent, and the tokens of these."""
    disabled: frozenset[SectionName] = frozenset()  # sections that claim nothing in this mode
    fills_budget: bool = False  # whether turns that only the policy dropped use what is left of the budget
    filters: bool = True  # whether policy and mode leave turns out
    paired: bool = False  # whether a question and its answer stay together

    @cached_property
    def rules(self) -> dict[int, Invariant | None]:
        """Turns that are rules: instructions, those that state what must hold, and those that are held."""
        current, is_unsendable = self.table.current, self.table.is_unsendable
        always = self.table.is_instruction | (self.table.is_held & ~is_unsendable)
        rules: dict[int, Invariant | None] = dict.fromkeys(np.flatnonzero(always[:current]).tolist())
        for turn, invariant in held_turns(self.reading.held).items():
            if turn < current and not is_unsendable[turn]:
                rules.setdefault(turn, invariant)
        return rules

    @cached_property
    def required(self) -> dict[int, Invariant | None]:
        """Rules that are sent as whole turns, whatever the budget is."""
        return {index: rule for index, rule in self.rules.items() if index not in self.shortened}

    def explain_required(self, index: int) -> str:
        """Return why a turn, or one that must be sent with it, is a rule: a sentence."""
        rule = next(turn for turn in self.table.group(index) if turn in self.rules)
        if (invariant := self.rules[rule]) is not None:
            return invariant.explain_sent(rule)
        turn = self.table.turns[rule]
        return turn.held_because or explain_instruction(turn)

    @cached_property
    def corrected(self) -> dict[int, Invariant]:
        """Turns whose statement was corrected later and that state nothing else that holds."""
        active = held_turns([invariant for invariant in self.reading.invariants if invariant.active])
        return {
            invariant.source: invariant
            for invariant in self.reading.invariants
            if invariant.state == "superseded"
            and invariant.source not in active
            and invariant.source < self.table.current
        }

    def by_section(
        self, window: int, room: Room = lambda _: sys.maxsize
    ) -> dict[SectionName, Iterable[Claim]]:
        """Return the claims of the sections, in order, each section's first choice first.

        window: tokens of the newest turns that the recent window looks at. room: how many more tokens a
        section may take; claims that need more may be left out.
        """
        evidence: dict[SectionName, Iterable[Claim]] = {"evidence": self._evidence(room)}
        others: dict[SectionName, Iterable[Claim]] = {
            "task_state": self._task_state(),
            "decisions": self._decisions(room),
            "recent": self._recent(window, room),
        }
        # without the filter, what is newest counts for evidence too
        claims = evidence | others if self.filters else others | evidence
        return {section: own for section, own in claims.items() if section not in self.disabled}

    def is_left_out(self, index: int) -> bool:
        """Return whether the mode drops the turn, unless the policy keeps it or a section claims it."""
        return bool(self._is_left_out[index])

    @cached_property
    def _is_left_out(self) -> Flags:
        left_out = self.reading.labels.are_of(DROPS[self.reading.mode])
        return left_out & ~self._has_error_near if self.reading.mode == "DEBUGGING" else left_out

    @cached_property
    def _has_error_near(self) -> Flags:
        """(n,) whether the exchange of the turn, or the next one, states an error."""
        users = np.flatnonzero(self.table.is_user)
        errors = [
            self.table.user_turn(invariant.source)
            for invariant in self.reading.invariants
            if invariant.type == "blocking_error"
        ]
        states_error = np.isin(users, [user for user in errors if user is not None])
        is_debugging = self.reading.labels.are_of(["DEBUGGING"])[users]
        # by how many users' turns there are up to a turn
        near = np.concatenate([[False], states_error]) | np.concatenate(
            [states_error | is_debugging, [False]]
        )
        return np.asarray(near[np.cumsum(self.table.is_user)])

    @cached_property
    def _is_kept(self) -> Flags:
        """(m,) of each earlier turn."""
        return np.asarray(self.kept, dtype=np.bool_)

    @cached_property
    def _may_claim(self) -> Flags:
        """(n,) whether a section may claim the turn."""
        may_claim = ~(self.table.is_unsendable | self.table.is_instruction)
        may_claim[list(self.corrected)] = False
        return may_claim

    @cached_property
    def added_tokens(self) -> list[int]:
        """The tokens that each turn adds: less those of statements that it makes superfluous."""
        return self._costs.tolist() if self.shortened else self.table.tokens

    @cached_property
    def _costs(self) -> Integers:
        """(n,) the same."""
        if not self.shortened:
            return self.table.costs
        costs = self.table.costs.copy()
        costs[list(self.shortened)] -= list(self.shortened.values())
        return costs

    @cached_property
    def _min_tokens(self) -> Integers:
        """(n,) the fewest tokens of a turn in each turn's group: no claim of it that adds one takes less."""
        return self.table.by_group(self._costs, np.minimum, paired=self.paired)

    def _affordable(
        self, section: SectionName, rows: Integers, tokens: Integers, room: Room
    ) -> Iterator[int]:
        """Yield the rows, in order, whose (k,) min tokens the section has room for."""
        for start in range(0, len(rows), _BLOCK):
            block = slice(start, start + _BLOCK)
            fits = tokens[block] <= room(section)
            for index, cost in zip(rows[block][fits].tolist(), tokens[block][fits].tolist(), strict=True):
                if cost <= room(section):
                    yield index

    def _claim(
        self, section: SectionName, index: int, reason: str | None, *, overflows: bool = False
    ) -> Claim:
        turns = self.table.group(index, paired=self.paired)
        wanted: tuple[int, ...] = (index,)
        if section == "recent":
            wanted = turns
        elif section == "evidence" and self.filters and len(turns) > 1:
            wanted = tuple(turn for turn in turns if turn < self.table.current and self.kept[turn]) or wanted
        return Claim(section, turns, wanted, reason, overflows=overflows)

    def _task_state(self) -> Iterator[Claim]:
        for invariant in reversed(self.reading.invariants):
            if (
                invariant.active
                and not invariant.held
                and invariant.source < self.table.current
                and self._may_claim[invariant.source]
            ):
                reason = f"it states what is open ({invariant.label}): {quote_line(invariant.text)}."
                yield self._claim("task_state", invariant.source, reason, overflows=True)
        # A turn that stands for its rule amends a task more than it sets one.
        earlier = (index for index in reversed(self.reading.goals) if index < self.table.current)
        goals = (index for index in earlier if index not in self.required and self._may_claim[index])
        goal = next(goals, None)
        if goal is not None and not (self.reading.mode == "DEBUGGING" and self.is_left_out(goal)):
            yield self._claim("task_state", goal, "it is the latest task that the user set.", overflows=True)

    def _decisions(self, room: Room) -> Iterator[Claim]:
        marks = self.marks
        rows = np.fromiter(marks, dtype=np.int64)
        questions = np.fromiter(
            (index if mark.question is None else mark.question for index, mark in marks.items()),
            dtype=np.int64,
        )
        fewest = np.minimum(self._min_tokens[rows], self._min_tokens[questions])
        may_claim = (rows < self.table.current) & self._may_claim[rows]
        rows, fewest = rows[may_claim], fewest[may_claim]
        order = _best_first(self._scores[rows])
        for index in self._affordable("decisions", rows[order], fewest[order], room):
            mark = marks[index]
            claim = self._claim("decisions", index, mark.reason)
            if mark.question is not None and self._may_claim[mark.question] and not self.paired:
                turns = sorted({*claim.turns, *self.table.group(mark.question)})
                yield Claim("decisions", tuple(turns), (index,), mark.reason, companion_reason=_ASKS)
            yield claim  # by itself, where both do not fit

    def _recent(self, window: int, room: Room) -> Iterator[Claim]:
        last, max_tokens, costs = self.table.last_exchange, window, self.table.tokens
        keeps_dropped = self.reading.mode in WINDOWED
        ends = {last.start, self.table.current - 1}
        for index in (last.start, *reversed(last[1:])) if last else ():
            window -= costs[index]
            if self._may_claim[index]:
                overflows = index in ends and not self.table.has_tools(index)
                yield self._claim("recent", index, "it is part of the last exchange.", overflows=overflows)
        ranks_rest = keeps_dropped and self.filters and self.ranked
        newest = window // 2 if ranks_rest else window
        for index in range(last.start - 1, -1, -1):
            if not self._may_claim[index]:
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
            yield from self._best_dropped(last.start, room)

    def _best_dropped(self, stop: int, room: Room) -> Iterator[Claim]:
        """Yield turns before `stop` that only the policy dropped, the best first."""
        rows = np.flatnonzero((self._may_claim & ~self._is_left_out)[:stop] & ~self._is_kept[:stop])
        rows = rows[self._min_tokens[rows] <= room("recent")]
        rows = rows[_best_first(self._scores[rows])]
        for index in self._affordable("recent", rows, self._min_tokens[rows], room):
            yield self._claim("recent", index, _RANKS)

    def _evidence(self, room: Room) -> Iterator[Claim]:
        if self.paired:
            for index in self.required:
                if self._may_claim[index]:
                    yield self._claim("evidence", index, None)
        current = self.table.current
        rows = np.flatnonzero(self._may_fill & self._may_claim[:current])
        if self.filters:
            # a budget goes to the highest use per token, whether the policy's rule keeps the turn or not;
            # without scores, first to what it keeps
            is_first = self._is_kept[rows] & (not self.fills_budget or not self.ranked)
            rows = rows[np.lexsort((rows, self._utility[rows], is_first))[::-1]]
            for index in self._affordable("evidence", rows, self._min_tokens[rows], room):
                yield self._claim("evidence", index, None if self.kept[index] else _FILLS)
            return
        corrected = [index for index in self.corrected if not self.table.is_unsendable[index]]
        rows = np.concatenate([rows[::-1], np.array(sorted(corrected, reverse=True), dtype=np.int64)])
        for index in self._affordable("evidence", rows, self._min_tokens[rows], room):
            yield self._claim("evidence", index, _UNFILTERED)

    @cached_property
    def _may_fill(self) -> Flags:
        """(m,) whether evidence may claim each earlier turn, if any section may."""
        if not self.filters:
            return np.ones_like(self._is_kept)
        if not self.fills_budget:
            return self._is_kept
        return self._is_kept | ~self._is_left_out[: self.table.current]

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        """(m,)"""
        return np.asarray(self.scores, dtype=np.float64)

    @cached_property
    def _utility(self) -> NDArray[np.float64]:
        """(m,) the priority of evidence: expected use per token of all turns sent with it, else the score."""
        if self.uses is None:
            return self._scores
        # the current message may be of a group, and does not count
        uses, costs = np.append(self.uses, 0.0), self._costs.copy()
        costs[-1] = 0
        sums = (self.table.by_group(values, np.add, paired=self.paired)[:-1] for values in (uses, costs))
        use, tokens = sums
        return np.asarray(use / np.maximum(tokens, 1))


def _best_first(scores: NDArray[np.float64]) -> Integers:
    """Return the places by score, of equal ones the last first."""
    return np.argsort(scores, kind="stable")[::-1]
