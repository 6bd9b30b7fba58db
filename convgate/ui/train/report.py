"""The report of a finished training: metrics vs. the parent, and whether to activate its version."""

from __future__ import annotations

import streamlit as st

from convgate.training.report import read_verdict
from convgate.training.run import Run
from convgate.ui.shared.activation import activate, roll_back
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import COMPARE, VERSIONS
from convgate.ui.shared.policy_options import version_option
from convgate.ui.shared.tables import interval_cell, markdown_table
from convgate.ui.shared.text import literal
from convgate.ui.train.state import attempt
from convgate.versions.card import MetricSet
from convgate.versions.catalog import Versions


def draw_report(app: App, run: Run) -> None:
    """Draw the verdict, the metrics, and the button that activates the version or rolls back."""
    versions, name = Versions(app.settings.home), run.version
    if name is None or name not in versions.names():
        st.warning(f"Its version {literal(name or '')} was deleted.", icon=":material/delete:")
        return
    verdict = read_verdict(run.outcome.get("against_parent"))
    parent = (run.request.parent if run.request else None) or "its parent"
    if verdict is None:
        st.info(f"Version **{literal(name)}** saved. {literal(run.message)}", icon=":material/help:")
    else:
        box, icon = (st.success, ":material/check:") if verdict.better else (st.warning, ":material/close:")
        headline, sentence = literal(verdict.headline(parent)), literal(run.message)
        box(f"**{headline}.** Version **{literal(name)}** saved. {sentence}", icon=icon)
    for method, measured in versions.get(name).card.metrics.items():
        if measured.parent:
            _draw_metrics(method, measured, parent, name)
    with st.container(horizontal=True, vertical_alignment="center"):
        _draw_activation(app, run, versions, name)
        st.page_link(
            VERSIONS, label="Open the version", icon=":material/account_tree:", query_params={"version": name}
        )
        if parent in versions.names():
            st.page_link(
                COMPARE, label="Compare", icon=":material/compare_arrows:",
                query_params={"policies": f"{version_option(parent)}, {version_option(name)}"},
            )  # fmt: skip


def _draw_metrics(method: str, measured: MetricSet, parent: str, name: str) -> None:
    rows = [
        (
            metric.upper(),
            interval_cell(measured.parent.get(metric)),
            interval_cell(value),
            interval_cell(measured.gain.get(metric), is_difference=True),
        )
        for metric, value in measured.metrics.items()
    ]
    st.markdown(markdown_table(("", literal(parent), literal(name), "Difference"), rows, numbers=True))
    st.caption(f"Measured: {literal(method)}. Ranges are 95% intervals over conversations.")


def _draw_activation(app: App, run: Run, versions: Versions, name: str) -> None:
    if versions.active != name:
        why = run.outcome.get("why_not_active") or "It was activated; another version is active now."
        st.markdown(literal(str(why)), width="content")
        st.button(
            "Activate", key="train.activate_now", icon=":material/check:",
            on_click=attempt, args=(activate, app, name),
        )  # fmt: skip
        return
    st.markdown(":material/check_circle: It is the active version.", width="content")
    if before := versions.previous:
        st.button(
            f"Roll back to {literal(before)}", key="train.roll_back", icon=":material/undo:",
            on_click=attempt, args=(roll_back, app),
        )  # fmt: skip
