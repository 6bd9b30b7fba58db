"""Turns into sections until the budget is used up: what stands in any case, then what sections want."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from convgate.context.claims import Claim, Placed
from convgate.context.moment import Moment
from convgate.context.section import SectionName


@dataclass(frozen=True, slots=True)
class Room:
    """How much there is to give away."""

    total: int  # tokens of the whole context
    shares: Mapping[SectionName, int]  # tokens of each section
    spent: int = 0  # tokens of messages that stand in it besides the conversation's
    barred: frozenset[int] = frozenset()  # users' turns that nothing may bring in to open the list


@dataclass(frozen=True, slots=True)
class Packed:
    """What stands in the context, before the list is made valid. The message to answer stands anyway."""

    placed: dict[int, Placed]  # by turn
    capsules: list[int] = field(default_factory=list)  # their places in what was given


class Packer(Protocol):
    """Chooses turns: a seam for tests, which put one in that loses invariants."""

    def __call__(
        self,
        moment: Moment,
        always: Mapping[int, str],
        claims: Mapping[SectionName, Iterable[Claim]],
        capsules: Sequence[int],
        room: Room,
    ) -> Packed:
        """The turns of the context; see `pack`."""
        ...


def pack(
    moment: Moment,
    always: Mapping[int, str],
    claims: Mapping[SectionName, Iterable[Claim]],
    capsules: Sequence[int],
    room: Room,
) -> Packed:
    """The turns of the context, in time linear in the claims.

    `always` are turns that stand whatever it costs, with their reasons, beside the present message and its
    tool call; `claims` what sections want, in the order in which they choose, each section's dearest first;
    `capsules` the tokens of each capsule.

    Capsules come first, within their share. Evidence comes next and has no share. Whatever the other
    sections and their budgets are, the context therefore has every turn that the policy alone would send
    under the same total with the same capsules: what stays in any case, then evidence in the order of its
    claims, each that still fits. Each other section then takes what it wants within its share, and a turn of
    evidence that it wants goes to it as far as its share allows. What is left over goes to claims that
    overflow, and to capsules last. Claims that do not fit are passed over. The user's turn that a valid list
    has to open with is counted from the start, so that the budget still holds when `make_valid` has brought
    it in.
    """
    chosen = Chosen(moment, room)
    chosen.place_all(always)
    taken, left = [], room.shares["capsules"]
    for place, tokens in enumerate(capsules):
        if tokens <= left and chosen.take(tokens):
            taken.append(place)
            left -= tokens
    waiting: list[Claim] = []
    for section, wanted in claims.items():
        waiting += _within_share(
            chosen, wanted, room.total if section == "evidence" else room.shares[section]
        )
    for claim in waiting:
        if claim.overflows:
            chosen.claim(claim)
    for place, tokens in enumerate(capsules):
        if place not in taken and chosen.take(tokens):
            taken.append(place)
    return Packed(chosen.placed, sorted(taken))


def _within_share(chosen: Chosen, claims: Iterable[Claim], share: int) -> list[Claim]:
    """Let a section have what fits its share; returns what did not."""
    waiting = []
    for claim in claims:
        tokens, evidence = chosen.new_tokens(claim.turns), chosen.evidence_of(claim)
        of_share = tokens + sum(chosen.moment.tokens[index] for index in evidence)
        if of_share <= share and chosen.claim(claim, tokens):
            share -= of_share
            for index in evidence:
                chosen.placed[index] = Placed(claim.section, claim.reason)
        else:
            waiting.append(claim)
    return waiting


class Chosen:
    """What was chosen so far, and what that costs once the list is made valid."""

    def __init__(self, moment: Moment, room: Room) -> None:
        self.moment, self.room = moment, room
        self.placed: dict[int, Placed] = {}
        self._stands = set(moment.present)
        self._spent = room.spent + sum(moment.tokens[index] for index in moment.present)
        taking_part = (index for index in moment.present if not moment.columns.instructs[index])
        self._first = min(taking_part, default=len(moment.turns))  # of the messages but instructions
        self._brought = self._opened(self._first)[1]

    @property
    def tokens(self) -> int:
        """Of the valid list that what was chosen makes."""
        return self._spent + self._brought

    def new_tokens(self, turns: Sequence[int]) -> int:
        """What these turns cost as far as they do not stand already."""
        tokens = 0
        for index in turns:
            if index not in self._stands:
                tokens += self.moment.tokens[index]
        return tokens

    def evidence_of(self, claim: Claim) -> list[int]:
        """Turns that stand as evidence and that the claim wants for a section that says more of them."""
        if claim.section in ("evidence", "recent"):
            return []
        return [
            index
            for index in claim.wanted
            if index in self.placed and self.placed[index].section == "evidence"
        ]

    def claim(self, claim: Claim, tokens: int | None = None) -> bool:
        """Place the turns of a claim that do not stand already, if all of them fit; `tokens` are theirs."""
        tokens = self.new_tokens(claim.turns) if tokens is None else tokens
        brought = self._brought
        if claim.turns[0] < self._first:
            opening, brought = self._opened(claim.turns[0])
            if opening in self.room.barred:
                return False
        if self._spent + tokens + brought > self.room.total:
            return False
        self.place(claim.turns, claim.section, claim.reason, claim)
        return True

    def place_all(self, always: Mapping[int, str]) -> None:
        """Place what stands in any case, whatever it costs."""
        for index, reason in always.items():
            self.place(self.moment.together(index), "rules", reason)

    def take(self, tokens: int) -> bool:
        """Spend tokens on something else, if they are there."""
        if self.tokens + tokens > self.room.total:
            return False
        self._spent += tokens
        return True

    def place(
        self, turns: Sequence[int], section: SectionName, reason: str | None, claim: Claim | None = None
    ) -> None:
        """Place turns whatever they cost."""
        for index in turns:
            if index in self._stands:
                continue
            self._stands.add(index)
            self._spent += self.moment.tokens[index]
            companion = claim is not None and index not in claim.wanted
            self.placed[index] = Placed(section, claim.beside if claim and companion else reason)
            if index < self._first and not self.moment.columns.instructs[index]:
                self._first, self._brought = index, self._opened(index)[1]

    def _opened(self, first: int) -> tuple[int | None, int]:
        """The user's turn that has to be brought in when the list begins with that one, and its tokens.

        None when it needs none: it is a user's itself, or there is no user before it.
        """
        opening = self.moment.asked[first] if first < len(self.moment.turns) else None
        if opening is None or opening == first:
            return None, 0
        return opening, self.moment.tokens[opening]
