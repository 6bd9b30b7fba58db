"""Why each earlier turn is sent within a budget or not; reasons are made when they are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from convgate.core.decisions import FIT, HOLD, REPAIR, SCORE, Override, TurnDecisions, Why
from convgate.invariants.invariant import Invariant, quote_line
from convgate.messages.validity import explain_partner
from convgate.modes.budgets import SECTIONS, SectionName
from convgate.selection.added import AddedMessage
from convgate.selection.claims import COMPANION, FILLERS, Placement, SectionClaims
from convgate.selection.packing import BASELINE, RequestBudget
from convgate.selection.selection import PlacedTurn, Section
from convgate.selection.sending import SentMessages

_HOW: Mapping[SectionName, str] = {
    "rules": "as a rule",
    "task_state": "as task state",
    "recent": "as recent",
    "evidence": "",
    "decisions": "as a decision",
}
_ENDED = {
    "lifted": "The rule that it states was lifted later",
    "resolved": "The error that it states was solved later",
}


class _Overrides(Mapping[int, Override]):
    """Overrides by turn, each made when it is read: most never are."""

    def __init__(self, reasons: FittedReasons, turns: Mapping[int, None]) -> None:
        self._reasons, self._turns = reasons, turns

    def __getitem__(self, index: int) -> Override:
        if index not in self._turns:
            raise KeyError(index)
        why = self._reasons.why(index)
        return Override(
            why.rule, why.explanation, why.how, why.stage or FIT, kept=index in self._reasons.sent
        )

    def __contains__(self, index: object) -> bool:
        return index in self._turns

    def __iter__(self) -> Iterator[int]:
        return iter(self._turns)

    def __len__(self) -> int:
        return len(self._turns)


@dataclass(frozen=True, eq=False)
class FittedReasons:
    """Why each turn is sent or not."""

    decisions: TurnDecisions  # the policy's
    claims: SectionClaims
    budget: RequestBudget
    placed: Mapping[int, Placement]  # by turn, before the list was made valid
    messages: SentMessages
    is_baseline: bool = False  # after a breach

    def to_decisions(self) -> TurnDecisions:
        """Return the decisions as the budget changed them."""
        policy = self.decisions
        is_sent = np.zeros(len(self.claims.table.turns), dtype=np.bool_)
        is_sent[self.messages.valid.indices] = True
        kept = is_sent[policy.indices]
        changed = policy.indices[kept != policy.kept].tolist()
        overrides = _Overrides(self, dict.fromkeys((*changed, *policy.overrides, *self.claims.required)))
        return replace(
            policy, kept=kept, chosen=policy.kept if policy.chosen is None else policy.chosen,
            overrides=overrides, explain=self.why, note=None, because="", stage=FIT,
        )  # fmt: skip

    @cached_property
    def sent(self) -> frozenset[int]:
        """Turns that are sent."""
        return frozenset(self.messages.valid.indices)

    def sections(self, sent: SentMessages, decisions: TurnDecisions) -> tuple[Section, ...]:
        """Return all sections with their turns, added messages first.

        sent: what is sent in the end; what it has beside these messages, and the quotes, are evidence.
        decisions: about it.
        """
        table, placed = self.claims.table, self.placed
        added: Mapping[SectionName, Sequence[AddedMessage]] = {
            "rules": sent.statements, "capsules": sent.capsules, "evidence": sent.quoting,
        }  # fmt: skip
        turns: dict[SectionName, list[int]] = {name: [] for name in SECTIONS}
        for index in sent.valid.indices:
            if index in placed:
                turns[placed[index].section].append(index)
            elif index != table.current:
                turns[self.section(index) if index in self.sent else "evidence"].append(index)

        def place(section: SectionName) -> Iterator[PlacedTurn]:
            for message in added.get(section, ()):
                yield PlacedTurn(None, message.tokens, partial(Why, section, message.reason))
            for index in turns[section]:
                why = self.why if index in self.sent else decisions.why
                yield PlacedTurn(index, table.tokens[index], partial(why, index))

        return tuple(
            Section(
                name,
                self.budget.shares[name],
                sum(message.tokens for message in added.get(name, ()))
                + sum(table.tokens[index] for index in indices),
                partial(place, name),
            )
            for name, indices in turns.items()
        )

    def section(self, index: int) -> SectionName:
        """Return the section of a turn that is sent; one that opens the list has that of the turn after it.

        The tool call that the message to answer belongs to, and that call's other results, are recent.
        """
        if index in self.placed:
            return self.placed[index].section
        if index in self.claims.table.current_unit:
            return "recent"
        is_instruction = self.claims.table.is_instruction
        after = next(
            (
                turn
                for turn in self.messages.valid.indices
                if turn > index and turn in self.placed and not is_instruction[turn]
            ),
            None,
        )
        return "recent" if after is None else self.placed[after].section

    def why(self, index: int) -> Why:
        """Return the section of a turn, or what dropped it, with the sentence."""
        why = self._explain_kept(index) if index in self.sent else self._explain_dropped(index)
        ended = self._ended.get(index)
        return why if ended is None else replace(why, explanation=f"{why.explanation} {ended}")

    def _explain_kept(self, index: int) -> Why:
        section = self.section(index)
        how = "as instructions" if self.claims.table.is_instruction[index] else _HOW[section]
        placed = self.placed.get(index)
        if placed is None:  # brought in by the repair
            brought = self.messages.valid.overrides[index]
            return Why(section, brought.explanation, brought.how or how, brought.stage)
        if section == "rules":
            return Why(section, self.claims.explain_required(index), how, HOLD)
        if placed.reason is None:
            return self._of_policy(index)
        if placed.reason in FILLERS:
            return Why("evidence", placed.reason, "with room in the budget")
        if placed.reason == COMPANION:
            table, group = self.claims.table, self.claims.table.group(index, paired=self.claims.paired)
            others = {turn: self.placed[turn].reason for turn in group if turn in self.placed}
            partner = next((turn for turn, why in others.items() if why != COMPANION), table.current)
            how, reason = explain_partner(table, index, partner)
            return Why(section, reason, how, REPAIR)
        return Why(section, placed.reason, how, FIT)

    def _explain_dropped(self, index: int) -> Why:
        claims, policy = self.claims, self.decisions.why(index)
        if override := claims.table.unsendable.get(index):
            return Why(REPAIR, override.explanation, override.how, override.stage)
        if self.is_baseline:
            return Why("budget", BASELINE, "by the budget")
        if invariant := claims.corrected.get(index):
            return Why("superseded", self._correction(invariant), "as corrected", HOLD)
        if index in claims.shortened:
            reason = f"{self._cost(index)} do not fit; what must hold of it stands in a message of its own."
            return Why("budget", reason, "by the budget")
        is_kept = bool(self.decisions.kept[np.searchsorted(self.decisions.indices, index)])
        if claims.filters and is_kept and claims.table.user_turn(index) in claims.corrected:
            reason = "it answers a message that was corrected, and a list cannot open with it."
            return Why("superseded", f"{reason} {policy.explanation}", "as corrected")
        if is_kept or not claims.filters:
            total, room = self.budget.total + self.budget.room, self.budget.room
            leaves = f", where {room:,} are left to the messages to come" if room else ""
            reason = f"{self._cost(index)} do not fit in what is left of {total:,}{leaves}."
            if claims.filters:
                reason += f" {self.decisions.policy} kept it: {policy.explanation}"
            return Why("budget", reason, "by the budget")
        if claims.is_left_out(index):
            label, mode = claims.reading.labels[index], claims.reading.mode
            reason = f"it belongs to {label}, which {mode} leaves out unless it is needed."
            return Why("mode", f"{reason} {policy.explanation}", "by the mode")
        how = policy.how or f"by {'the gate' if self.decisions.policy == 'gate' else self.decisions.policy}"
        return replace(self._of_policy(index), how=how)

    def _of_policy(self, index: int) -> Why:
        """Return what the policy says of a turn; the rule is its name, unless a later stage overruled it."""
        why, decisions = self.decisions.why(index), self.decisions
        rule = why.rule if index in decisions.overrides else decisions.policy
        return Why(rule, why.explanation, why.how, why.stage or SCORE)

    def _cost(self, index: int) -> str:
        """Return the tokens of a turn, and of the turns that must be sent with it, in words."""
        table = self.claims.table
        turns = table.group(index, paired=self.claims.paired)
        opens = all(table.is_instruction[turn] or turn > turns[0] for turn in self.sent)
        opening = table.user_turn(turns[0]) if opens else None
        missing = {*turns, *(() if opening is None else (opening,))} - self.sent - {index}
        tokens = sum(table.tokens[turn] for turn in missing)
        more = f" and the {tokens:,} of what a valid list needs with it" if tokens else ""
        return f"its {table.tokens[index]:,} tokens{more}"

    def _correction(self, invariant: Invariant) -> str:
        invariants = self.claims.reading.invariants
        later = next((other for other in invariants if other.source == invariant.superseded_by), None)
        by = "a later message" if invariant.superseded_by is None else f"message {invariant.superseded_by}"
        return f"{by} corrects it{f': {quote_line(later.text)}' if later else ''}."

    @cached_property
    def _ended(self) -> dict[int, str]:
        """Sentences for turns that state what no longer holds."""
        return {
            invariant.source: _ENDED[invariant.state]
            + ("." if invariant.ended_by is None else f", in message {invariant.ended_by}.")
            for invariant in self.claims.reading.invariants
            if invariant.state in _ENDED
        }
