"""Compare from top to bottom: the policies, what they find for how many tokens, one conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import streamlit as st

from convgate.core.errors import PolicyError
from convgate.policies.spec import read_policy
from convgate.ui.compare.columns import START, build_columns, check_column, without_repeats
from convgate.ui.compare.conversation import draw_conversation
from convgate.ui.compare.results import draw_results
from convgate.ui.compare.state import CompareState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import sources, usable
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.policy_options import option_label, option_labels
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal, make_labels_unique

_STYLE = Path(__file__).with_name("compare.css")
_POLICIES, _REFERENCE = "compare.policies", "compare.reference"


def compare(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    options, known = option_labels(app.settings.home), sources(app)
    state, missing = state.with_known(options, known)
    data = state.data or next(iter(usable(known)), None)
    state = replace(state, data=data)  # named, for what a link opens must not depend on later labels
    page.keep(state)
    draw_problems([*problems, *missing])
    labels = _draw_policies(state, options)
    if len(state.policies) < 2:
        st.info("Select at least two policies.", icon=":material/compare_arrows:")
        st.button(
            "Compare BM25, the gate and the last turns", key="compare.start", icon=":material/add:",
            on_click=page.change, kwargs={"policies": START, "reference": None},
        )  # fmt: skip
        return
    columns = build_columns(app, state.policies, labels)
    if not columns:
        return
    reference = next((column for column in columns if column.written == state.compared_with), columns[0])
    draw_results(app, state, columns, reference, known)
    st.subheader("One conversation", anchor=False)
    draw_conversation(app, state, columns, reference)


def _draw_policies(state: CompareState, options: Mapping[str, str]) -> dict[str, str]:
    """Draw the choice of policies and of the reference; return the labels of all policies by their text."""
    offered = without_repeats((*map(read_policy, options), *state.policies))
    labels = make_labels_unique({column.to_text(): option_label(column.to_text()) for column in offered})
    texts = [column.to_text() for column in state.policies]
    reference = state.compared_with.to_text() if state.compared_with else None
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        put(_POLICIES, texts)
        st.multiselect(
            "Policies", list(labels), key=_POLICIES, format_func=lambda text: labels.get(text, text),
            on_change=_select, accept_new_options=True, select_all=False,
            placeholder="Select policies or versions",
            help="Type last_k(k=5) or gate(rule=top_k, k=5) for other parameters than the settings have.",
        )  # fmt: skip
        if reference is not None:
            put(_REFERENCE, reference)
            st.selectbox(
                "Compared with", texts, key=_REFERENCE, format_func=labels.__getitem__, width=260,
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
