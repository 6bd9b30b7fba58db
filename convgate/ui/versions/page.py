"""Versions from top to bottom: what was done, what is in use, then the list or a card."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.core.errors import GateError
from convgate.ui.actions import draw_result
from convgate.ui.frame import App, show_problem
from convgate.ui.page_state import draw_problems
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.card import draw_card
from convgate.ui.versions.listing import Shelf, draw_list, read_shelf
from convgate.ui.versions.manage import draw_import, draw_pointers, draw_removal
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("versions.css")


def versions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    versions = Versions(app.settings.home)
    state.keep(view)
    draw_problems(problems)
    draw_result(state.page)
    shelf = read_shelf(app, versions)
    if view.version is not None:
        _draw_one(app, shelf, view.version)
        return
    draw_pointers(app, versions)
    draw_list(app, shelf, view.page)
    with st.expander("Import a version", icon=":material/upload_file:", key="versions.import"):
        draw_import(app, versions)


def _draw_one(app: App, shelf: Shelf, name: str) -> None:
    if (version := shelf.by_name.get(name)) is not None:
        draw_card(app, shelf, version)
        return
    st.button(
        "All versions", key="versions.back", icon=":material/arrow_back:", type="tertiary",
        on_click=state.change, kwargs={"version": None},
    )  # fmt: skip
    if name in shelf.listing.damaged:
        show_problem(GateError(shelf.listing.damaged[name]))
        draw_removal(shelf.versions, name)
    else:
        st.info(f"There is no version {literal(name)}, or no longer.", icon=":material/link_off:")
