"""A link to what is shown, and a file of the decisions for those who do not have the app."""

from __future__ import annotations

import streamlit as st

from convgate.figures.share import write_html
from convgate.ui.shared.copy_link import draw_copy_link
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.outcome import PolicyOutcome


def draw_sharing(state: ExploreState, outcome: PolicyOutcome) -> None:
    """Draw the buttons that copy the address and download the decisions."""
    message = outcome.message
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-sharing"):
        draw_copy_link(state.to_query(), key="explore.copy_link")
        st.download_button(
            "Download as a page",
            lambda: write_html(message.conversation, message.current, outcome.selection, outcome.label),
            file_name="decisions.html", mime="text/html", on_click="ignore", icon=":material/download:",
            key="explore.download_html",
            help="Message, decisions and reasons in one HTML file that opens anywhere, to send to others. It"
            " has the whole conversation up to the message.",
        )  # fmt: skip
