"""Another name for a version, or its end: what depends on it is said before."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.ui import state
from convgate.ui.annotator import person
from convgate.ui.text import literal
from convgate.ui.versions.pointing import Done, attempt
from convgate.ui.versions.state import change, touched
from convgate.ui.versions.words import named
from convgate.versions.catalog import Versions

ASKED = "versions.removing"  # the name that is to be deleted, once a person has asked for it


def draw_rename(versions: Versions, name: str) -> None:
    """A form for another name, or why it keeps its own."""
    if uses := versions.uses(name):
        st.caption(f"It keeps its name as long as it is {literal(uses)}.")
        return
    with st.form(f"versions.rename.{name}", border=False):
        new = st.text_input(
            "Another name", name, key=f"versions.name.{name}", max_chars=64,
            help="Small letters, digits, points, hyphens and underscores",
        )  # fmt: skip
        pressed = st.form_submit_button("Rename", icon=":material/edit:")
    if pressed and new != name:
        attempt(partial(_renamed, versions, name, new.strip()))
        st.rerun()


def draw_removal(versions: Versions, name: str) -> None:
    """The button that deletes, and the question before it does."""
    asked: str | None = state.remembered(ASKED, None)
    if asked != name:
        st.button(
            "Delete", key=f"versions.delete.{name}", icon=":material/delete:", on_click=_ask, args=(name,)
        )
        return
    uses = versions.uses(name)
    depends = f" It is {literal(uses)}; {_follows(uses)}" if uses else " Nothing depends on it."
    st.warning(
        f"Delete {named(name)} for good?{depends} There is no way back, unless you have exported it.",
        icon=":material/delete_forever:",
    )
    with st.container(horizontal=True):
        st.button(
            "Delete for good", key=f"versions.sure.{name}", type="primary", on_click=_delete,
            args=(versions, name, bool(uses)), icon=":material/delete_forever:",
        )  # fmt: skip
        st.button("Keep it", key=f"versions.spare.{name}", on_click=_ask, args=(None,))


def _follows(uses: str) -> str:
    told = []
    if "active" in uses:
        told.append("what ships, or the untrained gate, takes its place")
    if "baseline" in uses:
        told.append("no baseline will be pinned")
    if "parent" in uses:
        told.append("its children stay, without a parent here")
    return ", ".join(told) + "."


def _ask(name: str | None) -> None:
    st.session_state[ASKED] = name
    touched()


def removed(versions: Versions, name: str, *, in_use: bool = False) -> Done:
    """Delete the version, and tell so."""
    versions.delete(name, who=person(), in_use=in_use)
    change(version=None)
    return Done(f"{named(name)} was deleted.")


def _renamed(versions: Versions, name: str, new: str) -> Done:
    versions.rename(name, new)
    change(version=new)
    return Done(f"{named(name)} is called {named(new)} now.", partial(_renamed, versions, new, name))


def _delete(versions: Versions, name: str, in_use: bool) -> None:  # noqa: FBT001  # a callback's argument
    state.forget(ASKED)
    attempt(partial(removed, versions, name, in_use=in_use))
