"""A version from a file: looked at first, kept only when it is whole and a person says so."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.errors import ConvgateError, GateError
from convgate.gate.checkpoint import check_encoder
from convgate.ui import state
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal
from convgate.ui.versions.pointing import Done, attempt
from convgate.ui.versions.removing import removed
from convgate.ui.versions.state import change, touched
from convgate.ui.versions.words import data_words, named
from convgate.ui.wording import ago
from convgate.versions import SHIPPED, check_name
from convgate.versions.catalog import Versions
from convgate.versions.version import LIMITS, Packed, inspect_archive

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
        f":material/deployed_code: {named(found.name)} · made {ago(card.created)}{by} · {card.parameters:,}"
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
    return inspect_archive(_content, name)


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
    def act() -> Done:
        name = check_name((st.session_state.get(key) or "").strip())
        versions.import_(content, name=name, where=file_name)
        st.session_state[GENERATION] += 1
        change(version=name)
        told = f"{named(name)} was added from {literal(file_name, limit=60)}. It is not active."
        return Done(told, partial(removed, versions, name))

    attempt(act)
