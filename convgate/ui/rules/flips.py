"""What other rules would change: exchanges that are decided otherwise, and what each rule decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from convgate.gatekeeper.decision import KEEP, GatekeeperDecision
from convgate.gatekeeper.rule import Rule
from convgate.gatekeeper.rules import OwnMatch, Rules
from convgate.ui.rules.deciding import with_own
from convgate.ui.rules.looked import Looked


@dataclass(frozen=True, slots=True)
class Flip:
    """An exchange that is decided otherwise."""

    key: str  # of the conversation
    place: int  # of the exchange in it, 0-based
    before: GatekeeperDecision
    now: GatekeeperDecision

    @property
    def kind(self) -> str:
        """ "skipped", "kept", or "category" where it stays what it was but for that."""
        if self.before.outcome == self.now.outcome:
            return "category"
        return "kept" if self.now.outcome == KEEP else "skipped"


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
    old, new = held.own(before, keys), held.own(now, keys)
    flips: list[Flip] = []
    decided: dict[Rule, int] = {}
    exchanges = 0
    for key in keys:
        talk = held.talk(key)
        if talk is None:
            continue
        exchanges += len(talk)
        theirs, ours = old.get(key, {}), new.get(key, {})
        for matches in ours.values():
            decided[matches[0].rule] = decided.get(matches[0].rule, 0) + 1
        for place in sorted(theirs.keys() | ours.keys()):
            if _same(theirs.get(place, ()), ours.get(place, ())):
                continue
            built_in = talk.built_in[place]
            exchange = talk.exchanges[place].exchange
            was, is_now = (with_own(found.get(place, ()), built_in, exchange) for found in (theirs, ours))
            if (was.outcome, was.category) != (is_now.outcome, is_now.category):
                flips.append(Flip(key, place, was, is_now))
    return Changes(flips, exchanges, decided)


def _same(before: Sequence[OwnMatch], now: Sequence[OwnMatch]) -> bool:
    """Whether the rule that decides is the same."""
    first = [(found[0].outcome, found[0].rule) if found else None for found in (before, now)]
    return first[0] == first[1]
