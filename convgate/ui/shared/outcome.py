"""The decisions about a message, the messages to send, and the flips against the gate's own rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from convgate.core.decisions import NEEDED, Floats, TurnDecisions
from convgate.gate.thresholds import MaxMissed
from convgate.messages import turn_tokens
from convgate.modes.mode import Mode, known_intents
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.selection.selection import Selection
from convgate.ui.shared import scoring
from convgate.ui.shared.changes import Changes, changes
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.frame import App
from convgate.ui.shared.modes import corrected_modes
from convgate.ui.shared.policy_options import option_label
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.threshold_settings import ThresholdSettings


@dataclass(frozen=True, eq=False)
class PolicyOutcome:
    """Decisions about every earlier turn, made a valid list of messages."""

    message: OpenMessage
    label: str  # of the policy
    policy: Policy  # with the rule and the limits that decided
    selection: Selection
    intent: str | None = None  # the corrected mode, as a caller names it
    own: ThresholdSettings | None = None  # the rule of the gate's version; None for other policies
    choice: ThresholdSettings | None = None  # the rule that decided
    flips: Changes | None = None  # against the version's own rule, or against `compared`
    compared: TurnDecisions | None = None  # the gate's decisions, where another policy is compared with them

    @property
    def decisions(self) -> TurnDecisions:
        """What is sent and what is not, forced turns included."""
        return self.selection.decisions

    @property
    def n_added(self) -> int:
        """The number of messages to send that are no turns, without a question that was asked."""
        return sum(turn is None for turn in self.selection.places) - (self.message.current.index is None)

    @property
    def scored(self) -> TurnDecisions:
        """What the policy decides alone."""
        return scoring.decide(self.policy, self.message)

    @property
    def labels(self) -> Mapping[int, Mode]:
        """The mode that each turn belongs to, by turn; none without a budget."""
        return self.selection.budgeted.labels if self.selection.budgeted else {}

    @property
    def gate(self) -> GatePolicy | None:
        """The gate, when it is the policy."""
        return self.policy if isinstance(self.policy, GatePolicy) else None

    @property
    def version(self) -> str | None:
        """The gate's version, when the gate is the policy or a stage of it."""
        stages = self.policy.policies if isinstance(self.policy, Pipeline) else (self.policy,)
        return next((stage.version for stage in stages if isinstance(stage, GatePolicy)), None)

    @property
    def threshold(self) -> float | None:
        """The lowest score that is kept; 1 when the gate's rule keeps nothing; None without a threshold."""
        decisions = self.scored
        if decisions.scores is None or decisions.threshold is not None or self.gate is None:
            return decisions.threshold
        lowest = _lowest_kept(decisions)
        return 1.0 if lowest is None else lowest

    @property
    def lowest_kept(self) -> float | None:
        """The lowest score of the turns that are sent by their score; None when none is."""
        return _lowest_kept(self.decisions)

    @property
    def promise(self) -> float | None:
        """What may be lost at most, 0…1; None where another rule decides."""
        rule = self.choice.rule if self.choice else None
        return rule.max_missed if isinstance(rule, MaxMissed) else None

    @cached_property
    def reach(self) -> Floats | None:
        """(n,) the promises from which on turns are dropped, 0…1; None where another rule decides."""
        decisions, history = self.scored, self.message.history
        if self.promise is None or self.choice is None or decisions.scores is None:
            return None
        tokens = turn_tokens(history.turns, self.gate.counter if self.gate else None)
        return self.choice.rule.reach(decisions.scores, tokens=tokens)

    @cached_property
    def likely_sent(self) -> frozenset[int]:
        """The turns that the gate sends because they are likely needed."""
        decisions = self.decisions if self.compared is None else self.compared
        named = (decision for decision in decisions if decision.outcome_name == NEEDED)
        return frozenset(decision.index for decision in named)

    @property
    def missed(self) -> frozenset[int]:
        """Those of them that are not sent."""
        return self.likely_sent.difference(self.decisions.kept_indices)

    def best(self) -> tuple[int, float] | None:
        """Return the turn with the highest score, the newest of equals, and the score; forced turns aside."""
        decisions = self.decisions
        if decisions.scores is None:
            return None
        forced = np.isin(decisions.indices, list(decisions.overrides))
        scores = np.where(forced | np.isnan(decisions.scores), -np.inf, decisions.scores)
        if np.isneginf(scores).all():
            return None
        row = int(np.flatnonzero(scores == scores.max())[-1])
        return int(decisions.indices[row]), float(scores[row])

    def first_selected(self) -> int | None:
        """Return the turn to explain before a person selects one: the best, else the newest kept one.

        Where the gate is compared with, the best of those that are missed.
        """
        if (compared := self.compared) is not None and self.missed:
            return max(sorted(self.missed), key=lambda turn: compared.of(turn).score or 0.0)
        turns = self.decisions.kept_indices or self.decisions.indices.tolist()
        return best[0] if (best := self.best()) else turns[-1] if turns else None

    @property
    def keeps_by_score(self) -> bool:
        """Whether the policy keeps any turn by its own rule."""
        decisions = self.scored
        return any(turn not in decisions.overrides for turn in decisions.kept_indices)


def _lowest_kept(decisions: TurnDecisions) -> float | None:
    if decisions.scores is None:
        return None
    forced = np.isin(decisions.indices, list(decisions.overrides))
    kept = decisions.scores[decisions.kept & ~forced]
    return float(kept.min()) if len(kept) else None


def compute_outcome(
    app: App,
    state: ExploreState,
    message: OpenMessage,
    policy: Policy,
    budget: int | None,
    compared: GatePolicy | None = None,
) -> PolicyOutcome:
    """Return what the page shows of a message with its policy; only what was never scored is scored.

    budget: tokens; None: no limit. compared: the gate that another policy is compared with.
    """
    modes, turn = corrected_modes(app, message.key) if budget is not None else {}, message.current.index
    corrected = None if turn is None else modes.get(turn)
    intents = known_intents(app.settings).items()
    intent = next((word for word, mode in intents if mode == corrected), None)
    label = option_label(state.policy, app.settings)

    def select(policy: Policy) -> Selection:
        return scoring.select(app, policy, message, pair_answers=state.pairs, budget=budget, intent=intent)

    selection = select(policy)
    gate = policy if isinstance(policy, GatePolicy) else compared
    if gate is None:
        return PolicyOutcome(message, label, policy, selection, intent)
    own = ThresholdSettings(gate.rule, gate.limits)
    choice, before = state.choice.complete(own) if state.choice else own, selection
    if not isinstance(policy, GatePolicy):
        before = select(gate.with_rule(choice.rule, choice.limits))
        flips = changes(selection.decisions, before.decisions)
        return PolicyOutcome(
            message, label, policy, selection, intent, flips=flips, compared=before.decisions
        )
    if choice != own:
        policy = policy.with_rule(choice.rule, choice.limits)
        selection = select(policy)
    flips = changes(selection.decisions, before.decisions)
    return PolicyOutcome(message, label, policy, selection, intent, own, choice, flips)
