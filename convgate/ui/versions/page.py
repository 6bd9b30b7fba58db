"""Versions from top to bottom: the last action, what is active, then the list or a card."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import streamlit as st

from convgate.core.errors import GateError
from convgate.ui.shared.actions import draw_result, run_action
from convgate.ui.shared.activation import bold, roll_back
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.text import literal
from convgate.ui.versions.actions import draw_delete, draw_import
from convgate.ui.versions.card import draw_card
from convgate.ui.versions.listing import VersionList, draw_list
from convgate.ui.versions.state import page
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("versions.css")


def versions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    state, problems = page.current()
    page.keep(state)
    draw_problems(problems)
    draw_result(page)
    versions = Versions(app.settings.home)
    version_list = VersionList(versions, versions.listing(), versions.active, versions.baseline)
    if state.version is not None:
        _draw_version(app, version_list, state.version)
        return
    _draw_active(app, version_list)
    draw_list(app, version_list, state.page)
    with st.expander("Import a version", icon=":material/upload_file:"):
        draw_import(version_list.versions)


def _draw_version(app: App, version_list: VersionList, name: str) -> None:
    st.button(
        "All versions", key="versions.back", icon=":material/arrow_back:", type="tertiary",
        on_click=page.change, kwargs={"version": None},
    )  # fmt: skip
    if (version := version_list.find(name)) is not None:
        draw_card(app, version_list, version)
    elif name in version_list.listing.damaged:
        show_problem(GateError(version_list.listing.damaged[name]))
        draw_delete(version_list.versions, name)
    else:
        st.info(f"There is no version {literal(name)}.", icon=":material/link_off:")


def _draw_active(app: App, version_list: VersionList) -> None:
    """Draw which version is active, and the way back."""
    try:
        version_list.versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate another version.", icon=":material/broken_image:")
    before = version_list.versions.previous
    with st.container(horizontal=True, vertical_alignment="center"):
        active = bold(version_list.active) if version_list.active else "none, so the gate is untrained"
        st.markdown(f"Active version: {active}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=run_action, args=(page, partial(roll_back, app)),
                help="Activate the version that was active before this one",
            )  # fmt: skip
    if app.settings.version not in (None, version_list.active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which overrides this page."
            " Remove `version` from them to activate versions here.",
            icon=":material/settings:",
        )
