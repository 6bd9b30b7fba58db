"""Fill sections with turns up to the budget: first the required turns, then the claims of sections."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from convgate.messages.table import TurnTable
from convgate.modes.budgets import SectionName
from convgate.selection.claims import Claim, Placement, SectionClaims

_WITHOUT_MOVES: tuple[SectionName, ...] = ("evidence", "recent")  # others move placed evidence
BASELINE = "the baseline takes the newest turns that fit."


@dataclass(frozen=True, slots=True)
class RequestBudget:
    """The tokens that may be sent."""

    total: int  # tokens of everything that is sent
    shares: Mapping[SectionName, int]  # tokens of each section
    added: int = 0  # tokens of messages that are no turns
    excluded: frozenset[int] = frozenset()  # users' turns that may not be added to open the list
    room: int = 0  # tokens besides `total` that are left to the messages to come


@dataclass(frozen=True, slots=True)
class PackedTurns:
    """The turns that are sent, without the current message, before the list is made valid."""

    placed: dict[int, Placement]  # by turn
    capsules: list[int] = field(default_factory=list)  # positions in the given list


Packer = Callable[[SectionClaims, Sequence[int], RequestBudget], PackedTurns]
"""Choose turns: `pack`, or `pack_baseline`."""


def pack(claims: SectionClaims, capsules: Sequence[int], budget: RequestBudget) -> PackedTurns:
    """Return the turns that are sent, in time linear in the claims; capsules: the tokens of each.

    After the required turns, capsules take their share, and evidence whatever fits. Each other section then
    takes what it claims within its share, also from evidence. The rest of the budget goes to claims that
    overflow, then to capsules. Claims that do not fit are skipped.
    """
    packing = Packing(claims.table, claims.required, budget, claims.added_tokens)
    fitting, left = [], budget.shares["capsules"]
    for place, tokens in enumerate(capsules):
        if tokens <= left and packing.spend(tokens):
            fitting.append(place)
            left -= tokens
    unplaced: list[Claim] = []
    for section, section_claims in claims.by_section(budget.shares["recent"], packing.room).items():
        share = budget.total if section == "evidence" else budget.shares[section]
        unplaced += packing.fill_share(section_claims, share)
    for claim in unplaced:
        packing.place_if_fits(claim)
    for place, tokens in enumerate(capsules):
        if place not in fitting and packing.spend(tokens):
            fitting.append(place)
    return PackedTurns(packing.placed, sorted(fitting))


class Packing:
    """The turns placed so far, and their tokens in the valid list."""

    def __init__(
        self,
        table: TurnTable,
        required: Iterable[int],
        budget: RequestBudget,
        costs: Sequence[int] | None = None,
    ) -> None:
        """Place the required turns, whatever the budget is; costs: the tokens that each turn adds."""
        self.table, self.budget = table, budget
        self._costs = table.tokens if costs is None else costs
        self._share = 0  # tokens left of the section that is filled
        turns = {turn for index in required for turn in table.group(index)}.difference(table.current_unit)
        self.placed = dict.fromkeys(sorted(turns), Placement("rules", None))
        self._included = turns.union(table.current_unit)
        self._spent = budget.added + sum(self._costs[index] for index in self._included)
        others = (index for index in self._included if not table.is_instruction[index])
        self._first = min(others, default=len(table.turns))  # turn of the list that is no instruction
        self._opening_tokens = self._opening(self._first)[1]

    @property
    def tokens(self) -> int:
        """The tokens of the valid list of the placed turns."""
        return self._spent + self._opening_tokens

    def _new_tokens(self, turns: Sequence[int]) -> int:
        """Return the tokens of the turns that are not placed yet."""
        costs, included = self._costs, self._included
        if len(turns) == 1:
            return 0 if turns[0] in included else costs[turns[0]]
        return sum(costs[index] for index in turns if index not in included)

    def fill_share(self, claims: Iterable[Claim], share: int) -> list[Claim]:
        """Place the claims of a section that fit its share; return those that did not and may overflow."""
        self._share, unplaced = share, []
        for claim in claims:
            new, evidence = self._new_tokens(claim.turns), self._placed_evidence(claim)
            cost = new + sum(self._costs[index] for index in evidence) if evidence else new
            if cost <= self._share and self._place_if_fits(claim, new):
                self._share -= cost
                for index in evidence:
                    self.placed[index] = Placement(claim.section, claim.reason)
            elif claim.overflows:
                unplaced.append(claim)
        return unplaced

    def room(self, section: SectionName) -> int:
        """Return the max tokens of a claim that fits now."""
        left = self.budget.total - self._spent
        return min(self._share, left) if section in _WITHOUT_MOVES else self._share

    def _placed_evidence(self, claim: Claim) -> list[int]:
        """Return the turns placed as evidence that the claim moves to its section."""
        if claim.section in _WITHOUT_MOVES:
            return []
        return [
            index
            for index in claim.wanted
            if index in self.placed and self.placed[index].section == "evidence"
        ]

    def place_if_fits(self, claim: Claim) -> bool:
        """Place the turns of a claim if they fit; return whether they do."""
        return self._place_if_fits(claim, self._new_tokens(claim.turns))

    def _place_if_fits(self, claim: Claim, tokens: int) -> bool:
        """Place the turns of a claim, of which those that are not placed have these tokens, if they fit."""
        opening_tokens = self._opening_tokens
        if claim.turns[0] < self._first:
            opening, opening_tokens = self._opening(claim.turns[0])
            if opening in self.budget.excluded:
                return False
        if self._spent + tokens + opening_tokens > self.budget.total:
            return False
        self._place(claim)
        return True

    def spend(self, tokens: int) -> bool:
        """Reserve the tokens of an added message if they are left; return whether they are."""
        if self.tokens + tokens > self.budget.total:
            return False
        self._spent += tokens
        return True

    def _place(self, claim: Claim) -> None:
        """Place the turns of a claim that are not placed yet, whatever their tokens."""
        for index in claim.turns:
            if index in self._included:
                continue
            self._included.add(index)
            self._spent += self._costs[index]
            reason = claim.reason if index in claim.wanted else claim.companion_reason
            self.placed[index] = Placement(claim.section, reason)
            if index < self._first and not self.table.is_instruction[index]:
                self._first, self._opening_tokens = index, self._opening(index)[1]

    def _opening(self, first: int) -> tuple[int | None, int]:
        """Return the user's turn that must precede `first` at the front of the list, and its tokens.

        None when `first` is a user's turn, or no user's turn is before it.
        """
        opening = self.table.user_turn(first) if first < len(self.table.turns) else None
        if opening is None or opening == first:
            return None, 0
        return opening, self._costs[opening]


def pack_baseline(claims: SectionClaims, capsules: Sequence[int], budget: RequestBudget) -> PackedTurns:
    """Return what must hold and the newest turns that fit, when `pack` lost an invariant; no capsules.

    It stops at the first turn that does not fit; unsendable turns are skipped, corrected ones are not.
    """
    budget = replace(budget, excluded=frozenset())
    table, packing = claims.table, Packing(claims.table, claims.required, budget, claims.added_tokens)
    for index in range(table.current - 1, -1, -1):
        if table.is_unsendable[index] or table.is_instruction[index]:
            continue
        turns = table.group(index)
        if not packing.place_if_fits(Claim("recent", turns, turns, BASELINE)):
            break
    return PackedTurns(packing.placed)
