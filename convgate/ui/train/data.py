"""The data to learn from, with counts and licences."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from convgate.core.text import pluralize
from convgate.training.library import RelevanceSets
from convgate.training.sets import REPLAYS
from convgate.ui.actions import reporting_problems
from convgate.ui.frame import App
from convgate.ui.label_sources import LABELS as ALL_LABELS
from convgate.ui.label_sources import counted_together, label_counts
from convgate.ui.text import literal

LABELS, SETS, REPLAY, UPLOAD = "train.labels", "train.sets", "train.replay", "train.upload"
_UPLOADS = f"{UPLOAD}.number"  # how many files were uploaded: each needs an uploader with a new key
_LABEL_PAGE = "pages/2_Label.py"


@dataclass(frozen=True)
class TrainingData:
    """How much data is chosen."""

    conversations: int  # of labels and sets, each counted once
    is_empty: bool  # neither labels, sets nor replayed texts


def draw_data(app: App) -> TrainingData:
    """Draw the choice of labels, sets and replayed texts; return how much is chosen."""
    counts = label_counts(app)
    infos = {info.name: info for info in RelevanceSets(app.settings.home).infos()}
    has_labels = st.toggle(
        "My labels", key=LABELS, value=counts.judged > 0, disabled=not counts.judged,
        persist_state="session", help="Labels of all annotators. Unlabelled turns are not learned from.",
    )  # fmt: skip
    if counts.judged:
        st.caption(
            f"{pluralize(counts.judged, 'labelled turn')}, {counts.relevant:,} of them relevant, for"
            f" {pluralize(counts.situations, 'message')} of {pluralize(counts.conversations, 'conversation')}"
        )
    else:
        st.page_link(_LABEL_PAGE, label="No turn is labelled yet. Label some turns", icon=":material/label:")
    usable = [name for name, info in infos.items() if info.may_train and not info.problem]
    sets = st.multiselect(
        "Relevance sets", usable, key=SETS, persist_state="session", placeholder="None",
        help="Files with known relevant turns, as Label exports them.",
    )  # fmt: skip
    for name in sets:
        info = infos[name]
        st.caption(
            f"{literal(name)}: {pluralize(info.judged, 'judged turn')} for {pluralize(info.cases, 'message')}"
            f" of {pluralize(info.conversations, 'conversation')} · {literal(info.licence or 'no licence')}"
        )
    for name, info in infos.items():
        if name not in usable:
            st.caption(f":material/block: {literal(f'{name}: {info.problem or info.terms}')}")
    _draw_upload(app)
    replay = st.pills(
        "Replayed texts", [replay.name for replay in REPLAYS], key=REPLAY, selection_mode="multi",
        default=[REPLAYS[0].name], persist_state="session",
        format_func={replay.name: replay.label for replay in REPLAYS}.__getitem__,
        help="Labelled texts that come with convgate. They keep the gate from forgetting what it knows, and"
        " weigh as much as your data.",
    )  # fmt: skip
    names = [*([ALL_LABELS] if has_labels and counts.judged else []), *sets]
    together = counted_together(app, names)
    for overlap in together.overlaps:
        st.caption(literal(overlap.sentence))
    return TrainingData(together.conversations, not (names or replay))


def _draw_upload(app: App) -> None:
    with st.expander("Add a relevance set", icon=":material/upload_file:"):
        key = f"{UPLOAD}.{st.session_state.get(_UPLOADS, 0)}"
        st.file_uploader(
            "JSON lines", type=["jsonl"], key=key, on_change=_upload, args=(app, key),
            max_upload_size=app.settings.upload_limit_mb,
        )  # fmt: skip


def _upload(app: App, key: str) -> None:
    file = st.session_state.get(key)
    if file is None:
        return
    library = RelevanceSets(app.settings.home)
    st.session_state[_UPLOADS] = st.session_state.get(_UPLOADS, 0) + 1
    with reporting_problems():
        name = library.add(library.free_name(file.name), file.getvalue()).name
        st.session_state[SETS] = [*st.session_state.get(SETS, []), name]
