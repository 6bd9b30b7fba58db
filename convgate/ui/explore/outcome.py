"""What a view leads to: the decisions that are sent, how they differ from others, what they cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from convgate.core.decisions import TurnDecisions
from convgate.policies.base import Policy
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.selector import Selection, Selector
from convgate.ui import scoring
from convgate.ui.changes import Changes, changes
from convgate.ui.choosers import chooser_label
from convgate.ui.explore.state import View
from convgate.ui.frame import App
from convgate.ui.scoring import Moment
from convgate.ui.threshold_settings import ThresholdSettings


@dataclass(frozen=True, eq=False)
class Outcome:
    """Decisions about every earlier turn, after they were made a valid list of messages."""

    moment: Moment
    label: str  # what the policy is called
    policy: Policy
    selection: Selection
    own: ThresholdSettings | None  # of the version; None for policies without a rule
    choice: ThresholdSettings | None  # the rule that decided
    flips: Changes | None  # against `baseline`
    baseline: Selection | None
    other: Selection | None  # of the policy that is compared
    other_label: str = ""

    @property
    def decisions(self) -> TurnDecisions:
        """What is sent and what is not, forced turns included."""
        return self.selection.decisions

    @property
    def gate(self) -> GatePolicy | None:
        """The gate, when it is the policy."""
        return self.policy if isinstance(self.policy, GatePolicy) else None

    @property
    def version(self) -> str | None:
        """The gate's, when it is the policy or a stage of it."""
        stages = self.policy.policies if isinstance(self.policy, Pipeline) else (self.policy,)
        return next((one.version for one in stages if isinstance(one, GatePolicy)), None)

    @property
    def deciding(self) -> Policy:
        """The policy with the rule and the limits that decided."""
        if self.gate is None or self.choice is None:
            return self.policy
        return self.gate.with_rule(self.choice.rule, self.choice.limits)

    @property
    def agreement(self) -> Changes | None:
        """Turns that this policy keeps and the other drops, and the other way round."""
        return changes(self.decisions, self.other.decisions) if self.other else None

    def best(self) -> int | None:
        """The turn with the highest score, the newest of equals; without scores, the newest kept one."""
        decisions = self.decisions
        if len(decisions) == 0:
            return None
        if decisions.scores is None or np.isnan(decisions.scores).all():
            kept = decisions.kept_indices
            return kept[-1] if kept else int(decisions.indices[-1])
        order = np.lexsort((decisions.indices, np.nan_to_num(decisions.scores, nan=-np.inf)))
        return int(decisions.indices[order[-1]])


def outcome(app: App, view: View, moment: Moment) -> Outcome:
    """Everything that the page shows of a view; only what was never scored is scored."""
    policy = scoring.policy(app, view.policy)
    own = choice = flips = baseline = other = None
    if isinstance(policy, GatePolicy):
        scoring.encode_ahead(moment, policy.encoder)
        scored = scoring.scored(policy, moment)
        own = ThresholdSettings(policy.rule, policy.limits)
        choice = view.choice or own
        decided = policy.with_rule(choice.rule, choice.limits).decide_scored(scored)
        before = view.baseline or own
        selection = _valid(policy, moment, decided, view)
        baseline = selection
        if before != choice:
            decided = policy.with_rule(before.rule, before.limits).decide_scored(scored)
            baseline = _valid(policy, moment, decided, view)
        flips = changes(selection.decisions, baseline.decisions)
    else:
        if encoder := getattr(policy, "encoder", None):
            scoring.encode_ahead(moment, encoder)
        selection = _valid(policy, moment, scoring.decided(policy, moment), view)
    label = ""
    if view.compare and view.compare != view.policy:
        compared = scoring.policy(app, view.compare)
        if encoder := getattr(compared, "encoder", None):
            scoring.encode_ahead(moment, encoder)
        other = _valid(compared, moment, scoring.decided(compared, moment), view)
        label = chooser_label(view.compare)
    return Outcome(
        moment, chooser_label(view.policy), policy, selection, own, choice, flips, baseline, other, label
    )


def _valid(policy: Policy, moment: Moment, decisions: TurnDecisions, view: View) -> Selection:
    return Selector(policy).valid(moment.situation, moment.history, decisions, pair_answers=view.pairs)
