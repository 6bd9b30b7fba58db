"""Which policies stand side by side, what is set of each, and which one the others are compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from convgate.policies.spec import PolicySpec, read_policy
from convgate.ui.compare import state
from convgate.ui.compare.columns import (
    START,
    chooser_of,
    column_labels,
    column_of,
    draw_parameters,
    has_parameters,
    unlike,
    with_parameters,
)
from convgate.ui.compare.state import ALL, DIFFER, View
from convgate.ui.frame import App
from convgate.ui.text import literal

POLICIES, REFERENCE = "compare.policies", "compare.reference"
_LABEL = 34  # characters on a button


def draw_choosing(app: App, view: View, choosers: Mapping[str, str]) -> dict[str, str]:
    """The menu, a button for each column that something can be set of; what the columns are called, by text.

    choosers: labels of those that there are.
    """
    plain = [column_of(chooser) for chooser in choosers]
    labels = column_labels(unlike((*plain, *view.policies)))
    texts = [one.to_text() for one in view.policies]
    state.put(POLICIES, texts)
    with st.container(key="compare-choosing", gap="small"):
        st.multiselect(
            "Ways to choose, side by side", list(labels), key=POLICIES, format_func=labels.__getitem__,
            on_change=_chose, placeholder="Choose policies or versions of the gate",
            help="Each is a column. Change something of one below, and it can be chosen a second time as it"
            " was: the last 5 turns beside the last 20.",
        )  # fmt: skip
        if view.policies:
            with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
                _draw_reference(view, labels, texts)
                for place, column in enumerate(view.policies):
                    _draw_settings(app, place, column, labels[column.to_text()])
    return labels


def draw_too_few(view: View) -> bool:
    """What to do when there is nothing to compare; whether there is no column at all."""
    if not view.policies:
        st.info("Choose at least two ways to choose turns.", icon=":material/compare_arrows:")
        st.button(
            "Gate, BM25 and the last turns", key="compare.start", icon=":material/add:",
            on_click=state.change, kwargs={"policies": START, "reference": None, "rows": ALL},
        )  # fmt: skip
        return True
    if len(view.policies) == 1:
        (only,) = view.policies
        missing = [one for one in START if one.to_text() != only.to_text()]
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="compare-too-few"):
            st.markdown(
                ":material/compare_arrows: Nothing to compare with yet. Add a column:", width="content"
            )
            for one in missing:
                st.button(
                    column_labels([one])[one.to_text()], key=f"compare.add.{one.name}", icon=":material/add:",
                    on_click=state.change, kwargs={"policies": (only, one)},
                )  # fmt: skip
    return False


def replaced(view: View, place: int, column: PolicySpec) -> View:
    """The view with another column in that place; the reference and the filter go with it.

    One that would stand there twice is left out.
    """
    before = view.policies[place]
    policies = unlike((*view.policies[:place], column, *view.policies[place + 1 :]))
    rows = column.to_text() if view.rows == before.to_text() else view.rows
    reference = column if view.reference == before else view.reference
    return replace(view, policies=policies, rows=rows, reference=reference, page=1)


def _draw_reference(view: View, labels: Mapping[str, str], texts: list[str]) -> None:
    against = view.against
    assert against is not None
    state.put(REFERENCE, against.to_text())
    st.selectbox(
        "Compared with", texts, key=REFERENCE, format_func=labels.__getitem__, on_change=_chose_reference,
        width=260, help="The reference: what others decide unlike it is marked as a flip.",
    )  # fmt: skip


def _draw_settings(app: App, place: int, column: PolicySpec, label: str) -> None:
    if not has_parameters(column):
        return
    with st.popover(literal(label, limit=_LABEL), icon=":material/tune:", key=f"compare.settings.{place}"):
        draw_parameters(app, column, f"compare.{place}", lambda changed: _set(place, changed))
        st.button(
            "As the settings have it", key=f"compare.reset.{place}", icon=":material/undo:",
            disabled=not column.parameters, on_click=_set, args=(place, with_parameters(column, {})),
        )  # fmt: skip


def _set(place: int, column: PolicySpec) -> None:
    view = state.page.now()
    if place >= len(view.policies) or chooser_of(view.policies[place]) != chooser_of(column):
        state.touched()  # another has taken its place meanwhile
        return
    changed = replaced(view, place, column)
    if len(changed.policies) < len(view.policies):
        st.toast("That column stands there already.", icon=":material/info:")
    state.page.show(changed)


def _chose() -> None:
    view = state.page.now()
    policies = tuple(read_policy(text) for text in st.session_state[POLICIES])
    texts = [one.to_text() for one in policies]
    reference = view.reference if view.reference and view.reference.to_text() in texts else None
    rows = view.rows if view.rows in (ALL, DIFFER, *texts) else ALL
    state.change(policies=policies, reference=reference, rows=rows)


def _chose_reference() -> None:
    chosen = read_policy(st.session_state[REFERENCE])
    view = state.page.now()
    rows = DIFFER if view.rows == chosen.to_text() else view.rows
    state.change(reference=None if chosen == view.policies[0] else chosen, rows=rows)
