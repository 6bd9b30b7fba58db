"""Compare from top to bottom: the answer in a sentence, what to look at, the figures and turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.errors import ConvgateError, PolicyError
from convgate.core.text import format_share, join_words, pluralize
from convgate.evaluation.comparison import compare
from convgate.evaluation.evaluate import pool_results
from convgate.evaluation.judged_cases import JudgedSet
from convgate.evaluation.metrics import BUDGETS, METRICS
from convgate.evaluation.results import SetResult
from convgate.figures.curves import answers_over_tokens_figure
from convgate.policies.gate import GatePolicy
from convgate.policies.spec import read_policy
from convgate.training.library import SetInfo
from convgate.ui.compare.bill import draw_bill, draw_choices, priced_models
from convgate.ui.compare.chats import draw_chats
from convgate.ui.compare.conversation import draw_conversation
from convgate.ui.compare.state import (
    START,
    Column,
    CompareState,
    View,
    build_columns,
    check_column,
    draw_failures,
    is_gate,
    page,
    without_repeats,
)
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import (
    LABELS,
    describe_source,
    draw_trained_on,
    few_conversations,
    pick_source,
    read_measured,
    sources,
    usable,
)
from convgate.ui.shared.policy_options import option_label, option_labels
from convgate.ui.shared.results_cache import digest, measure_policy
from convgate.ui.shared.session_state import end_page, put
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.text import literal, make_labels_unique
from convgate.ui.shared.theme import current_palette
from convgate.versions.card import Metric

_STYLE = Path(__file__).with_name("compare.css")
_POLICIES, _REFERENCE = "compare.policies", "compare.reference"
_MIN_LABELLED = 9  # conversations with labels to open on: as many as show a promise of 10%
EQUAL = 0.35  # of the history's tokens, one of BUDGETS
_COLUMNS = {
    "kept_token_share": "Tokens sent", "missed": "Needed turns missed",
    f"answerable@{EQUAL:.0%}": f"All needed at {EQUAL:.0%} of the tokens",
}  # fmt: skip
_VIEWS = {
    "chats": "All my chats", "turns": "Labelled turns", "conversation": "One conversation", "bill": "Bill",
}  # fmt: skip
_MAX_LABEL = 60  # characters of a policy's name


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    options, known = option_labels(app.settings), sources(app)
    state, missing = state.with_known(options, known, priced_models(app.settings))
    page.keep(state, [*problems, *missing])
    show = state.show or _first_view(app, known)
    data = state.data if state.data in usable(known) else next(iter(usable(known)), None)
    answer, billed, model, source = st.container(), "", "", None
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        page.draw_choice("show", "Show", _VIEWS, show)
        options_box = st.popover("Options", icon=":material/tune:")
    with options_box:
        labels = _draw_policies(app, state, options, has_reference=show != "bill")
        if show == "bill":
            billed, model = draw_choices(app, state, known)
        elif show == "turns":
            source = pick_source(page, known, data, "Measured on")
    if len(state.policies) < 2:
        st.info("Select at least two policies.", icon=":material/compare_arrows:")
        st.button(
            "Compare the last turns and the gate", key="compare.start", icon=":material/add:",
            on_click=page.change, kwargs={"policies": START, "reference": None},
        )  # fmt: skip
        return
    columns = build_columns(app, state.policies, labels)
    if not columns:
        return
    reference = next((column for column in columns if column.written == state.compared_with), columns[0])
    if show == "bill":
        draw_bill(app, state, columns, labels, billed, model, answer)
    elif show == "conversation":
        draw_conversation(app, state, columns, reference, answer)
    elif source is not None:
        draw_results(app, source, columns, reference, answer)
    elif show == "chats" and draw_chats(app, state, columns, reference, answer):
        end_page()
        st.rerun()  # what there is can be read while the rest is compared


def _first_view(app: App, known: Mapping[str, SetInfo]) -> View:
    """Return what says most about this person's conversations: the labels, of too few the library."""
    is_labelled = known[LABELS].conversations >= _MIN_LABELLED
    return "turns" if is_labelled or not app.conversations.keys() else "chats"


def _draw_policies(
    app: App, state: CompareState, options: Mapping[str, str], *, has_reference: bool
) -> dict[str, str]:
    """Draw the choice of policies and of the reference; return the labels of all policies by their text."""
    offered = without_repeats((*map(read_policy, options), *state.policies))
    labels = make_labels_unique(
        {column.to_text(): option_label(column.to_text(), app.settings) for column in offered}
    )
    texts = [column.to_text() for column in state.policies]
    reference = state.compared_with.to_text() if state.compared_with else None
    put(_POLICIES, texts)
    st.multiselect(
        "Policies", list(labels), key=_POLICIES, format_func=lambda text: labels.get(text, text),
        on_change=_select, accept_new_options=True, select_all=False,
        placeholder="Select policies or versions",
        help="Type last_k(k=5) or gate(rule=top_k, k=5) for other parameters than the settings have.",
    )  # fmt: skip
    if reference is not None and has_reference:
        put(_REFERENCE, reference)
        st.selectbox(
            "Compared with", texts, key=_REFERENCE, format_func=labels.__getitem__,
            on_change=lambda: page.change(reference=read_policy(st.session_state[_REFERENCE])),
            help="The reference: differences are measured against it.",
        )  # fmt: skip
    return labels


def _select() -> None:
    policies = []
    for text in st.session_state[_POLICIES]:
        try:
            check_column(policy := read_policy(text))
        except PolicyError as error:
            st.toast(literal(str(error)), icon=":material/error:")
        else:
            policies.append(policy)
    reference = page.now().reference
    page.change(policies=without_repeats(policies), reference=reference if reference in policies else None)


@dataclass(frozen=True, eq=False)
class Results:
    """All policies on one set, by their labels, and each one's share of answerable cases less the first's."""

    result: SetResult
    reference: str
    gains: Mapping[str, Metric]  # of all but the reference


def draw_results(
    app: App,
    source: SetInfo,
    columns: Sequence[Column],
    reference: Column,
    answer: DeltaGenerator,
) -> None:
    """Draw the results on labelled data, the sentence in `answer`."""
    with answer:
        results = _measure(app, source, columns, reference)
    if results is None:
        return
    gates = [column.label for column in columns if is_gate(column.written)]
    first, *rest = summary_sentences(results, gates)
    answer.markdown(f"##### {literal(first)}")
    if rest:
        answer.markdown(literal(" ".join(rest)))
    st.caption(f"{describe_source(source)}.")
    gate_versions = [column.policy.version for column in columns if isinstance(column.policy, GatePolicy)]
    draw_trained_on(app, gate_versions, [source.name])
    _draw_chart(results.result)
    with st.expander("All figures", icon=":material/table:"):
        st.markdown(
            f"Each row is a policy, with what its own rule keeps; the last column gives each the same"
            f" {EQUAL:.0%} of the tokens. Ranges are 95% intervals over conversations; bold ones exclude 0."
        )
        with st.container(key="compare-metrics"):
            st.markdown(results_table(results))


def _measure(app: App, source: SetInfo, columns: Sequence[Column], reference: Column) -> Results | None:
    """Return the results; None when no policy can be measured.

    Raises TranscriptError when the set does not exist or cannot be read.
    """
    labelled = read_measured(app, source.name)
    measured: dict[str, JudgedSet] = {}
    for column in columns:
        try:
            measured[column.label] = measure_policy(labelled, column.policy)
        except ConvgateError as error:
            draw_failures({column.label: str(error)})
    if not measured:
        return None
    digests = tuple((column.label, digest(column.policy)) for column in columns if column.label in measured)
    first = reference.label if reference.label in measured else next(iter(measured))
    return _results(labelled.digest, digests, first, measured)


@st.cache_resource(max_entries=32, show_spinner="Computing intervals …")
def _results(
    set_digest: str,
    digests: tuple[tuple[str, str], ...],
    reference: str,
    _measured: Mapping[str, JudgedSet],
) -> Results:
    result = pool_results(_measured)
    gains = {
        label: compare(result, baseline=reference, policy=label)["answerable"]
        for label in _measured
        if label != reference
    }
    return Results(result, reference, gains)


def summary_sentences(results: Results, gates: list[str]) -> list[str]:
    """Return what the first other gate, or else the first other policy, and the reference send.

    First at equal tokens, where both rank turns; then by their own rules.
    """
    names = (*gates, *results.result.policies)
    label = next((name for name in names if name in results.gains), results.reference)
    pair = [label, results.reference] if label != results.reference else [label]
    result = results.result
    doubt = few_conversations(result.conversations)
    answered, asked = _count(result, pair, "answerable")
    shares = [result.policies[name].overall["kept_token_share"].value for name in pair]
    if not asked or None in shares:
        return ["No labelled turn is relevant, so there is nothing that could be missed."]
    messages = f"all that is needed for {{:,}} of {pluralize(asked, 'message')}"
    tokens = [f"with {format_share(share or 0.0)}" for share in shares]
    own = f"{label} sends {messages.format(answered[0])}, {tokens[0]} of the tokens"
    if len(pair) > 1:
        own += f", {pair[1]} for {answered[1]:,}, {tokens[1]}"
    equal, n_ranked = _count(result, pair, f"answerable@{EQUAL:.0%}")
    if n_ranked != asked or len(pair) == 1:
        return [f"{own}{doubt}."]
    return [
        f"With the same {EQUAL:.0%} of the tokens, {label} sends {messages.format(equal[0])},"
        f" {pair[1]} for {equal[1]:,}{doubt}.",
        f"By their own rules, {own}.",
    ]


def _count(result: SetResult, names: Sequence[str], metric: str) -> tuple[list[int], int]:
    """Return in how many cases each policy fulfils the metric, and the fewest cases in which one could."""
    column = METRICS.index(metric)
    sums = [result.policies[name].terms[:, :, column].sum(axis=0).astype(int).tolist() for name in names]
    return [done for done, _ in sums], min(cases for _, cases in sums)


def _draw_chart(result: SetResult) -> None:
    policies = {label: policy.overall for label, policy in result.policies.items()}
    points = "; ".join(
        f"{label}: {answerable:.0%} with {share:.0%} of the tokens"
        for label, summary in policies.items()
        if (answerable := summary["answerable"].value) is not None
        and (share := summary["kept_token_share"].value) is not None
    )
    figure = answers_over_tokens_figure(policies, palette=current_palette())
    draw_figure(figure, "compare.chart", f"Messages with all needed turns sent, over tokens sent. {points}.")
    st.caption(
        "Marks: what the policies' own rules send. Dots on lines: their best turns within"
        f" {join_words([f'{budget:.0%}' for budget in BUDGETS])} of the tokens. Higher and further left is"
        " better."
    )


def results_table(results: Results) -> str:
    """Return a Markdown table: a row for each policy, its metrics and its difference from the reference."""
    rows = []
    for label, policy in results.result.policies.items():
        gain = results.gains.get(label)
        rows.append(
            [
                f"**{literal(label, limit=_MAX_LABEL)}**",
                interval_cell(policy.overall["answerable"]),
                "reference" if gain is None else interval_cell(gain, is_difference=True),
                *(interval_cell(policy.overall[metric]) for metric in _COLUMNS),
            ]
        )
    return markdown_table(
        ["", "All needed sent", "vs. reference, points", *_COLUMNS.values()], rows, numbers=True
    )
