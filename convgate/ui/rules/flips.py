"""What other rules would change: exchanges that are decided otherwise, and what each rule decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convgate.gatekeeper.rule import Rule
from convgate.gatekeeper.rules import Rules
from convgate.ui.rules.looked import Looked, Row


@dataclass(frozen=True, slots=True)
class Flip:
    """An exchange that is decided otherwise."""

    before: Row
    now: Row

    @property
    def kind(self) -> str:
        """ "skipped", "kept", or "category" where it stays what it was but for that."""
        if self.before.keep == self.now.keep:
            return "category"
        return "kept" if self.now.keep else "skipped"


@dataclass(frozen=True)
class Changes:
    """All flips, by conversation in the order that was asked, and how many exchanges were looked at."""

    flips: Sequence[Flip]
    exchanges: int
    decided_by: Mapping[Rule, int]  # exchanges that each of the new rules decides

    def of(self, kind: str) -> list[Flip]:
        """Those of one kind, or "all"."""
        return [flip for flip in self.flips if kind in ("all", flip.kind)]


def changes(held: Looked, keys: Sequence[str], before: Rules, now: Rules) -> Changes:
    """What `now` decides otherwise than `before` in the talks of `keys`, which were looked at."""
    old, new = held.ruled(before, keys), held.ruled(now, keys)
    flips: list[Flip] = []
    decided: dict[Rule, int] = {}
    exchanges = 0
    for key in keys:
        talk = held.talk(key)
        if talk is None:
            continue
        exchanges += len(talk)
        theirs, ours = old.get(key, {}), new.get(key, {})
        for _, rule in ours.values():
            decided[rule] = decided.get(rule, 0) + 1
        for place in sorted(theirs.keys() | ours.keys()):
            was, is_now = theirs.get(place), ours.get(place)
            if was != is_now:
                built_in = talk.built_in[place]
                flip = Flip(Row(key, place, built_in, was), Row(key, place, built_in, is_now))
                if flip.before.differs(flip.now):
                    flips.append(flip)
    return Changes(flips, exchanges, decided)
