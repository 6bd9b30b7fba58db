"""The context when packing lost an invariant: what must hold, and the newest turns that fit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from convgate.context.claims import Claim
from convgate.context.moment import Moment
from convgate.context.packing import Chosen, Packed, Room
from convgate.context.section import SectionName

REASON = "the baseline context takes the newest turns that fit."


def baseline(
    moment: Moment,
    always: Mapping[int, str],
    claims: Mapping[SectionName, Iterable[Claim]],
    capsules: Sequence[int],
    room: Room,
) -> Packed:
    """A `Packer` that trusts nothing but invariants and age: it reads neither claims nor capsules.

    The first turn that does not fit ends it; what cannot be sent at all is passed over.
    """
    chosen = Chosen(moment, room)
    chosen.place_all(always)
    for index in range(moment.current - 1, -1, -1):
        if index in moment.unsendable or moment.columns.instructs[index]:
            continue
        turns = moment.together(index)
        if not chosen.claim(Claim("recent", turns, turns, REASON)):
            break
    return Packed(chosen.placed)
