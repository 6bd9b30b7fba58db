"""The report of an experiment: verdicts, looks, outcomes of each arm, charts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st

from convgate.core.settings import Settings
from convgate.core.text import format_number, format_share, join_words, pluralize
from convgate.experiments.arms import Experiment, Hypothesis
from convgate.experiments.example import record_example
from convgate.experiments.outcomes import ERROR_KINDS
from convgate.experiments.power import BASELINE, PowerPlan
from convgate.experiments.report import ExperimentReport, TrialFigures, report
from convgate.experiments.signals import Share
from convgate.experiments.verdict import MIN_GAINS
from convgate.store.database import Store
from convgate.store.experiments import Experiments
from convgate.ui.experiments.state import draw_back, page
from convgate.ui.shared.actions import ActionResult, run_action
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import MONITOR
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.text import literal
from convgate.versions.card import Metric

_BOXES = {
    "success": (st.success, ":material/check_circle:"),
    "failure": (st.error, ":material/cancel:"),
    "inconclusive": (st.info, ":material/help:"),
}
_RESULTS = {
    "success": "is better than",
    "failure": "is worse than",
    "inconclusive": "is not clearly different from",
}
_RULE = (
    f"Success: with the control's tokens, {MIN_GAINS['completion']:.0%} more requests completed or"
    f" {MIN_GAINS['errors']:.0%} fewer errors, and significantly so. Failure: significantly worse."
    " Otherwise inconclusive."
)
_RULE_DETAILS = (
    "Shares are relative to the control's. A success must also be significant when compared at equal tokens,"
    " or the length of the context could explain it. Confirmatory: the variant had the control's tokens."
    " Supporting: its tokens were free, so it can fail but not succeed."
)
_POWER_DETAILS = (
    "Two-sided, for trials of one session that are alike (5 in each, correlation 0.05). A success also needs"
    " an observed gain of that size, which half of the experiments with exactly that true gain have."
)
_EXAMPLE = """\
experiment = convgate.load_experiment({!r})
selection = experiment.select(session_id, messages)  # send selection.messages
experiment.record(selection, answer=answer, seconds=seconds)
"""
_RATES: dict[Hypothesis, str] = {"completion": "Completed", "errors": "With errors"}
_SIGNALS = {
    "error_repeated_when_sent": "error repeated, wrong answer sent",
    "error_repeated_when_dropped": "error repeated, wrong answer dropped",
    "assistant_turns_sent": "assistant's turns sent",
    "user_turns_sent": "user's turns sent",
    "own_phrases": "phrases from own earlier answers",
    "needed_tokens": "tokens of needed turns, of those sent",
}


def draw_report(app: App, experiment: Experiment) -> None:
    """Draw the result, what to do next, the outcomes, and how it is decided."""
    draw_back()
    st.subheader(literal(experiment.name), anchor=False)
    shown = report(app.store, experiment)
    _draw_results(shown)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**Next:** {literal(next_step(experiment, shown))}", width="content")
        if any(comparison.verdict.kind == "success" for comparison in shown.comparisons):
            st.page_link(
                MONITOR, label="Open the rollout", icon=":material/arrow_forward:",
                query_params={"on": "rollout"},
            )  # fmt: skip
        st.button(
            f"Rate answers ({shown.unrated:,})", key="experiments.rate",
            type="primary" if shown.rated < experiment.stops[-1] else "secondary",
            icon=":material/rate_review:", on_click=page.change, kwargs={"rate": True},
            disabled=not shown.unrated and shown.judge is None,
        )  # fmt: skip
    _draw_outcomes(experiment, shown)
    with st.expander("How it is decided", icon=":material/gavel:"):
        reached = sum(stop <= shown.rated for stop in experiment.stops)
        st.markdown(
            f"{_RULE}\n\n{_RULE_DETAILS}\n\n{shown.rated:,} of {shown.planned:,} planned trials rated,"
            f" {reached:,} of {pluralize(len(experiment.stops), 'look')} reached."
            f" {_power(experiment, shown)} {_POWER_DETAILS}"
        )
    _draw_actions(app, experiment, shown)


def draw_example(settings: Settings) -> None:
    """Draw the results of an experiment with simulated answers."""
    with st.container(border=True):
        st.subheader("Example: a finished experiment", anchor=False)
        st.markdown("The answers are simulated: the figures say nothing about the policies.")
        experiment, shown = _example(settings)
        _draw_results(shown)
        _draw_outcomes(experiment, shown)


@st.cache_resource(max_entries=1, show_spinner="Simulating an experiment …")
def _example(_settings: Settings) -> tuple[Experiment, ExperimentReport]:
    with TemporaryDirectory() as folder, closing(Store(Path(folder, "example.db"))) as store:
        experiment = record_example(store, _settings)
        return experiment, report(store, experiment)


def _draw_results(shown: ExperimentReport) -> None:
    for comparison, result in zip(shown.comparisons, result_sentences(shown), strict=True):
        box, icon = _BOXES[comparison.verdict.kind]
        box(f"**{literal(result)}**  \n{literal(comparison.verdict.sentence)}", icon=icon)


def result_sentences(shown: ExperimentReport) -> list[str]:
    """Return the result of each variant in words."""
    control, *arms = shown.arms
    waits = f"not decided yet: {shown.rated:,} of {shown.planned:,} answers rated"
    sentences = []
    for arm, comparison in zip(arms, shown.comparisons, strict=True):
        kind = comparison.verdict.kind
        if kind == "inconclusive" and shown.rated < shown.planned:
            sentences.append(f"{arm.arm} or {control.arm} is {waits}.")
            continue
        parts = [
            f"{format_share(own)} {noun} instead of {format_share(other)}"
            for noun, own, other in (
                ("completed", arm.completion_rate, control.completion_rate),
                ("with errors", arm.error_rate, control.error_rate),
            )
            if own is not None and other is not None
        ]
        if arm.tokens is not None and control.tokens:
            change = arm.tokens / control.tokens - 1
            parts.append(f"{format_share(abs(change))} {'fewer' if change <= 0 else 'more'} tokens")
        sentences.append(f"{arm.arm} {_RESULTS[kind]} {control.arm}: {', '.join(parts)}.")
    return sentences


def _draw_outcomes(experiment: Experiment, shown: ExperimentReport) -> None:
    if not sum(arm.trials for arm in shown.arms):
        st.caption("No trials yet. In your agent, or by `convgate experiment assign` and `record`:")
        st.code(_EXAMPLE.format(experiment.name), language="python")
        return
    if (judge := shown.judge) is not None:
        sentence = (
            f"The judge rated {pluralize(judge.judged, 'trial')}; people disagree on {judge.disagreed:,} of"
            f" {judge.checked:,} checked ones."
        )
        if judge.is_paused:
            st.warning(f"The judge is paused. {sentence}", icon=":material/pause_circle:")
        else:
            st.caption(f":material/smart_toy: {sentence}")
    st.markdown(_main_table(shown))
    with st.expander("All figures", icon=":material/table:"):
        table = markdown_table(("", *(literal(arm.arm) for arm in shown.arms)), _rows(shown), numbers=True)
        st.markdown(table)


def _power(experiment: Experiment, shown: ExperimentReport) -> str:
    """Return how probable it is to find the smallest gain that counts, from the control's rate so far."""
    baseline = shown.arms[0].completion_rate or BASELINE
    target = min(baseline * (1 + MIN_GAINS["completion"]), 0.99)
    if baseline >= target:
        return "The control completes almost all requests, so no gain can be found in completion."
    power = PowerPlan(baseline, target, alpha=experiment.alpha).power_at(experiment.planned)
    return (
        f"Power: {experiment.planned:,} rated trials of each variant find a rise from"
        f" {format_share(baseline)} to {format_share(target)} completed with probability"
        f" {format_number(power)}."
    )


def next_step(experiment: Experiment, shown: ExperimentReport) -> str:
    """Return what to do after reading the report."""
    verdicts = {comparison.arm: comparison.verdict.kind for comparison in shown.comparisons}
    if winners := [arm for arm, kind in verdicts.items() if kind == "success"]:
        return f"roll out {join_words(winners, last='or')} step by step."
    following = next((stop for stop in experiment.stops if stop > shown.rated), None)
    if not any(arm.trials for arm in shown.arms):
        return "select in the variant of each session and record its trials, as below."
    if set(verdicts.values()) == {"failure"}:
        return f"keep {experiment.control.name}."
    if following is None:
        return f"keep {experiment.control.name}, or create an experiment with more trials."
    if shown.unrated:
        return f"rate the answers that wait; the verdict is read at {following:,} rated trials."
    return f"record more trials; the verdict is read at {following:,} rated trials."


def _draw_actions(app: App, experiment: Experiment, shown: ExperimentReport) -> None:
    with st.container(horizontal=True):
        st.download_button(
            "Download report", json.dumps(shown.to_json(), indent=2), file_name=f"{experiment.name}.json",
            mime="application/json", on_click="ignore", icon=":material/download:",
            key="experiments.download",
        )  # fmt: skip
        with st.popover("Delete", icon=":material/delete:"):
            st.caption("Deletes its trials and ratings. This cannot be undone.")
            st.button(
                "Delete experiment", key="experiments.delete", on_click=run_action,
                args=(page, partial(_delete, app, experiment.name)),
            )  # fmt: skip


def _main_table(shown: ExperimentReport) -> str:
    """Return what decides, with a row for each arm, as Markdown; without what has no outcome yet."""
    arms = shown.arms
    columns = {"": [f"**{literal(arm.arm)}**" for arm in arms]}
    for hypothesis, name in _RATES.items():
        rates = [_rate(arm, hypothesis) for arm in arms]
        if any(rate is not None for rate in rates):
            columns[name] = [_cell(rate, format_share) for rate in rates]
            columns[f"{name}, vs. {literal(arms[0].arm)}"] = ["–", *_differences(shown, hypothesis)]
    columns["Tokens of a request"] = [_cell(arm.tokens, "{:,.0f}".format) for arm in arms]
    return markdown_table(tuple(columns), zip(*columns.values(), strict=True), numbers=True)


def _rows(shown: ExperimentReport) -> Iterator[tuple[str, ...]]:
    """Return the other rows."""
    arms = shown.arms
    yield "Token limit", *("as the control" if arm.limit == "matched" else "free" for arm in arms)
    yield "Sessions", *(f"{arm.sessions:,}" for arm in arms)
    yield "Rated trials", *(f"{arm.rated:,} of {arm.trials:,}" for arm in arms)
    for kind in ERROR_KINDS:
        yield kind.replace("_", " "), *(_cell(arm.errors[kind], format_share) for arm in arms)
    yield "Focus, 1 to 5", *(_cell(arm.focus, format_number) for arm in arms)
    yield "Latency, median", *(_cell(arm.latency_p50_seconds, "{:.1f} s".format) for arm in arms)
    yield "Latency, p95", *(_cell(arm.latency_p95_seconds, "{:.1f} s".format) for arm in arms)
    for name, label in _SIGNALS.items():
        shares: list[Share] = [getattr(signals, name) for signals in shown.signals]
        if any(share.total for share in shares):
            yield label, *(_cell(share.value, format_share) for share in shares)


def _rate(arm: TrialFigures, hypothesis: Hypothesis) -> float | None:
    return arm.completion_rate if hypothesis == "completion" else arm.error_rate


def _differences(shown: ExperimentReport, hypothesis: Hypothesis) -> Iterator[str]:
    tests = {(each.arm, test.hypothesis): test for each in shown.comparisons for test in each.tests}
    for arm in shown.arms[1:]:
        found = tests[arm.arm, hypothesis].difference
        metric = None if found is None else Metric(found.value, found.low, found.high)
        yield interval_cell(metric, is_difference=True)


def _cell(value: float | None, format_value: Callable[[float], str]) -> str:
    return "–" if value is None else format_value(value)


def _delete(app: App, name: str) -> ActionResult:
    Experiments(app.store).delete(name)
    page.change(experiment=None)
    return ActionResult(f"Deleted **{literal(name)}**.")
