"""What there is to learn from, how much of it, and what may be done with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.core.text import pluralize
from convgate.training.library import RelevanceSets
from convgate.training.sets import LICENCE, REPLAYS, count_replay
from convgate.ui.frame import App
from convgate.ui.label_sources import LABELS as ALL_LABELS
from convgate.ui.label_sources import counted_together, label_counts
from convgate.ui.text import literal
from convgate.ui.train import state

LABELS, SETS, REPLAY, UPLOAD = "train.labels", "train.sets", "train.replay", "train.upload"
_LABEL_PAGE = "pages/2_Label.py"


@dataclass(frozen=True)
class Chosen:
    """What a person chose to learn from."""

    labels: bool
    sets: tuple[str, ...]
    replay: tuple[str, ...]
    conversations: int  # of labels and sets, as the training counts them

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to learn from."""
        return not (self.labels or self.sets or self.replay)


def draw_data(app: App) -> Chosen:
    """The choice, with counts and licences; a way to add a set."""
    gold = label_counts(app)
    infos = {info.name: info for info in RelevanceSets(app.settings.home).infos()}
    usable = [name for name, info in infos.items() if info.may_train and not info.problem]
    labels = st.toggle(
        "My labels", key=LABELS, value=gold.judged > 0, disabled=not gold.judged, persist_state="session",
        help="What you and others labelled in this app. Turns that nobody judged are not learned from.",
    )  # fmt: skip
    if gold.judged:
        told = f"{pluralize(gold.judged, 'labelled turn')}, {gold.relevant:,} of them relevant, for"
        told += f" {pluralize(gold.situations, 'message')} of {pluralize(gold.conversations, 'conversation')}"
        st.caption(told)
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption("No turn is labelled yet.", width="content")
            st.page_link(_LABEL_PAGE, label="Label some turns", icon=":material/label:")
    sets = st.multiselect(
        "Relevance sets", usable, key=SETS, persist_state="session", placeholder="None",
        help="Files with known relevant turns. A set whose licence forbids training is not offered.",
    )  # fmt: skip
    for name in sets:
        info = infos[name]
        licence = info.licence or "no licence known, as of a set of your own"
        st.caption(
            f"{literal(name)}: {pluralize(info.judged, 'judged turn')} for {pluralize(info.cases, 'message')} of"
            f" {pluralize(info.conversations, 'conversation')} · {literal(licence)}"
        )
    _draw_refused(
        [f"{info.name}: {info.problem or info.terms}" for name, info in infos.items() if name not in usable]
    )
    _draw_upload(app)
    replay = st.pills(
        "Written texts beside them", [replay.name for replay in REPLAYS], key=REPLAY, selection_mode="multi",
        default=[REPLAYS[0].name], persist_state="session",
        format_func={replay.name: replay.label for replay in REPLAYS}.__getitem__,
        help="Texts that come with convgate, with known answers. A few labels alone could make the gate"
        " forget what it knows; these remind it. They weigh as much as your labels together.",
    )  # fmt: skip
    if replay:
        parts = [(one.label, *count_replay(one.name)) for one in REPLAYS if one.name in replay]
        st.caption(
            " · ".join(
                f"{label}: {pluralize(talks, 'conversation')}, {pluralize(cases, 'message')}"
                for label, talks, cases in parts
            )
            + f" · {LICENCE}"
        )
    own = bool(labels) and gold.judged > 0
    together = counted_together(app, [*([ALL_LABELS] if own else []), *sets])
    for overlap in together.overlaps:
        st.caption(literal(overlap.sentence))
    return Chosen(own, tuple(sets), tuple(replay), together.conversations)


def _draw_refused(reasons: Sequence[str]) -> None:
    for reason in reasons:
        st.caption(f":material/block: Not to be trained on: {literal(reason)}")


def _draw_upload(app: App) -> None:
    with st.expander("Add a relevance set", icon=":material/upload_file:", key="train.add"):
        key = f"{UPLOAD}.{st.session_state.get(f'{UPLOAD}.number', 0)}"
        st.file_uploader(
            "A file of JSON lines", type=["jsonl"], key=key, on_change=_uploaded, args=(app, key),
            max_upload_size=app.settings.upload_limit_mb,
            help="Conversations and cases, as Label exports them. It stays in your library of sets.",
        )  # fmt: skip


def _uploaded(app: App, key: str) -> None:
    file = st.session_state.get(key)
    if file is None:
        return
    library = RelevanceSets(app.settings.home)
    info = state.attempt(library.add, library.free_name(file.name), file.getvalue())
    st.session_state[f"{UPLOAD}.number"] = st.session_state.get(f"{UPLOAD}.number", 0) + 1
    if info is not None:
        st.session_state[SETS] = [*st.session_state.get(SETS, []), info.name]
