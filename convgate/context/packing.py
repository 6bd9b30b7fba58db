"""Fill sections with turns until the budget is used up: what always stands, then what sections want."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from convgate.context.budgets import SectionName
from convgate.context.claims import Claim, Placement, SectionClaims

_BASELINE = "the baseline context takes the newest turns that fit."


@dataclass(frozen=True, slots=True)
class ContextBudget:
    """The tokens that a context may take."""

    total: int  # tokens of the whole context
    shares: Mapping[SectionName, int]  # tokens of each section
    spent: int = 0  # tokens of messages that stand in it besides the conversation's
    barred: frozenset[int] = frozenset()  # users' turns that nothing may bring in to open the list


@dataclass(frozen=True, slots=True)
class PackedTurns:
    """What stands in the context, before the list is made valid. The message to answer stands anyway."""

    placed: dict[int, Placement]  # by turn
    capsules: list[int] = field(default_factory=list)  # their places in what was given


Packer = Callable[[SectionClaims, Sequence[int], ContextBudget], PackedTurns]
"""Chooses turns: `pack`, or `pack_baseline`."""


def pack(claims: SectionClaims, capsules: Sequence[int], budget: ContextBudget) -> PackedTurns:
    """Return the turns of the context, in time linear in the claims; capsules: the tokens of each.

    After what stays in any case, capsules take their share, and evidence whatever fits. Each other section
    then takes what it wants within its share, also from evidence. What is left over goes to claims that
    overflow, and to capsules last. Claims that do not fit are passed over.
    """
    packing = Packing(claims, budget)
    taken, left = [], budget.shares["capsules"]
    for place, tokens in enumerate(capsules):
        if tokens <= left and packing.spend(tokens):
            taken.append(place)
            left -= tokens
    waiting: list[Claim] = []
    for section, wanted in claims.by_section(budget.shares["recent"]).items():
        share = budget.total if section == "evidence" else budget.shares[section]
        waiting += packing.fill_share(wanted, share)
    for claim in waiting:
        if claim.overflows:
            packing.place_if_fits(claim)
    for place, tokens in enumerate(capsules):
        if place not in taken and packing.spend(tokens):
            taken.append(place)
    return PackedTurns(packing.placed, sorted(taken))


class Packing:
    """The turns placed so far, and their tokens once the list is made valid."""

    def __init__(self, claims: SectionClaims, budget: ContextBudget) -> None:
        table = claims.table
        self.table, self.budget = table, budget
        self.placed: dict[int, Placement] = {}
        self._stands = set(table.current_unit)
        self._spent = budget.spent + sum(table.tokens[index] for index in table.current_unit)
        taking_part = (index for index in table.current_unit if not table.instructs[index])
        self._first = min(taking_part, default=len(table.turns))  # of the messages but instructions
        self._brought = self._opening(self._first)[1]
        for index, reason in claims.always.items():
            turns = table.group(index)
            self._place(Claim("rules", turns, turns, reason))

    @property
    def tokens(self) -> int:
        """The tokens of the valid list that the placed turns make."""
        return self._spent + self._brought

    def _new_tokens(self, turns: Sequence[int]) -> int:
        """The tokens of those of the turns that are not placed yet."""
        return sum(self.table.tokens[index] for index in turns if index not in self._stands)

    def fill_share(self, claims: Iterable[Claim], share: int) -> list[Claim]:
        """Place the claims of a section that fit its share; return those that did not."""
        waiting = []
        for claim in claims:
            evidence = self._evidence_of(claim)
            of_share = self._new_tokens(claim.turns) + sum(self.table.tokens[index] for index in evidence)
            if of_share <= share and self.place_if_fits(claim):
                share -= of_share
                for index in evidence:
                    self.placed[index] = Placement(claim.section, claim.reason)
            else:
                waiting.append(claim)
        return waiting

    def _evidence_of(self, claim: Claim) -> list[int]:
        """The turns placed as evidence that the claim wants for a more specific section."""
        if claim.section in ("evidence", "recent"):
            return []
        return [
            index
            for index in claim.wanted
            if index in self.placed and self.placed[index].section == "evidence"
        ]

    def place_if_fits(self, claim: Claim) -> bool:
        """Place the turns of a claim if all that are not placed yet fit; return whether they do."""
        brought = self._brought
        if claim.turns[0] < self._first:
            opening, brought = self._opening(claim.turns[0])
            if opening in self.budget.barred:
                return False
        if self._spent + self._new_tokens(claim.turns) + brought > self.budget.total:
            return False
        self._place(claim)
        return True

    def spend(self, tokens: int) -> bool:
        """Spend tokens on another message if they are left; return whether they are."""
        if self.tokens + tokens > self.budget.total:
            return False
        self._spent += tokens
        return True

    def _place(self, claim: Claim) -> None:
        """Place the turns of a claim that are not placed yet, whatever they cost."""
        for index in claim.turns:
            if index in self._stands:
                continue
            self._stands.add(index)
            self._spent += self.table.tokens[index]
            reason = claim.reason if index in claim.wanted else claim.beside
            self.placed[index] = Placement(claim.section, reason)
            if index < self._first and not self.table.instructs[index]:
                self._first, self._brought = index, self._opening(index)[1]

    def _opening(self, first: int) -> tuple[int | None, int]:
        """The user's turn that has to be brought in when the list begins with that one, and its tokens.

        None when it needs none: it is a user's itself, or there is no user before it.
        """
        opening = self.table.asked[first] if first < len(self.table.turns) else None
        if opening is None or opening == first:
            return None, 0
        return opening, self.table.tokens[opening]


def pack_baseline(claims: SectionClaims, capsules: Sequence[int], budget: ContextBudget) -> PackedTurns:
    """Return what must hold and the newest turns that fit, when `pack` lost an invariant; no capsules.

    The first turn that does not fit ends it; what cannot be sent at all is passed over.
    """
    table, packing = claims.table, Packing(claims, budget)
    for index in range(table.current - 1, -1, -1):
        if index in table.unsendable or table.instructs[index]:
            continue
        turns = table.group(index)
        if not packing.place_if_fits(Claim("recent", turns, turns, _BASELINE)):
            break
    return PackedTurns(packing.placed)
