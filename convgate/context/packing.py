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

    Every section takes what it wants within its share. What sections leave over then goes to claims that
    overflow, those of evidence after the others, and to capsules last. Claims that do not fit are passed
    over. The user's turn that a valid list has to open with is counted from the start, so that the budget
    still holds when `make_valid` has brought it in.
    """
    chosen = Chosen(moment, room)
    chosen.place_all(always)
    waiting: list[Claim] = []
    for section, wanted in claims.items():
        waiting += _within_share(chosen, wanted, room.shares[section])
    taken, left = [], room.shares["capsules"]
    for place, tokens in enumerate(capsules):
        if tokens <= left and chosen.take(tokens):
            taken.append(place)
            left -= tokens
    for claim in sorted(waiting, key=lambda claim: claim.section == "evidence"):
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
        tokens = chosen.new_tokens(claim.turns)
        if tokens <= share and chosen.claim(claim):
            share -= tokens
        else:
            waiting.append(claim)
    return waiting


class Chosen:
    """What was chosen so far, and what that costs once the list is made valid."""

    def __init__(self, moment: Moment, room: Room) -> None:
        self.moment, self.room = moment, room
        self.placed: dict[int, Placed] = {}
        self._stands = set(moment.present)
        self._tokens = room.spent + sum(moment.tokens[index] for index in moment.present)
        taking_part = (index for index in moment.present if not moment.columns.instructs[index])
        self._first = min(taking_part, default=len(moment.turns))  # of the messages but instructions

    def new_tokens(self, turns: Sequence[int]) -> int:
        """What these turns cost as far as they do not stand already."""
        return sum(self.moment.tokens[index] for index in turns if index not in self._stands)

    def claim(self, claim: Claim) -> bool:
        """Place the turns of a claim that do not stand already, if all of them fit."""
        if self._after(claim.turns) > self.room.total or self._opening(claim.turns) in self.room.barred:
            return False
        self.place(claim.turns, claim.section, claim.reason, claim)
        return True

    @property
    def tokens(self) -> int:
        """Of the valid list that what was chosen makes."""
        return self._after(())

    def place_all(self, always: Mapping[int, str]) -> None:
        """Place what stands in any case, whatever it costs."""
        for index, reason in always.items():
            self.place(self.moment.together(index), "rules", reason)

    def take(self, tokens: int) -> bool:
        """Spend tokens on something else, if they are there."""
        if self._after(()) + tokens > self.room.total:
            return False
        self._tokens += tokens
        return True

    def place(
        self, turns: Sequence[int], section: SectionName, reason: str | None, claim: Claim | None = None
    ) -> None:
        """Place turns whatever they cost."""
        for index in turns:
            if index in self._stands:
                continue
            self._stands.add(index)
            self._tokens += self.moment.tokens[index]
            companion = claim is not None and index not in claim.wanted
            self.placed[index] = Placed(section, claim.beside if claim and companion else reason)
            if not self.moment.columns.instructs[index]:
                self._first = min(self._first, index)

    def _after(self, turns: Sequence[int]) -> int:
        """Tokens of the valid list, had these turns been placed too."""
        opening = self._opening(turns)
        brought = 0 if opening is None else self.moment.tokens[opening]
        return self._tokens + self.new_tokens(turns) + brought

    def _opening(self, turns: Sequence[int]) -> int | None:
        """The user's turn that would have to be brought in to open the list; None when it opens with one."""
        first = min((self._first, *turns))
        opening = self.moment.asked[first] if first < len(self.moment.turns) else None
        return None if opening == first else opening
