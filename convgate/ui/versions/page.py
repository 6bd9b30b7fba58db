"""Versions from top to bottom: the last action, what is active, then the list or a card."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.errors import GateError
from convgate.ui.actions import draw_result, run_action
from convgate.ui.frame import App, show_problem
from convgate.ui.page_state import draw_problems
from convgate.ui.text import literal
from convgate.ui.versions.actions import bold, draw_delete, draw_import, roll_back
from convgate.ui.versions.card import draw_card
from convgate.ui.versions.listing import Shelf, draw_list
from convgate.ui.versions.state import page
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("versions.css")


def versions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = page.current()
    page.keep(view)
    draw_problems(problems)
    draw_result(page)
    versions = Versions(app.settings.home)
    shelf = Shelf(versions, versions.listing(), versions.active, versions.baseline)
    if view.version is not None:
        _draw_version(app, shelf, view.version)
        return
    _draw_active(app, shelf)
    draw_list(app, shelf, view.page)
    with st.expander("Import a version", icon=":material/upload_file:"):
        draw_import(shelf.versions)


def _draw_version(app: App, shelf: Shelf, name: str) -> None:
    st.button(
        "All versions", key="versions.back", icon=":material/arrow_back:", type="tertiary",
        on_click=page.change, kwargs={"version": None},
    )  # fmt: skip
    if (version := shelf.find(name)) is not None:
        draw_card(app, shelf, version)
    elif name in shelf.listing.damaged:
        show_problem(GateError(shelf.listing.damaged[name]))
        draw_delete(shelf.versions, name)
    else:
        st.info(f"There is no version {literal(name)}.", icon=":material/link_off:")


def _draw_active(app: App, shelf: Shelf) -> None:
    """Draw which version is active, and the way back."""
    try:
        shelf.versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate another version.", icon=":material/broken_image:")
    before = shelf.versions.previous
    with st.container(horizontal=True, vertical_alignment="center"):
        active = bold(shelf.active) if shelf.active else "none, so the gate is untrained"
        st.markdown(f"Active version: {active}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=run_action, args=(page, partial(roll_back, app)),
                help="Activate the version that was active before this one",
            )  # fmt: skip
    if app.settings.version not in (None, shelf.active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which overrides this page."
            " Remove `version` from them to activate versions here.",
            icon=":material/settings:",
        )
