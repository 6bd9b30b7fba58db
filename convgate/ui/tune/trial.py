"""What the rule that is tried does on labelled turns, beside the version's own and the best for the goal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.metrics import Bools
from convgate.evaluation.sweeps import Sweep, at_value, sweep_of, value_of
from convgate.evaluation.tuning import Figures, ScoredCases, score_cases
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.choice import Choice
from convgate.ui.judging import once
from convgate.ui.tune.goals import Found, find
from convgate.ui.tune.state import View


@dataclass(frozen=True, eq=False)
class Tried:
    """One rule on the labelled turns."""

    choice: Choice
    kept: Bools  # (n,) of the judged turns
    figures: Figures


@dataclass(frozen=True, eq=False)
class Trial:
    """Everything that the page shows of labelled data."""

    scored: ScoredCases
    own: Tried  # the version's own rule
    chosen: Tried
    best: Tried | None  # for the goal; None when nothing reaches it, or the rule has no threshold
    sweep: Sweep | None  # what the chosen rule is moved along
    value: float | None  # where it stands
    curve: ThresholdCurve | None
    found: Found | None
    beta: float

    @property
    def parameter(self) -> str:
        """What the curve's axis is called."""
        return self.sweep.label if self.sweep else "threshold"


def scored_turns(sets: Sequence[RelevanceSet], told: str, policy: GatePolicy) -> ScoredCases:
    """The sets with the gate's scores, made once for this content and this gate, with a bar."""

    def work(report: Callable[[str, float], None]) -> ScoredCases:
        def progress(stage: str, done: int, total: int, /) -> None:
            name, _, doing = stage.partition(": ")
            what = "reading turns for the first time" if "preparing" in doing else "scoring"
            what = "counting tokens" if doing == "tokens" else what
            report(f"{name}: {what}, {done:,} of {total:,} …", done / max(total, 1))

        return score_cases(sets, policy, progress=progress)

    return once(_box(told, policy.gate.fingerprint, repr(policy.encoder.identity)), work)


def try_rules(scored: ScoredCases, told: str, policy: GatePolicy, view: View) -> Trial:
    """The own rule, the chosen one, and the best for the view's goal."""
    place = f"{told} {policy.gate.fingerprint} {policy.encoder.identity!r}"
    own = Choice(policy.rule, policy.limits)
    choice = view.choice or own
    beta = view.aim if view.goal == "f_beta" else 1.0
    sweep = sweep_of(choice.rule)
    curve = found = best = None
    if sweep is not None:
        # Where its own parameter stands makes no difference to a rule's curve.
        curve = _curve(place, repr(at_value(choice.rule, sweep.low)), scored, choice)
        assert curve is not None
        found = find(
            curve, view.goal, view.aim, parameter=sweep.label, rule=choice.rule, scored=scored
        )  # fmt: skip
        if found.row is not None:
            rule = at_value(choice.rule, float(curve.thresholds[found.row]))
            best = _tried(place, repr((rule, choice.limits)), beta, scored, Choice(rule, choice.limits))
    return Trial(
        scored=scored,
        own=_tried(place, repr((own.rule, own.limits)), beta, scored, own),
        chosen=_tried(place, repr((choice.rule, choice.limits)), beta, scored, choice),
        best=best,
        sweep=sweep,
        value=value_of(choice.rule, learned=scored.learned),
        curve=curve,
        found=found,
        beta=beta,
    )


# A cached function cannot draw how far it is, so what is cached is the box for its result.
@st.cache_resource(max_entries=6, show_spinner=False)
def _box(told: str, fingerprint: str, identity: str) -> dict[str, Any]:
    return {}


@st.cache_resource(max_entries=32, show_spinner=False)
def _curve(place: str, rule: str, _scored: ScoredCases, _choice: Choice) -> ThresholdCurve | None:
    return _scored.curve(_choice.rule)


@st.cache_resource(max_entries=64, show_spinner=False)
def _tried(place: str, choice: str, beta: float, _scored: ScoredCases, _choice: Choice) -> Tried:
    kept = _scored.kept(_choice.rule, _choice.limits)
    return Tried(_choice, kept, _scored.figures(kept, beta=beta))
