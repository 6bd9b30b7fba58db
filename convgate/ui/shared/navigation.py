"""Navigation: the pages in the sidebar, in groups, and links into a conversation."""

from __future__ import annotations

import streamlit as st

from convgate.ui.shared.text import literal

LIBRARY = "app.py"
EXPLORE = "pages/1_Explore.py"
LABEL = "pages/2_Label.py"
TUNE = "pages/3_Tune.py"
TRAIN = "pages/4_Train.py"
VERSIONS = "pages/5_Versions.py"
COMPARE = "pages/6_Compare.py"
MONITOR = "pages/9_Monitor.py"

OWN_CHATS = {"show": "chats"}
"""Address of what the policies send of the library, on Compare."""

GROUPS = {
    "Inspect": {
        "Library": (LIBRARY, ":material/inventory_2:"),
        "Explore": (EXPLORE, ":material/query_stats:"),
        "Errors": ("pages/11_Errors.py", ":material/bug_report:"),
        "Compare": (COMPARE, ":material/compare_arrows:"),
    },
    "Improve": {
        "Label": (LABEL, ":material/label:"),
        "Tune": (TUNE, ":material/tune:"),
        "Train": (TRAIN, ":material/model_training:"),
        "Versions": (VERSIONS, ":material/account_tree:"),
        "Experiments": ("pages/10_Experiments.py", ":material/experiment:"),
    },
    "Operate": {
        "Storing": ("pages/7_Storing.py", ":material/save:"),
        "Sessions": ("pages/8_Sessions.py", ":material/history:"),
        "Monitor": (MONITOR, ":material/monitor_heart:"),
    },
}
"""Path from the app's folder and icon of every page, by name, in groups."""


def draw_navigation() -> None:
    """Draw the pages as links in the sidebar. Streamlit's own list would call the Library "app"."""
    for group, pages in GROUPS.items():
        st.sidebar.caption(group)
        for name, (path, icon) in pages.items():
            st.sidebar.page_link(path, label=name, icon=icon, width="stretch")


def conversation_link(key: str, title: str, icon: str = ":material/query_stats:") -> None:
    """Draw the conversation's title as a link that opens it in Explore."""
    st.page_link(
        EXPLORE, label=f"**{literal(title, limit=120)}**", icon=icon,
        query_params={"conversation": key}, width="stretch",
    )  # fmt: skip


def open_conversation(key: str, turn: int | None = None) -> None:
    """Leave this page for the conversation in Explore, at that turn (0-based) or the last one."""
    at = {} if turn is None else {"turn": str(turn + 1)}
    st.switch_page(EXPLORE, query_params={"conversation": key, **at})
