"""Why each earlier turn is in a context or not; reasons are made when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from convgate.core.decisions import Override, TurnDecisions, Why
from convgate.invariants.invariant import Invariant, quote_line
from convgate.modes.budgets import SECTIONS, SectionName
from convgate.selection.assembly import AddedMessage, ContextPlan, PackedContext
from convgate.selection.bundle import PlacedTurn, Section
from convgate.selection.memory import SteadySelection

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
    """Overrides by turn, each made when it is read: most never are."""

    def __init__(self, explanation: Explanation, turns: Mapping[int, None]) -> None:
        self._explanation, self._turns = explanation, turns

    def __getitem__(self, index: int) -> Override:
        if index not in self._turns:
            raise KeyError(index)
        why = self._explanation.why(index)
        return Override(
            why.rule, why.explanation, why.how, why.stage or STAGE, kept=index in self._explanation.sent
        )

    def __contains__(self, index: object) -> bool:
        return index in self._turns

    def __iter__(self) -> Iterator[int]:
        return iter(self._turns)

    def __len__(self) -> int:
        return len(self._turns)


@dataclass(frozen=True, eq=False)
class Explanation:
    """Why each turn is in the context or not."""

    decisions: TurnDecisions  # the policy's
    steady: SteadySelection
    plan: ContextPlan
    packed: PackedContext
    margin: float  # of the hysteresis

    def to_decisions(self) -> TurnDecisions:
        """Return the policy's decisions as the context changed them; changed ones are forced."""
        policy = self.decisions
        is_sent = np.zeros(len(self.plan.claims.table.turns), dtype=np.bool_)
        is_sent[self.packed.valid.indices] = True
        kept = is_sent[policy.indices]
        forced = policy.indices[kept != policy.kept].tolist()
        overrides = _Overrides(self, dict.fromkeys((*forced, *policy.overrides, *self.plan.claims.required)))
        return replace(
            policy, kept=kept, overrides=overrides, explain=self.why, note=None, because="", stage=STAGE
        )

    @cached_property
    def sent(self) -> frozenset[int]:
        """Turns of the context."""
        return frozenset(self.packed.valid.indices)

    @property
    def held(self) -> list[int]:
        """Turns of the evidence section by the hysteresis alone."""
        return sorted(turn for turn in self.steady.still_kept & self.sent if self.section(turn) == "evidence")

    def sections(self) -> tuple[Section, ...]:
        """Return all sections with their turns, added messages first."""
        table, placed, added = self.plan.claims.table, self.packed.placed, self._added
        turns: dict[SectionName, list[int]] = {name: [] for name in SECTIONS}
        for index in self.packed.valid.indices:
            if index != table.current:
                turns[placed[index].section if index in placed else self.section(index)].append(index)
        return tuple(
            Section(
                name,
                self.plan.budget.shares[name],
                sum(message.tokens for message in added.get(name, ()))
                + sum(table.tokens[index] for index in indices),
                partial(self._place_turns, name, indices),
            )
            for name, indices in turns.items()
        )

    @property
    def _added(self) -> Mapping[SectionName, list[AddedMessage]]:
        return {"rules": self.packed.statements, "capsules": self.packed.capsules}

    def _place_turns(self, section: SectionName, indices: Sequence[int]) -> Iterator[PlacedTurn]:
        for message in self._added.get(section, ()):
            yield PlacedTurn(None, message.tokens, partial(Why, section, message.reason))
        for index in indices:
            yield PlacedTurn(index, self.plan.claims.table.tokens[index], partial(self.why, index))

    def section(self, index: int) -> SectionName:
        """Return the section of a turn of the context; one that opens the list has that of the turn after it.

        The tool call that the message to answer belongs to, and that call's other results, are recent.
        """
        if index in self.packed.placed:
            return self.packed.placed[index].section
        if index in self.plan.claims.table.current_unit:
            return "recent"
        is_instruction = self.plan.claims.table.is_instruction
        after = next(
            (
                turn
                for turn in self.packed.valid.indices
                if turn > index and turn in self.packed.placed and not is_instruction[turn]
            ),
            None,
        )
        return "recent" if after is None else self.packed.placed[after].section

    def why(self, index: int) -> Why:
        """Return the section of a turn, or what dropped it, with the sentence."""
        why = self._explain_kept(index) if index in self.sent else self._explain_dropped(index)
        ended = self._ended.get(index)
        return why if ended is None else replace(why, explanation=f"{why.explanation} {ended}")

    def _explain_kept(self, index: int) -> Why:
        section = self.section(index)
        how = "as instructions" if self.plan.claims.table.is_instruction[index] else _HOW[section]
        placed = self.packed.placed.get(index)
        if placed is None:  # brought in by the repair
            return Why(section, self.packed.valid.overrides[index].explanation, how)
        if section == "rules":
            return Why(section, self.plan.claims.explain_required(index), how)
        if placed.reason is not None:
            return Why(section, placed.reason, how)
        reason = self.decisions.why(index).explanation
        if index in self.steady.still_kept:
            reason += (
                " It stays from the context before: a change has to bring more than the hysteresis of"
                f" {self.margin:.2f}."
            )
        return Why(section, reason, how)

    def _explain_dropped(self, index: int) -> Why:
        claims, policy = self.plan.claims, self.decisions.why(index)
        if override := claims.table.unsendable.get(index):
            return Why("messages", override.explanation, "for a valid list", override.stage)
        if invariant := claims.corrected.get(index):
            return Why("superseded", self._correction(invariant), "as corrected")
        if index in claims.shortened:
            reason = f"{self._cost(index)} do not fit; what must hold of it stands in a message of its own."
            return Why("budget", reason, "by the budget")
        if index in self.steady.still_dropped:
            reason = (
                f"{policy.explanation} It was not in the context before, and a change has to bring more than"
                f" the hysteresis of {self.margin:.2f}."
            )
            return Why("hysteresis", reason, "by the hysteresis")
        is_kept = bool(self.steady.kept[np.searchsorted(self.decisions.indices, index)])
        if claims.filters and is_kept and claims.table.user_turn[index] in claims.corrected:
            reason = "it answers a message that was corrected, and a list cannot open with it."
            return Why("superseded", f"{reason} {policy.explanation}", "as corrected")
        if is_kept or not claims.filters:
            reason = f"{self._cost(index)} do not fit in what is left of {self.plan.budget.total:,}."
            if claims.filters:
                reason += f" {self.decisions.policy} kept it: {policy.explanation}"
            return Why("budget", reason, "by the budget")
        if claims.is_left_out(index):
            label, mode = claims.reading.labels[index], claims.reading.mode
            reason = f"it belongs to {label}, which {mode} leaves out unless it is needed."
            return Why("mode", f"{reason} {policy.explanation}", "by the mode")
        how = policy.how or f"by {'the gate' if self.decisions.policy == 'gate' else self.decisions.policy}"
        return Why(self.decisions.policy, policy.explanation, how)

    def _cost(self, index: int) -> str:
        """Return the tokens of a turn, and of the turns that must be sent with it, in words."""
        table = self.plan.claims.table
        turns = table.group(index, paired=self.plan.claims.paired)
        opens = all(table.is_instruction[turn] or turn > turns[0] for turn in self.sent)
        opening = table.user_turn[turns[0]] if opens else None
        missing = {*turns, *(() if opening is None else (opening,))} - self.sent - {index}
        tokens = sum(table.tokens[turn] for turn in missing)
        more = f" and the {tokens:,} of what a valid list needs with it" if tokens else ""
        return f"its {table.tokens[index]:,} tokens{more}"

    def _correction(self, invariant: Invariant) -> str:
        invariants = self.plan.claims.reading.invariants
        later = next((other for other in invariants if other.source == invariant.superseded_by), None)
        by = "a later message" if invariant.superseded_by is None else f"message {invariant.superseded_by}"
        return f"{by} corrects it{f': {quote_line(later.text)}' if later else ''}."

    @cached_property
    def _ended(self) -> dict[int, str]:
        """Sentences for turns that state what no longer holds."""
        return {
            invariant.source: _ENDED[invariant.state]
            + ("." if invariant.ended_by is None else f", in message {invariant.ended_by}.")
            for invariant in self.plan.claims.reading.invariants
            if invariant.state in _ENDED
        }
