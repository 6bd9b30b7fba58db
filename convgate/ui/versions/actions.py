"""Delete and import versions."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.ui.shared.actions import ActionResult, run_action
from convgate.ui.shared.activation import bold
from convgate.ui.shared.annotator import person
from convgate.ui.shared.text import literal
from convgate.ui.versions.state import page
from convgate.versions import check_name
from convgate.versions.catalog import Versions
from convgate.versions.version import LIMITS

_MAX_UPLOAD = sum(LIMITS.values()) >> 20  # MB


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
