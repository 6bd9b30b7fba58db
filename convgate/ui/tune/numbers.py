"""What each rule does on the labelled turns, in words and in a table."""

from __future__ import annotations

import streamlit as st

from convgate.evaluation.results import Measure
from convgate.evaluation.tuning import Figures
from convgate.ui.tune.trial import Trial, Tried
from convgate.ui.wording import counted

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
        f"Of **{counted(tried.turns, 'labelled turn')}**, {tried.relevant:,} matter."
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
