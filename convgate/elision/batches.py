"""With prices: when new stubs are sent, so that a cached prefix is rewritten only where that pays.

A new stub changes the list from its place on, and all behind it is billed as written again. So the list keeps
the stubs that it had at the last batch. A new batch is made before a call of the model when

    saved · cached · further ≥ (write - cached) · rewritten

saved: what the new stubs save; rewritten: what the request before had from the first of them on; further: the
calls to come, taken to be a quarter of those so far, as runs end and each batch pays anew. Characters stand
for tokens: only their ratio counts. A message of the user that names what a stub has left out makes one, too.
A list is gone through call by call, so that every process comes to the same batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from convgate.core.conversation import Turn
from convgate.costs.prices import Price
from convgate.elision.elide import find_elisions
from convgate.elision.evidence import Evidence
from convgate.messages.tokens import TokenCounter
from convgate.messages.units import is_from_user

MIN_FURTHER = 4
"""Calls that are expected at least."""

FURTHER_SHARE = 0.25
"""Calls that are expected, as a share of those so far; fitted on 8 runs of each of `tools.agent_runs`."""

_CHECKS = 16
"""A batch is considered before so many calls, then before one of each sixteenth of the calls so far."""


@dataclass(frozen=True, eq=False)
class Batches:
    """The evidence of a conversation, and as it was at each batch. Immutable."""

    evidence: Evidence = field(default_factory=Evidence)
    made: tuple[Evidence, ...] = ()  # increasing
    calls: tuple[int, ...] = ()  # the first turn of each response of the model, increasing

    def first(self, n: int) -> Batches:
        """Return those of the first n turns."""
        made = (each for each in self.made if len(each.turns) <= n)
        return Batches(self.evidence.first(n), tuple(made), tuple(each for each in self.calls if each < n))

    def extend(self, new: Sequence[Turn], price: Price | None, counter: TokenCounter | None) -> Batches:
        """Return these and those of further turns. Without prices there are none."""
        if price is None:
            return Batches(self.evidence.extend(new))
        batches, start, last = self, 0, self.evidence.turns[-1:]
        for place, turn in enumerate(new):
            if turn.role == "assistant" and last and last[0].role != "assistant":
                asked = Batches(batches.evidence.extend(new[start:place]), batches.made, batches.calls)
                made = asked.made
                if asked._pays(price, counter):
                    made = (*made, asked.evidence)
                start, batches = (
                    place,
                    Batches(asked.evidence, made, (*asked.calls, len(asked.evidence.turns))),
                )
            last = [turn]
        return Batches(batches.evidence.extend(new[start:]), batches.made, batches.calls)

    def choose(self, price: Price | None, counter: TokenCounter | None) -> Evidence:
        """Return the evidence that a request with all turns takes its stubs from."""
        if price is None or self._pays(price, counter):
            return self.evidence
        return self.made[-1] if self.made else Evidence()

    def _pays(self, price: Price, counter: TokenCounter | None) -> bool:
        """Return whether a batch before the next call saves more than it costs, or the user asks for one."""
        turns, n_calls = self.evidence.turns, len(self.calls)
        is_asked = bool(turns) and is_from_user(turns[-1])
        if not is_asked and n_calls % max(1, n_calls // _CHECKS):
            return False
        known = find_elisions(self.made[-1], None, counter) if self.made else {}
        new = find_elisions(self.evidence, None, counter)
        changed = [turn for turn in known.keys() | new.keys() if known.get(turn) != new.get(turn)]
        if not changed:
            return False
        if is_asked and self._is_named(known.keys() - new.keys()):
            return True
        saved = Counter[int]()
        for turn, own in new.items():
            saved[turn] = sum(len(each.text) - len(each.stub) for each in own)
        gain = saved.total() - sum(len(each.text) - len(each.stub) for own in known.values() for each in own)
        before = range(min(changed), self.calls[-1] if self.calls else 0)
        rewritten = sum(len(turns[turn].said) - saved[turn] for turn in before)
        further = max(MIN_FURTHER, n_calls * FURTHER_SHARE)
        return gain * price.cached * further >= (price.write - price.cached) * rewritten

    def _is_named(self, stubs: Collection[int]) -> bool:
        """Return whether the last turn is the first to repeat something of the results of these turns."""
        last = len(self.evidence.turns) - 1
        rows = zip(self.evidence.results, self.evidence.repeats, strict=True)
        return any(result.turn in stubs and repeats.last == last for result, repeats in rows)
