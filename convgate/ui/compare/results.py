"""The policies on labelled conversations: recall over tokens, one sentence, a table with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize
from convgate.evaluation.comparison import compare
from convgate.evaluation.evaluate import pool_results
from convgate.evaluation.judged_cases import JudgedSet
from convgate.evaluation.results import SetResult
from convgate.figures.curves import recall_over_tokens_figure
from convgate.figures.layout import CONFIG
from convgate.policies.gate import GatePolicy
from convgate.training.library import SetInfo
from convgate.transcripts.characters import writable
from convgate.ui.compare.columns import Column, draw_failure, is_gate
from convgate.ui.compare.state import View, page
from convgate.ui.frame import App
from convgate.ui.label_sources import (
    describe_source,
    draw_too_few,
    draw_trained_on,
    pick_source,
    plain_name,
    read_labelled,
)
from convgate.ui.measurement import digest, is_measured, measure_policy
from convgate.ui.tables import interval_cell, markdown_table
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.versions.card import Metric

METRICS = {
    "recall": "Recall", "precision": "Precision", "f1": "F1", "map": "MAP", "kept_token_share": "Tokens kept",
}  # fmt: skip
_MAX_LABEL = 60  # characters of a policy's name


@dataclass(frozen=True, eq=False)
class Results:
    """All policies on one set, by their labels, and each one's F1 less the reference's."""

    result: SetResult
    reference: str
    f1_gains: Mapping[str, Metric]  # of all but the reference


def draw_results(
    app: App, view: View, columns: Sequence[Column], reference: Column, known: Mapping[str, SetInfo]
) -> None:
    """Draw the choice of labelled data, then the results or the button that computes them."""
    source = pick_source(page, known, view.data, "Measured on", measure=False)
    if source is None:
        return
    is_enough = draw_too_few(source.conversations)
    results = _measure(app, view, source, columns, reference, is_enough=is_enough)
    if results is None:
        return
    gates = [column.label for column in columns if is_gate(column.written)]
    if is_enough and (sentence := summary_sentence(results, gates)):
        st.markdown(f"##### {literal(sentence)}")
    gate_versions = [column.policy.version for column in columns if isinstance(column.policy, GatePolicy)]
    draw_trained_on(app, gate_versions, [source.name])
    _draw_chart(results.result)
    st.caption(describe_source(source))
    with st.container(key="compare-metrics"):
        st.markdown(results_table(results))
    st.caption("Each by its own rule. Ranges are 95% intervals over conversations; bold ones exclude 0.")


def _measure(
    app: App,
    view: View,
    source: SetInfo,
    columns: Sequence[Column],
    reference: Column,
    *,
    is_enough: bool,
) -> Results | None:
    """Return the results; None while a person has not asked for them, or when no policy can be measured.

    Raises TranscriptError when the set does not exist or cannot be read.
    """
    relevance_set, set_digest = read_labelled(app, source.name)
    is_complete = all(is_measured(set_digest, column.policy) for column in columns)
    if not is_complete and not view.measure:
        st.button(
            f"Measure {pluralize(len(columns), 'policy', 'policies')} on {literal(plain_name(source.name))}",
            key="compare.measure", type="primary" if is_enough else "secondary",
            icon=":material/play_arrow:", on_click=page.change, kwargs={"measure": True},
        )  # fmt: skip
        return None
    measured: dict[str, JudgedSet] = {}
    for column in columns:
        try:
            measured[column.label] = measure_policy(relevance_set, set_digest, column.policy)
        except ConvgateError as error:
            draw_failure(column.label, error)
    if not measured:
        return None
    digests = tuple((column.label, digest(column.policy)) for column in columns if column.label in measured)
    first = reference.label if reference.label in measured else next(iter(measured))
    return _results(set_digest, digests, first, measured)


@st.cache_resource(max_entries=32, show_spinner="Computing intervals …")
def _results(
    set_digest: str,
    digests: tuple[tuple[str, str], ...],
    reference: str,
    _measured: Mapping[str, JudgedSet],
) -> Results:
    result = pool_results(_measured)
    gains = {
        label: compare(result, baseline=reference, policy=label)["f1"]
        for label in _measured
        if label != reference
    }
    return Results(result, reference, gains)


def summary_sentence(results: Results, gates: list[str]) -> str:
    """Return how many tokens the first other gate, or else the first other ranking, needs for equal recall.

    Empty where no other policy ranks turns or reaches that recall.
    """
    policies, reference = results.result.policies, results.reference
    own = policies[reference].overall
    recall, share = own["recall"].value, own["kept_token_share"].value
    if recall is None or not share:
        return "No labelled turn is relevant, so recall is undefined."
    for label in (*gates, *policies):
        curve = policies[label].curve if label in results.f1_gains else None
        if curve is not None and (reached := curve.recall >= recall - 1e-9).any():
            saved = 1 - float(curve.kept_token_share[reached].min()) / share
            change = f"{abs(saved):.0%} {'fewer' if saved > 0 else 'more'}"
            count = change if round(saved, 2) else "as many"
            return f"At {reference}'s recall of {recall:.2f}, {label} sends {count} tokens."
    return ""


def _draw_chart(result: SetResult) -> None:
    curves = {label: policy.curve for label, policy in result.policies.items() if policy.curve is not None}
    choices = {label: policy.overall for label, policy in result.policies.items()}
    points = "; ".join(
        f"{label}: recall {recall:.0%} with {share:.0%} of the tokens"
        for label, summary in choices.items()
        if (recall := summary["recall"].value) is not None
        and (share := summary["kept_token_share"].value) is not None
    )
    st.plotly_chart(
        recall_over_tokens_figure(curves, choices, palette=current_palette()), theme=None, config=CONFIG,
        key="compare.chart", alt=writable(f"Recall over tokens kept. {points}."),
    )  # fmt: skip
    st.caption(
        "Marks are the policies' own rules, lines all other thresholds. Higher and further left is better."
    )


def results_table(results: Results) -> str:
    """Return a Markdown table: a row for each policy, its metrics and its difference from the reference."""
    rows = []
    for label, policy in results.result.policies.items():
        row = [f"**{literal(label, limit=_MAX_LABEL)}**"]
        row += [interval_cell(policy.overall[metric]) for metric in METRICS]
        gain = results.f1_gains.get(label)
        rows.append([*row, "reference" if gain is None else interval_cell(gain, is_difference=True)])
    return markdown_table(["", *METRICS.values(), "F1 vs. reference"], rows, numbers=True)
