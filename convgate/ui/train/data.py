"""The data to learn from, with counts and licences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.training.library import RelevanceSets, SetInfo
from convgate.training.sets import REPLAYS
from convgate.training.split import count_conversations
from convgate.transcripts import RelevanceSet
from convgate.ui.actions import reporting_problems
from convgate.ui.frame import App
from convgate.ui.label_sources import LABELS, describe_source, draw_sources, read_labelled, usable
from convgate.ui.text import literal
from convgate.ui.train.state import View, page

REPLAY, UPLOAD = "train.replay", "train.upload"
_UPLOADS = f"{UPLOAD}.number"  # how many files were uploaded: each needs an uploader with a new key
_LABEL_PAGE = "pages/2_Label.py"


@dataclass(frozen=True)
class TrainingData:
    """The chosen data."""

    names: Sequence[str]  # of labels and sets
    conversations: int  # of them, each counted once
    is_empty: bool  # neither labels, sets nor replayed texts


def draw_data(app: App, view: View, known: Mapping[str, SetInfo]) -> TrainingData:
    """Draw the choice of labels, sets and replayed texts; return what is chosen."""
    trainable = {name: info for name, info in known.items() if info.may_train}
    available = usable(trainable)
    default = (LABELS,) if LABELS in available else ()
    names = [name for name in (default if view.data is None else view.data) if name in available]
    draw_sources(page, trainable, names)
    if LABELS not in available:
        st.page_link(_LABEL_PAGE, label="No turn is labelled yet. Label some turns", icon=":material/label:")
    for name in names:
        terms = f" · {literal(known[name].licence)}" if known[name].licence else ""
        st.caption(f"{describe_source(known[name])}{terms}")
    for name, info in known.items():
        if name not in trainable:
            st.caption(f":material/block: {literal(f'{name}: {info.problem or info.terms}')}")
    _draw_upload(app, names)
    replay = st.pills(
        "Replayed texts", [replay.name for replay in REPLAYS], key=REPLAY, selection_mode="multi",
        default=[REPLAYS[0].name], persist_state="session",
        format_func={replay.name: replay.label for replay in REPLAYS}.__getitem__,
        help="Labelled texts that come with convgate. They keep the gate from forgetting what it knows, and"
        " weigh as much as your data.",
    )  # fmt: skip
    conversations, overlaps = count_together(app, names)
    for overlap in overlaps:
        st.caption(literal(overlap.sentence))
    return TrainingData(names, conversations, not (names or replay))


def count_together(app: App, names: Sequence[str]) -> tuple[int, list[Overlap]]:
    """Return how many conversations the labels and sets have, each counted once, and what they repeat.

    Raises TranscriptError when a set does not exist or cannot be read.
    """
    sets = [read_labelled(app, name) for name in names]
    return _count_together("\n".join(digest for _, digest in sets), [cases for cases, _ in sets])


@st.cache_resource(max_entries=8, show_spinner="Looking for repeated turns …")
def _count_together(digest: str, _sets: Sequence[RelevanceSet]) -> tuple[int, list[Overlap]]:
    sets, overlaps = remove_duplicates(_sets)
    return count_conversations(sets), list(overlaps)


def _draw_upload(app: App, names: Sequence[str]) -> None:
    with st.expander("Add a relevance set", icon=":material/upload_file:"):
        key = f"{UPLOAD}.{st.session_state.get(_UPLOADS, 0)}"
        st.file_uploader(
            "JSON lines", type=["jsonl"], key=key, on_change=_upload, args=(app, names, key),
            max_upload_size=app.settings.upload_limit_mb,
        )  # fmt: skip


def _upload(app: App, names: Sequence[str], key: str) -> None:
    page.touched()
    file = st.session_state.get(key)
    if file is None:
        return
    library = RelevanceSets(app.settings.home)
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    with reporting_problems():
        added = library.add(library.free_name(file.name), file.getvalue())
        page.change(data=(*names, added.name))
