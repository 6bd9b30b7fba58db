"""Replay: which of the turns that answers need each arm sends, on labelled conversations, without a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import format_share, pluralize
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.experiments.arms import read_arm
from convgate.experiments.replay import RECALL, Budget, RandomOrder, ReplayRow
from convgate.experiments.replay import replay as run_replay
from convgate.experiments.selection import ArmSelector
from convgate.figures.experiments import OutcomePoint, describe_outcomes, outcome_over_tokens_figure
from convgate.policies.gate import GatePolicy
from convgate.training.library import SetInfo
from convgate.ui.experiments.state import BudgetName, ExperimentsState, arm_label, draw_arms, page
from convgate.ui.shared import scoring
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.label_sources import (
    describe_source,
    draw_trained_on,
    few_conversations,
    pick_source,
    plain_name,
    read_labelled,
    sources,
    usable,
)
from convgate.ui.shared.results_cache import compute_if_asked, digest
from convgate.ui.shared.tables import format_points, interval_cell, markdown_table
from convgate.ui.shared.text import literal, make_labels_unique
from convgate.ui.shared.theme import current_palette

_BUDGETS: Mapping[BudgetName, str] = {
    "matched": "As the control", "free": "Free", "share": "Share of the history",
}  # fmt: skip
_SOURCES = "A policy such as last_k(k=5) or gate@NAME, or alone:POLICY, by its ranking alone."


def draw_replay(app: App, state: ExperimentsState) -> None:
    """Draw the results, then the choices."""
    known = sources(app)
    state, missing = state.drop_unknown(None, data=known)
    # Named in the address, for what a link opens must not depend on later labels.
    state = replace(state, data=state.data or next(iter(usable(known)), None))
    page.keep(state, missing)
    results = st.container()
    with st.expander("Options", expanded=state.data is None, icon=":material/tune:"):
        source = pick_source(page, known, state.data, "Replayed conversations")
        draw_arms(
            app, page.control("control"), page.control("arms"), sources=_SOURCES, further=[RandomOrder.name],
        )  # fmt: skip
        _draw_budgets(state)
    if source is None:
        return
    if not (state.arms and state.budgets):
        st.info("Choose a policy and its tokens.", icon=":material/info:")
        return
    with results:
        _draw_replayed(app, state, source)


def _draw_replayed(app: App, state: ExperimentsState, source: SetInfo) -> None:
    try:
        labels = make_labels_unique(
            {text: arm_label(text, app.settings) for text in (state.control, *state.arms)}
        )
        arms = [_load_arm(app, label, text) for text, label in labels.items()]
        rows = _measure(app, state, source, arms)
    except ConvgateError as error:
        show_problem(error)
        return
    if rows is not None:
        _draw_results(app, source, arms, rows)


def _draw_budgets(state: ExperimentsState) -> None:
    st.pills(
        "Tokens of each", list(_BUDGETS), selection_mode="multi", format_func=_BUDGETS.__getitem__,
        help="Only with equal tokens does a higher recall mean a better choice of turns.",
        **page.control("budgets"),
    )  # fmt: skip
    if "share" in state.budgets:
        st.slider(
            "Share of the history's tokens", 0.05, 1.0, step=0.05, format="percent",
            **page.control("share"),
        )  # fmt: skip


def _load_arm(app: App, label: str, text: str) -> ArmSelector:
    """Return the arm under its label; raises as `read_arm`, and for what cannot be built."""
    if text == RandomOrder.name:
        return ArmSelector.of(label, RandomOrder(), app.settings, alone=True)
    arm = read_arm("arm", text, "free", app.settings)
    option = text.removeprefix("alone:")
    policy = scoring.load_policy(app, "last_k(k=0)" if option == "none" else option)
    return ArmSelector.of(label, policy, arm.settings, alone=arm.alone)


def _measure(
    app: App, state: ExperimentsState, source: SetInfo, arms: Sequence[ArmSelector]
) -> list[ReplayRow] | None:
    """Return the rows; None after a person has stopped the replay."""
    relevance_set, set_digest = read_labelled(app, source.name)
    budgets: list[Budget] = [state.share if name == "share" else name for name in state.budgets]
    selects = [f"{arm.name} {digest(arm.policy)}" for arm in arms]
    key = f"replay {set_digest} {selects} {budgets} {app.settings.model_dump_json()}"

    def work(progress: EvaluationProgress) -> list[ReplayRow]:
        progress("Preparing", 0, source.cases)  # encoding turns for the first time takes a while
        return run_replay(relevance_set, arms, budgets, progress=progress).rows()

    return compute_if_asked(page, "measure", key, f"Replay {pluralize(source.cases, 'message')}", work)


def _draw_results(app: App, source: SetInfo, arms: Sequence[ArmSelector], rows: Sequence[ReplayRow]) -> None:
    if sentence := summary_sentence(rows):
        st.markdown(f"##### {literal(sentence + few_conversations(source.conversations))}.")
    st.caption(
        f"{describe_source(source)}. Counted are needed turns that are sent within equal tokens;"
        " Compare counts messages that get all they need, by each policy's own rule."
    )
    policies = [arm.policy for arm in arms]
    draw_trained_on(app, [each.version for each in policies if isinstance(each, GatePolicy)], [source.name])
    points = [
        OutcomePoint(row.arm, row.measures["tokens"].value or 0.0, row.measures[RECALL], limit)
        for row, limit in sorted(_with_limits(rows), key=lambda pair: bool(pair[0].gains))  # control first
    ]
    title = "needed turns sent"
    figure = outcome_over_tokens_figure(points, current_palette(), title=title, height=360)
    draw_figure(figure, "experiments.chart", describe_outcomes("Needed turns sent", points))
    st.caption("Higher and further left is better.")
    with st.expander("All figures", icon=":material/table:"):
        with st.container(key="experiments-replay"):
            st.markdown(replay_table(rows))
        st.caption("Ranges are 95% intervals over conversations; bold ones exclude 0.")
        st.download_button(
            "Export CSV table", partial(_to_csv, rows), file_name=f"replay-{plain_name(source.name)}.csv",
            mime="text/csv", key="experiments.csv", on_click="ignore", icon=":material/download:",
        )  # fmt: skip


def _to_csv(rows: Sequence[ReplayRow]) -> str:
    """Return a line for each arm and budget with all measures, their intervals and gains."""
    return str(pd.json_normalize([row.to_json() for row in rows]).to_csv(index=False))


def _with_limits(rows: Sequence[ReplayRow]) -> list[tuple[ReplayRow, str]]:
    """Return the rows with their budgets in words; that of a control for matched arms alone is theirs."""
    budgets = {row.budget for row in rows if row.gains}
    words: dict[Budget, str] = {"matched": "as the control", "free": "free"}
    if "free" not in budgets:
        words["free"] = words["matched"]
    return [(row, words.get(row.budget) or f"{row.budget:.0%} of the history") for row in rows]


def summary_sentence(rows: Sequence[ReplayRow]) -> str:
    """Return who wins by how much on how many requests, without a period; empty where nothing is needed."""
    compared = [(gain, row) for row in rows if (gain := row.gains.get(RECALL)) and gain.value is not None]
    if not compared:
        return ""
    gain, best = max(compared, key=lambda pair: pair[0].value or 0.0)
    control = next(
        row for row in rows if not row.gains and (row.budget == best.budget or row.budget == "free")
    )
    value = gain.value or 0.0
    first, second = (best, control) if value > 0 else (control, best)
    wins = f"{first.arm} wins by {format_points(abs(value)).lstrip('+')} points"
    tokens = [f"{row.measures['tokens'].value or 0.0:,.0f}" for row in (first, second)]
    shares = [format_share(row.measures[RECALL].value or 0.0) for row in (first, second)]
    return (
        f"{wins if gain.excludes_0 else 'No winner yet'}: {first.arm} sends {shares[0]} of what"
        f" {pluralize(best.requests, 'message')} need{'s' * (best.requests == 1)} in {tokens[0]} tokens,"
        f" {second.arm} {shares[1]} in {tokens[1]}"
    )


def replay_table(rows: Sequence[ReplayRow]) -> str:
    """Return a Markdown table: a row for each arm and budget."""
    head = (
        "", "Tokens", "Needed turns sent", "vs. control, points", "All needed sent", "Tokens sent",
        "Of the history",
    )  # fmt: skip
    return markdown_table(head, [_cells(row, limit) for row, limit in _with_limits(rows)], numbers=True)


def _cells(row: ReplayRow, limit: str) -> tuple[str, ...]:
    measures, gain = row.measures, row.gains.get(RECALL)
    tokens, share = measures["tokens"].value, measures["token_share"].value
    return (
        f"**{literal(row.arm, limit=60)}**",
        limit,
        interval_cell(measures[RECALL]),
        "control" if gain is None else interval_cell(gain, is_difference=True),
        interval_cell(measures["complete"]),
        "–" if tokens is None else f"{tokens:,.0f}",
        "–" if share is None else format_share(share),
    )
