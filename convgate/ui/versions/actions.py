"""What a person does with versions: activate, roll back, set the baseline, delete, import."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.ui.actions import ActionResult, run_action
from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.versions.state import page
from convgate.versions import UNTRAINED, check_name
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change
from convgate.versions.version import LIMITS

_MAX_UPLOAD = sum(LIMITS.values()) >> 20  # MB


def bold(name: str) -> str:
    """Return a version's name as bold Markdown.

    >>> bold("mine")
    '**mine**'
    """
    return f"**{literal(name)}**"


def activate(app: App, name: str) -> ActionResult:
    """Activate a version, under the person's name.

    Raises GateError, with nothing changed, for a damaged, missing or foreign version, and EncoderError when
    the encoder cannot be loaded.
    """
    change = Versions(app.settings.home).activate(name, who=person(), encoder=app.encoder().identity)
    sentence = f"{bold(name)} is active."
    if app.settings.version not in (None, name):
        sentence += f" Your settings name {literal(str(app.settings.version))}, which has precedence."
    return ActionResult(sentence, partial(_undo, app, change) if change else None)


def roll_back(app: App) -> ActionResult:
    """Activate the version that was active before; errors as in `activate`."""
    versions = Versions(app.settings.home)
    name = versions.rollback(who=person(), encoder=app.encoder().identity) or UNTRAINED
    return ActionResult(f"Rolled back: {bold(name)} is active.", partial(_undo, app, versions.history[-1]))


def set_baseline(app: App, name: str | None) -> ActionResult:
    """Compare the metrics of all versions with that version; None: with their parents."""
    change = Versions(app.settings.home).set_baseline(name, who=person())
    sentence = f"{bold(name)} is the baseline." if name else "There is no baseline."
    return ActionResult(sentence, partial(_undo, app, change) if change else None)


def _undo(app: App, change: Change) -> ActionResult:
    versions = Versions(app.settings.home)
    encoder = app.encoder().identity if change.pointer == "active" else None
    versions.undo(change, who=person(), encoder=encoder)
    if change.pointer == "active":
        return ActionResult(f"Undone: {bold(versions.active or UNTRAINED)} is active again.")
    return ActionResult(f"Undone: the baseline is {bold(versions.baseline or 'none')}.")


def draw_delete(versions: Versions, name: str) -> None:
    """Draw the button that deletes, behind what depends on the version."""
    with st.popover("Delete", icon=":material/delete:"):
        uses = versions.uses(name)
        depends = f" It is {literal(uses)}." if uses else ""
        st.markdown(f"Delete {bold(name)}?{depends} This cannot be undone.")
        st.button(
            "Delete", key=f"versions.delete.{name}", type="primary", icon=":material/delete_forever:",
            on_click=run_action, args=(page, partial(_delete, versions, name, force=bool(uses))),
        )  # fmt: skip


def _delete(versions: Versions, name: str, *, force: bool = False) -> ActionResult:
    versions.delete(name, who=person(), force=force)
    page.change(version=None)
    return ActionResult(f"{bold(name)} was deleted.")


def draw_import(versions: Versions) -> None:
    """Draw the form that imports an exported version; it is checked before anything is kept."""
    with st.form("versions.import", border=False):
        file = st.file_uploader("Exported version", type="zip", max_upload_size=_MAX_UPLOAD)
        name = st.text_input(
            "Name", placeholder="As exported", max_chars=64, key="versions.import.name",
            help="Needed only when there is a version of that name already.",
        )  # fmt: skip
        is_pressed = st.form_submit_button("Import", icon=":material/upload_file:")
    if is_pressed and file is not None:
        run_action(page, partial(_import, versions, file.getvalue(), file.name, name.strip()))
        st.rerun()


def _import(versions: Versions, content: bytes, file_name: str, name: str) -> ActionResult:
    version = versions.import_(content, name=check_name(name) if name else None, where=file_name)
    page.change(version=version.name)
    sentence = f"{bold(version.name)} was imported. It is not active until you activate it."
    return ActionResult(sentence, partial(_delete, versions, version.name))
