"""What the tried rule does on labelled turns, compared with the version's own and the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.core.text import pluralize
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.metrics import Bools
from convgate.evaluation.results import Measure
from convgate.evaluation.sweeps import Sweep, at_value, sweep_of, value_of
from convgate.evaluation.tuning import Figures, ScoredCases, score_cases
from convgate.policies.gate import GatePolicy
from convgate.transcripts import RelevanceSet
from convgate.ui.choice import Choice
from convgate.ui.measurement import once
from convgate.ui.tune.goals import GoalResult, find
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
    found: GoalResult | None
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


_UNDEFINED = "–"


def draw_numbers(trial: Trial) -> None:
    """The sentence about the rule that is tried, then all figures side by side."""
    st.markdown(words(trial))
    tried: dict[str, Tried] = {"Now": trial.own, "Tried": trial.chosen}
    if trial.best is not None:
        tried["Best"] = trial.best
    columns = [_column(one, trial.beta, trial.scored.learned) for one in tried.values()]
    lines = [f"|  | {' | '.join(tried)} |", "| --- |" + " ---: |" * len(tried)]
    lines += [
        f"| {name} | {' | '.join(column[name] for column in columns)} |"
        for name in dict.fromkeys(name for column in columns for name in column)
    ]
    with st.container(key="tune-numbers"):
        st.markdown("\n".join(lines))
    few = trial.scored.conversations < 2
    st.caption(
        "In brackets: 95% intervals over conversations; one conversation cannot give them."
        if few
        else "In brackets: 95% intervals over conversations."
    )


def words(trial: Trial) -> str:
    """What the rule that is tried does, against the version's own."""
    now, tried = trial.own.figures, trial.chosen.figures
    told = (
        f"Of **{pluralize(tried.turns, 'labelled turn')}**, {tried.relevant:,} matter."
        f" The rule that is tried keeps {_kept(tried)}"
    )
    if trial.own.choice.same(trial.chosen.choice):
        return f"{told}. It is the version's own rule."
    return f"{told}. The version's own rule keeps {_kept(now)}."


def _kept(figures: Figures) -> str:
    return (
        f"{figures.hits:,} of them and drops {figures.false_drops:,}; it also keeps"
        f" {figures.false_keeps:,} that {'does' if figures.false_keeps == 1 else 'do'} not matter"
    )


def _column(tried: Tried, beta: float, learned: float) -> dict[str, str]:
    figures, rule = tried.figures, tried.choice.rule
    return {
        "Rule": rule.label.partition(":")[0],
        "Where it stands": ", ".join(tried.choice.numbers(learned=learned)),
        "Precision": _share(figures.precision),
        "Recall": _share(figures.recall),
        f"F{beta:g}": _share(figures.f_beta),
        "Turns kept": f"{figures.kept:,} · {_percent(figures.kept_share)}",
        "Tokens kept": f"{figures.tokens_kept:,} · {_percent(figures.token_share)}",
        "Kept, but does not matter": f"{figures.false_keeps:,} · {_percent(figures.false_keep_share)}",
        "Dropped, but matters": f"{figures.false_drops:,} · {_percent(figures.false_drop_share)}",
    }


def _share(measure: Measure) -> str:
    if measure.value is None:
        return _UNDEFINED
    if measure.low is None or measure.high is None:
        return f"{measure.value:.2f}"
    return f"{measure.value:.2f} ({measure.low:.2f} to {measure.high:.2f})"


def _percent(measure: Measure) -> str:
    if measure.value is None:
        return _UNDEFINED
    if measure.low is None or measure.high is None:
        return f"{measure.value:.0%}"
    return f"{measure.value:.0%} ({measure.low:.0%} to {measure.high:.0%})"
