"""Why each earlier turn stands in a context, or does not: a decision for every turn, told when looked at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from convgate.context.assembly import Added
from convgate.context.bundle import PlacedTurn, Section
from convgate.context.claims import Placed
from convgate.context.invariant import Invariant
from convgate.context.prefix import Steadied
from convgate.context.section import SECTIONS, SectionName
from convgate.context.wishes import Wishes
from convgate.context.wording import quoted
from convgate.decisions import Override, TurnDecisions, Why

STAGE = "context"

_HOW: Mapping[SectionName, str] = {
    "rules": "as a rule",
    "task_state": "as task state",
    "recent": "as recent",
    "evidence": "as evidence",
    "decisions": "as a decision",
}
_ENDED = {
    "lifted": "The rule that it states was lifted later",
    "resolved": "The error that it states was solved later",
}


class _Overrides(Mapping[int, Override]):
    """Overrides by turn, each made when somebody looks: most of them nobody does."""

    def __init__(self, told: Told, turns: Mapping[int, None]) -> None:
        self._told, self._turns = told, turns

    def __getitem__(self, index: int) -> Override:
        if index not in self._turns:
            raise KeyError(index)
        why = self._told.why(index)
        return Override(index in self._told.stands, why.reason, why.stage or STAGE, why.rule, why.how)

    def __contains__(self, index: object) -> bool:
        return index in self._turns

    def __iter__(self) -> Iterator[int]:
        return iter(self._turns)

    def __len__(self) -> int:
        return len(self._turns)


@dataclass(frozen=True, eq=False)
class Told:
    """What was made of each turn, and the sentences for it."""

    decisions: TurnDecisions  # the policy's
    steadied: Steadied
    wishes: Wishes
    placed: Mapping[int, Placed]  # turns of the context before repair
    repaired: Mapping[int, Override]  # what making the list valid changed
    indices: list[int]  # of the context's messages
    budget: int  # tokens of the whole context
    margin: float  # of the hysteresis

    def as_decisions(self) -> TurnDecisions:
        """The policy's decisions as the context changed them; what went against the policy is forced."""
        found = self.decisions
        rows = found.indices.tolist()
        kept = np.array([index in self.stands for index in rows], dtype=np.bool_)
        forced = found.indices[kept != found.kept].tolist()
        overrides = _Overrides(self, dict.fromkeys((*forced, *found.overrides, *self.wishes.always)))
        return replace(
            found, kept=kept, overrides=overrides, told=self.why, note=None, because="", stage=STAGE
        )

    @cached_property
    def stands(self) -> frozenset[int]:
        """Turns of the context."""
        return frozenset(self.indices)

    def sections(
        self, shares: Mapping[SectionName, int], notes: Sequence[Added], capsules: Sequence[Added]
    ) -> tuple[Section, ...]:
        """All sections with their turns, what was added first."""
        costs, current = self.wishes.moment.tokens, self.wishes.moment.current
        members: dict[SectionName, list[int]] = {name: [] for name in SECTIONS}
        for index in self.indices:
            if index != current:
                members[self.section(index)].append(index)
        extra: dict[SectionName, Sequence[Added]] = {"rules": notes, "capsules": capsules}
        return tuple(
            Section(
                name,
                shares[name],
                sum(one.tokens for one in extra.get(name, ())) + sum(costs[index] for index in indices),
                partial(self._placed_turns, indices, extra.get(name, ())),
            )
            for name, indices in members.items()
        )

    def _placed_turns(self, indices: Sequence[int], added: Sequence[Added]) -> tuple[PlacedTurn, ...]:
        costs = self.wishes.moment.tokens
        return (
            *(PlacedTurn(None, one.tokens, partial(str, one.reason)) for one in added),
            *(PlacedTurn(index, costs[index], partial(self._sentence, index)) for index in indices),
        )

    def _sentence(self, index: int) -> str:
        return self.why(index).told(kept=True)

    def section(self, index: int) -> SectionName:
        """The section of a turn of the context; one that opens the list stands with what it opens for.

        The tool call that the message to answer belongs to, and that call's other results, are recent.
        """
        if index in self.placed:
            return self.placed[index].section
        if index in self.wishes.moment.present:
            return "recent"
        instructs = self.wishes.moment.columns.instructs
        after = next(
            (turn for turn in self.indices if turn > index and turn in self.placed and not instructs[turn]),
            None,
        )
        return "recent" if after is None else self.placed[after].section

    def why(self, index: int) -> Why:
        """Which section a turn stands in, or what dropped it, and the sentence."""
        why = self._kept(index) if index in self.stands else self._dropped(index)
        ended = self._ended.get(index)
        return why if ended is None else replace(why, reason=f"{why.reason} {ended}")

    def _kept(self, index: int) -> Why:
        section = self.section(index)
        how = "as instructions" if self.wishes.moment.columns.instructs[index] else _HOW[section]
        placed = self.placed.get(index)
        if placed is None:  # brought in by the repair
            return Why(section, self.repaired[index].reason, how, STAGE)
        if placed.reason is not None:
            return Why(section, placed.reason, how, STAGE)
        reason = self.decisions.why(index).reason
        if index in self.steadied.stay:
            reason += (
                " It stays from the context before: a change has to bring more than the hysteresis of"
                f" {self.margin:.2f}."
            )
        return Why(section, reason, how, STAGE)

    def _dropped(self, index: int) -> Why:
        if override := self.wishes.moment.unsendable.get(index):
            return Why("messages", override.reason, "for a valid list", override.stage)
        if one := self.wishes.corrected.get(index):
            return Why("superseded", self._correction(one), "as corrected", STAGE)
        if index in self.wishes.shortened:
            reason = f"{self._cost(index)} do not fit; what must hold of it stands in a message of its own."
            return Why("budget", reason, "by the budget", STAGE)
        policy = self.decisions.why(index)
        if index in self.steadied.wait:
            reason = (
                f"{policy.reason} It was not in the context before, and a change has to bring more than the"
                f" hysteresis of {self.margin:.2f}."
            )
            return Why("hysteresis", reason, "by the hysteresis", STAGE)
        asked = self.wishes.moment.asked[index]
        if self.wishes.filters and asked in self.wishes.corrected and self._kept_by(index):
            reason = (
                f"it answers a message that was corrected, and a list cannot open with it. {policy.reason}"
            )
            return Why("superseded", reason, "as corrected", STAGE)
        if self._kept_by(index) or not self.wishes.filters:
            reason = f"{self._cost(index)} do not fit in what is left of {self.budget:,}."
            if self.wishes.filters:
                reason += f" {self.decisions.policy} kept it: {policy.reason}"
            return Why("budget", reason, "by the budget", STAGE)
        if self.wishes.left_out(index):
            left, mode = self.wishes.labels[index], self.wishes.mode
            reason = f"it belongs to {left}, which {mode} leaves out unless it is needed. {policy.reason}"
            return Why("mode", reason, "by the mode", STAGE)
        how = policy.how or f"by {'the gate' if self.decisions.policy == 'gate' else self.decisions.policy}"
        return Why(self.decisions.policy, policy.reason, how, STAGE)

    def _cost(self, index: int) -> str:
        """The tokens of a turn, and of what would have to come with it."""
        moment, instructs = self.wishes.moment, self.wishes.moment.columns.instructs
        turns = moment.together(index, paired=self.wishes.paired)
        opens = all(instructs[turn] or turn > turns[0] for turn in self.indices)
        opening = moment.asked[turns[0]] if opens else None
        missing = {*turns, *(() if opening is None else (opening,))} - self.stands - {index}
        told = f"its {moment.tokens[index]:,} tokens"
        if more := sum(moment.tokens[turn] for turn in missing):
            told += f" and the {more:,} of what a valid list needs with it"
        return told

    def _kept_by(self, index: int) -> bool:
        """Whether the policy kept the turn."""
        return bool(self.steadied.kept[np.searchsorted(self.decisions.indices, index)])

    def _correction(self, one: Invariant) -> str:
        later = next((other for other in self.wishes.invariants if other.source == one.superseded_by), None)
        by = "a later message" if one.superseded_by is None else f"message {one.superseded_by}"
        return f"{by} corrects it{f': {quoted(later.text)}' if later else ''}."

    @cached_property
    def _ended(self) -> dict[int, str]:
        """What to know of turns that state what no longer holds."""
        return {
            one.source: _ENDED[one.state] + ("." if one.ended_by is None else f", in message {one.ended_by}.")
            for one in self.wishes.invariants
            if one.state in _ENDED
        }
