"""What a training came to: whether it is better, whether it is in use, and the way there or back."""

from __future__ import annotations

import streamlit as st

from convgate.training.report import read_verdict
from convgate.training.run import Run
from convgate.ui import activation as in_use
from convgate.ui.frame import App
from convgate.ui.navigation import VERSIONS
from convgate.ui.text import literal
from convgate.ui.train import state
from convgate.ui.train.listing import verdict_words
from convgate.versions.catalog import Versions

_SINCE = "It was made active; another version is in use since."


def draw_outcome(app: App, run: Run) -> None:
    """The verdict in a box, then what is in use, with the button that changes it."""
    versions, name = Versions(app.settings.home), run.version
    if name is None or name not in versions.names():
        st.warning(
            f"The version {literal(name or '')} that it made was deleted or renamed since.",
            icon=":material/delete:",
        )
        return
    verdict = read_verdict(run.outcome.get("against_parent"))
    box, icon = st.info, ":material/help:"
    if verdict is not None:
        box, icon = (st.success, ":material/check:") if verdict.better else (st.warning, ":material/close:")
    told = f"**{literal(verdict_words(run))}.** Version **{literal(name)}** was made. {literal(run.message)}"
    box(told, icon=icon)
    with st.container(horizontal=True, vertical_alignment="center"):
        if versions.active == name:
            st.markdown(":material/check_circle: It is the version in use.", width="content")
            if before := versions.before:
                st.button(
                    f"Go back to {literal(before)}", key="train.back_to", icon=":material/undo:",
                    on_click=state.attempt, args=(in_use.go_back, app),
                    help="Use the version again that was in use before. This one stays as it is.",
                )  # fmt: skip
        else:
            st.markdown(literal(str(run.outcome.get("why_not_active") or _SINCE)), width="content")
            st.button(
                "Use it now", key="train.activate_now", icon=":material/check:",
                on_click=state.attempt, args=(in_use.use, app, name),
                help="Explore and every program that asks for the gate use it then; you can go back.",
            )  # fmt: skip
        st.page_link(
            VERSIONS, label="All about it", icon=":material/account_tree:", query_params={"version": name}
        )
