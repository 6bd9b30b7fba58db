"""The labelled data that a threshold is tuned on: the person's labels, and sets of the library."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.errors import TranscriptError
from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui.frame import App
from convgate.ui.labelled import read_labelled
from convgate.ui.sources import Source as Source
from convgate.ui.sources import draw_sources, usable
from convgate.ui.sources import sources as sources
from convgate.ui.text import literal
from convgate.ui.tune import state
from convgate.ui.tune.state import View

DATA, UPLOAD, FAILED = "tune.data", "tune.upload", "tune.upload_failed"


def chosen_of(view: View, known: dict[str, Source]) -> tuple[str, ...]:
    """What the view asks for, else the labels if there are any, else the first set."""
    if view.data is not None:
        return view.data
    return tuple(usable(known)[:1])


def draw_data(app: App, view: View, known: dict[str, Source]) -> None:
    """Which data, with counts, and a way to add some."""
    there = usable(known)
    draw_sources(
        known, [name for name in chosen_of(view, known) if name in there], key=DATA, on_change=_chose,
        help="What the numbers are counted on. A turn that nobody judged is not counted.",
    )  # fmt: skip
    with st.expander("Add a relevance set", icon=":material/upload_file:", key="tune.add_data"):
        number: int = st.session_state.get(f"{UPLOAD}.number", 0)
        key = f"{UPLOAD}.{number}"
        st.file_uploader(
            "A file of JSON lines", type=["jsonl"], key=key, on_change=_uploaded, args=(app, view, key),
            max_upload_size=app.settings.upload_limit_mb,
            help="Conversations and cases, as Train reads and Label exports them. It stays in your library"
            " of sets.",
        )  # fmt: skip
        if failed := st.session_state.get(FAILED):
            st.error(literal(failed), icon=":material/error:")


def read_data(app: App, names: Sequence[str]) -> tuple[list[RelevanceSet], str]:
    """The data, and a text that stands for their content.

    Raises TranscriptError when a set is not there or cannot be read.
    """
    found = [read_labelled(app, name) for name in names]
    return [one for one, _ in found], "\n".join(told for _, told in found)


def _chose() -> None:
    state.change(data=tuple(st.session_state[DATA]))


def _uploaded(app: App, view: View, key: str) -> None:
    state.touched()
    file = st.session_state.get(key)
    if file is None:
        return
    shelf = RelevanceSets(app.settings.home)
    st.session_state[f"{UPLOAD}.number"] = st.session_state.get(f"{UPLOAD}.number", 0) + 1
    try:
        added = shelf.add(shelf.free_name(file.name), file.getvalue())
    except TranscriptError as error:
        st.session_state[FAILED] = f"{file.name}: {error}. Nothing was kept."
        return
    st.session_state.pop(FAILED, None)
    known = chosen_of(view, sources(app))
    state.change(data=tuple(dict.fromkeys([*known, added.name])))
