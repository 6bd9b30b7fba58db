"""Activate, roll back, pin, rename, delete and import versions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.core.errors import ConvgateError, GateError
from convgate.core.text import format_age, pluralize
from convgate.gate.checkpoint import check_encoder
from convgate.ui import activation, state
from convgate.ui.actions import ActionResult, run_action
from convgate.ui.annotator import annotator, person
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.versions.state import change, page, touched
from convgate.ui.versions.words import data_words, named
from convgate.versions import SHIPPED, UNTRAINED, check_name
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change
from convgate.versions.version import LIMITS, Packed, unpack

SHOWN = 50  # changes of the history; the command line has all


def draw_pointers(app: App, versions: Versions) -> None:
    """What is in use and what others are compared with, the way back, and the history."""
    active, baseline, before, history = (
        versions.active, versions.baseline, versions.before, versions.history,
    )  # fmt: skip
    try:
        versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate one of the list.", icon=":material/broken_image:")
    with st.container(horizontal=True, vertical_alignment="center", key="versions-pointers"):
        used = named(active) if active else "no version: the gate is untrained and ranks by similarity"
        compared = named(baseline) if baseline else "none pinned, so each is compared with its parent"
        st.markdown(f"In use: {used}. Baseline: {compared}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=roll_back, args=(app,),
                help="Use the version again that was in use before this one.",
            )  # fmt: skip
    if app.settings.version not in (None, active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which stands before the"
            " one in use here; take `version` out of them to let this page decide.",
            icon=":material/settings:",
        )
    with st.expander(f"History: {pluralize(len(history), 'change')}", icon=":material/schedule:"):
        whose = "the name that you label with" if annotator() else "until you choose a name on Label"
        st.caption(f"What you change is written under {named(person())}, {whose}.")
        if not history:
            st.caption("Nobody has chosen a version or a baseline yet.")
        for change in reversed(history[-SHOWN:]):
            st.markdown(f":small[{_told(change)}]", help=f"{change.when:%Y-%m-%d %H:%M:%S} UTC")


def activate(app: App, name: str) -> None:
    """Put a version into use; for callbacks."""

    def act() -> ActionResult:
        change = activation.activate(app, name)
        if change is None:
            return ActionResult(f"{named(name)} was in use already.")
        told = f"{named(name)} is in use now: Explore and every program that asks for the gate."
        return ActionResult(told, partial(_taken_back, app, change))

    run_action(page, act)


def roll_back(app: App) -> None:
    """Put the version into use that was before; for callbacks."""

    def act() -> ActionResult:
        name = activation.roll_back(app)
        change = Versions(app.settings.home).history[-1]
        told = f"{named(name)} is in use again." if name else "The gate is untrained again."
        return ActionResult(told, partial(_taken_back, app, change))

    run_action(page, act)


def pin(app: App, versions: Versions, name: str | None) -> None:
    """Pin a version as the baseline, or none; for callbacks."""

    def act() -> ActionResult:
        change = versions.set_baseline(name, who=person())
        undo = partial(_taken_back, app, change) if change else None
        if name is None:
            return ActionResult("No baseline is pinned: each version is compared with its parent.", undo)
        return ActionResult(f"{named(name)} is the baseline that all others are compared with.", undo)

    run_action(page, act)


def _taken_back(app: App, change: Change) -> ActionResult:
    activation.undo_activation(app, change)
    versions = Versions(app.settings.home)
    if change.pointer == "active":
        return ActionResult(f"Taken back: {named(versions.active or UNTRAINED)} is in use again.")
    now = versions.baseline
    return ActionResult(f"Taken back: {f'{named(now)} is the baseline' if now else 'no baseline is pinned'}.")


def _told(change: Change) -> str:
    name = change.version or ("what ships" if change.pointer == "active" else "none")
    if change.pointer == "active":
        what = f"went back to {named(name)}" if change.rollback else f"put {named(name)} into use"
    else:
        what = f"pinned {named(name)} as the baseline" if change.version else "let the baseline go"
    return f"{literal(change.who or 'somebody', limit=60)} {what} {format_age(change.when)}"


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
        run_action(page, partial(_renamed, versions, name, new.strip()))
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


def removed(versions: Versions, name: str, *, in_use: bool = False) -> ActionResult:
    """Delete the version, and tell so."""
    versions.delete(name, who=person(), in_use=in_use)
    change(version=None)
    return ActionResult(f"{named(name)} was deleted.")


def _renamed(versions: Versions, name: str, new: str) -> ActionResult:
    versions.rename(name, new)
    change(version=new)
    return ActionResult(f"{named(name)} is called {named(new)} now.", partial(_renamed, versions, new, name))


def _delete(versions: Versions, name: str, in_use: bool) -> None:  # noqa: FBT001  # a callback's argument
    state.forget(ASKED)
    run_action(page, partial(removed, versions, name, in_use=in_use))


GENERATION = "versions.import.generation"
LARGEST = sum(LIMITS.values()) >> 20  # MB


def draw_import(app: App, versions: Versions) -> None:
    """The place for a file, what is in it, and the button that keeps it."""
    generation = state.remembered(GENERATION, 0)  # only another widget in its place is an empty one
    file = st.file_uploader(
        "A version that was exported here or elsewhere", type="zip", max_upload_size=LARGEST,
        key=f"versions.import.{generation}", on_change=touched,
        help="It is checked before anything is kept, and is not active until you say so.",
    )  # fmt: skip
    if file is None:
        return
    try:
        found = _looked_at(file.file_id, file.name, file.getvalue())
    except GateError as error:
        show_problem(error)
        st.caption("Nothing of it was kept. Export the version again where it came from.")
        return
    card = found.card
    by = f" by {literal(card.who, limit=40)}" if card.who else ""
    st.markdown(
        f":material/deployed_code: {named(found.name)} · made {format_age(card.created)}{by} · {card.parameters:,}"
        f" parameters · {data_words(card.data)}"
    )
    _draw_encoder(app, found)
    key = f"versions.import.name.{generation}"
    taken = found.name in {SHIPPED, *versions.names()}
    if taken:
        st.caption(f"There is a version {named(found.name)} already, and versions never change.")
    name = st.text_input(
        "Import it as", _free(found.name, versions) if taken else found.name, key=key, max_chars=64,
        on_change=touched,
    )  # fmt: skip
    st.button(
        "Import", key="versions.import.keep", type="primary", icon=":material/add:", on_click=_keep,
        args=(versions, file.getvalue(), file.name, key), disabled=not name,
    )  # fmt: skip


@st.cache_resource(max_entries=2, scope="session", show_spinner="Checking …")
def _looked_at(file_id: str, name: str, _content: bytes) -> Packed:
    return unpack(_content, name)


def _draw_encoder(app: App, found: Packed) -> None:
    if found.config.encoder is None:
        return
    try:
        check_encoder(found.config, app.encoder().identity)
    except ConvgateError as error:
        st.warning(
            f"It can be kept, but not activated with the encoder of your settings: {literal(str(error))}.",
            icon=":material/link_off:",
        )


def _free(name: str, versions: Versions) -> str:
    """The name with the first number that is free."""
    taken = {SHIPPED, *versions.names()}
    stem = name[:58].rstrip("._-")
    return next(new for number in range(2, len(taken) + 3) if (new := f"{stem}-{number}") not in taken)


def _keep(versions: Versions, content: bytes, file_name: str, key: str) -> None:
    def act() -> ActionResult:
        name = check_name((st.session_state.get(key) or "").strip())
        versions.import_(content, name=name, where=file_name)
        st.session_state[GENERATION] += 1
        change(version=name)
        told = f"{named(name)} was added from {literal(file_name, limit=60)}. It is not active."
        return ActionResult(told, partial(removed, versions, name))

    run_action(page, act)
