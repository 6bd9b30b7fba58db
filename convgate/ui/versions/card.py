"""One version's card: facts, metrics, data, training, limits."""

from __future__ import annotations

import re

import streamlit as st

from convgate.core.errors import GateError
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.text import literal
from convgate.ui.shared.training_curves import draw_epochs
from convgate.ui.versions.actions import draw_delete
from convgate.ui.versions.listing import VersionList, draw_badges, draw_buttons, origin_words
from convgate.versions.markdown import model_card
from convgate.versions.version import Version


def draw_card(app: App, version_list: VersionList, version: Version) -> None:
    """Draw the card, with everything that can be done with the version."""
    card, name = version.card, version.name
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(literal(name), anchor=False, width="content")
        draw_badges(version_list, version)
    st.caption(origin_words(card))
    is_intact = True
    try:
        version.files()
    except GateError as error:
        is_intact = False
        show_problem(error)
    with st.container(horizontal=True, gap="xsmall"):
        draw_buttons(app, version_list, version)
        if is_intact:
            st.download_button(
                "Export", lambda: version_list.versions.export(name), file_name=f"{name}.zip",
                mime="application/zip", key="versions.export", on_click="ignore",
                icon=":material/download:", help="Download the version as one file",
            )  # fmt: skip
        if not version.shipped:
            draw_delete(version_list.versions, name)
    with st.container(key="versions-card"):
        st.markdown(_card_text(version))
    if card.training is not None:
        draw_epochs(card.training.curves)
        with st.expander("Settings and libraries", icon=":material/tune:"):
            st.json({**card.training.config, **card.training.libraries})


def _card_text(version: Version) -> str:
    """Return the card as Markdown, below its heading, without what only Streamlit's Markdown renders."""
    text = model_card(version).partition("\n\n")[2].replace("; settings and curves: see --json", "")
    return re.sub(r"([:$~_])", r"\\\1", text).replace("## ", "#### ")
