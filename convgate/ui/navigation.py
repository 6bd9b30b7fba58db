"""The ways between pages: the list in the sidebar, and links into a conversation."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.ui.text import literal

LIBRARY = "app.py"
EXPLORE = "pages/1_Explore.py"
VERSIONS = "pages/5_Versions.py"
COMPARE = "pages/6_Compare.py"
_ICONS = {
    "Library": ":material/inventory_2:",
    "Explore": ":material/query_stats:",
    "Label": ":material/label:",
    "Tune": ":material/tune:",
    "Train": ":material/model_training:",
    "Versions": ":material/account_tree:",
    "Compare": ":material/compare_arrows:",
    "Rules": ":material/rule:",
    "Sessions": ":material/history:",
    "Context": ":material/data_object:",
    "Monitor": ":material/monitor_heart:",
}


def page_names(root: Path) -> dict[str, str]:
    """Path, from the app's folder, and name of every page, in the order of the sidebar.

    A page `pages/3_Label_turns.py` is called "Label turns"; a new one needs nothing but its file.
    """
    files = sorted((root / "pages").glob("[0-9]*_*.py"), key=lambda file: int(file.stem.partition("_")[0]))
    names = {f"pages/{file.name}": file.stem.partition("_")[2].replace("_", " ") for file in files}
    return {LIBRARY: "Library", **names}


def draw_navigation(root: Path) -> None:
    """The pages as links in the sidebar. Streamlit's own list would call the Library "app"."""
    for path, name in page_names(root).items():
        st.sidebar.page_link(path, label=name, icon=_ICONS.get(name, ":material/article:"), width="stretch")


def conversation_link(key: str, title: str) -> None:
    """The conversation's title as a link that opens it in Explore."""
    label = f"**{literal(title, limit=120)}**"
    st.page_link(
        EXPLORE,
        label=label,
        icon=":material/query_stats:",
        query_params={"conversation": key},
        width="stretch",
    )


def open_conversation(key: str) -> None:
    """Leave this page, now, for the conversation in Explore."""
    st.switch_page(EXPLORE, query_params={"conversation": key})
