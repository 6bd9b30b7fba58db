"""Versions from top to bottom: what was done, what is in use, then the list, a card, or two side by side."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from convgate.errors import GateError
from convgate.ui.choosers import chooser_labels, of_version
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.adding import draw_import
from convgate.ui.versions.beside import draw_beside
from convgate.ui.versions.card import draw_card
from convgate.ui.versions.listing import Shelf, draw_list, read_shelf
from convgate.ui.versions.pointing import draw_done, draw_pointers
from convgate.ui.versions.removing import draw_removal
from convgate.ui.versions.view import View
from convgate.versions.catalog import Versions

_STYLE = Path(__file__).with_name("versions.css")
_SHOW = "versions.show"
_PARTS = {"list": "All versions", "compare": "Side by side"}


def versions_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    view, problems = state.current_view()
    versions = Versions(app.settings.home)
    if view.beside:
        view, missing = view.within(chooser_labels(app.settings.home))
        problems = [*problems, *missing]
    state.keep(view)
    for problem in problems:
        st.warning(literal(problem), icon=":material/link_off:")
    _draw_parts(view, versions)
    draw_done()
    if view.beside:
        draw_beside(app, view)
        return
    shelf = read_shelf(app, versions)
    if view.version is not None:
        _draw_one(app, shelf, view.version)
        return
    draw_pointers(app, versions)
    draw_list(app, shelf)
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


def _draw_parts(view: View, versions: Versions) -> None:
    state.put(_SHOW, "compare" if view.beside else "list")
    st.segmented_control(
        "What to see", list(_PARTS), key=_SHOW, format_func=lambda name: _PARTS[name], required=True,
        on_change=_changed, args=(versions,), label_visibility="collapsed",
    )  # fmt: skip


def _changed(versions: Versions) -> None:
    beside = st.session_state[_SHOW] == "compare"
    view: View = st.session_state[state.VIEW]
    values: dict[str, object] = {"beside": beside, "version": None}
    if beside and view.b is None:
        values |= {"a": _first(versions, view), "b": _second(versions, view)}
    state.change(**values)


def _first(versions: Versions, view: View) -> str:
    """What a comparison begins with: the baseline, else what is in use."""
    baseline = versions.baseline
    return of_version(baseline) if baseline else view.a


def _second(versions: Versions, view: View) -> str | None:
    """The version whose card was open, else the newest one that is not the first."""
    names = [view.version] if view.version else [one.name for one in reversed(versions.listing().versions)]
    others = [of_version(name) for name in names if name not in (versions.baseline, versions.active)]
    return next(iter(others), None)
