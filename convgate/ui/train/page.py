"""Train: a new training and the list of all, or one of them with its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.labels.agreement import training_warnings
from convgate.labels.calibration import calibration
from convgate.labels.gold import gold_set
from convgate.training.epochs import FURTHER
from convgate.training.library import RelevanceSets, SetInfo
from convgate.training.process import start_training
from convgate.training.sets import REPLAYS
from convgate.training.split import MIN_COMPARED, MIN_CONVERSATIONS, count_conversations
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.annotator import person
from convgate.ui.shared.frame import App
from convgate.ui.shared.label_sources import (
    LABELS,
    describe_source,
    draw_sources,
    draw_too_few,
    read_labelled,
    sources,
    usable,
)
from convgate.ui.shared.navigation import LABEL, VERSIONS
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.text import literal
from convgate.ui.train.runs import draw_run, draw_runs
from convgate.ui.train.state import TrainState, attempt, page
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

PARENT, EPOCHS, NAME, NOTE = "train.parent", "train.epochs", "train.name", "train.note"
ACTIVATE, START, REPLAY = "train.activate", "train.start", "train.replay"
_UPLOADS = "train.upload"  # how many files were uploaded: each needs an uploader with a new key


def train(app: App) -> None:
    """Draw the page."""
    state, problems = page.current()
    known = sources(app)
    state, missing = state.drop_unknown_names(data=known)
    page.keep(state)
    draw_problems([*problems, *missing])
    draw_problem()
    if state.run is not None:
        draw_run(app, state.run)
    else:
        _draw_new(app, state, known)
        draw_runs(app)


def _draw_new(app: App, state: TrainState, known: Mapping[str, SetInfo]) -> None:
    """Draw the choices, the warnings and the button."""
    left, right = st.columns(2, gap="large")
    with left:
        st.subheader("Data", anchor=False)
        names, conversations = _draw_data(app, state, known)
    with right:
        st.subheader("New version", anchor=False)
        has_parent = _draw_version(Versions(app.settings.home))
    for warning in (*training_warnings(app.store), *calibration(app.store).warnings):
        st.warning(literal(warning), icon=":material/warning:")
    is_empty = not (names or st.session_state[REPLAY])
    enough_data = False
    if is_empty:
        st.info("Choose data to learn from.", icon=":material/info:")
    else:
        enough_data = draw_too_few(conversations)
        if conversations < MIN_CONVERSATIONS:
            st.caption("No conversation is held out, so the new version is not compared with its parent.")
        elif conversations < MIN_COMPARED:
            st.caption("The new version is compared with its parent by cross-validation.")
    st.button(
        "Start training", key=START, type="primary" if enough_data else "secondary",
        icon=":material/play_arrow:", on_click=attempt, args=(_start, app, names),
        disabled=is_empty or not has_parent,
        help="It runs in the background: you can leave or reload this page.",
    )  # fmt: skip


def _draw_data(app: App, state: TrainState, known: Mapping[str, SetInfo]) -> tuple[list[str], int]:
    """Draw the choice of data; return the chosen labels and sets, and the number of their conversations."""
    trainable = {name: info for name, info in known.items() if info.may_train}
    available = usable(trainable)
    default = (LABELS,) if LABELS in available else ()
    names = [name for name in (default if state.data is None else state.data) if name in available]
    draw_sources(page, trainable, names)
    if LABELS not in available:
        st.page_link(LABEL, label="No turn is labelled yet. Label some turns", icon=":material/label:")
    for name in names:
        terms = f" · {literal(known[name].licence)}" if known[name].licence else ""
        st.caption(f"{describe_source(known[name])}{terms}")
    for name, info in known.items():
        if name not in trainable:
            st.caption(f":material/block: {literal(f'{name}: {info.problem or info.terms}')}")
    _draw_upload(app, names)
    st.pills(
        "Replayed texts", [replay.name for replay in REPLAYS], key=REPLAY, selection_mode="multi",
        default=[REPLAYS[0].name], persist_state="session",
        format_func={replay.name: replay.label for replay in REPLAYS}.__getitem__,
        help="Labelled texts that come with convgate. They keep the gate from forgetting what it knows, and"
        " weigh as much as your data.",
    )  # fmt: skip
    conversations, overlaps = count_together(app, names)
    for overlap in overlaps:
        st.caption(literal(overlap.sentence))
    return names, conversations


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
    key = f"{_UPLOADS}.{st.session_state.setdefault(_UPLOADS, 0)}"
    with st.expander("Add a relevance set", icon=":material/upload_file:"):
        st.file_uploader(
            "JSON lines", type=["jsonl"], key=key, on_change=_upload, args=(app, names, key),
            max_upload_size=app.settings.upload_limit_mb,
        )  # fmt: skip


def _upload(app: App, names: Sequence[str], key: str) -> None:
    file = st.session_state.get(key)
    if file is None:
        return
    library = RelevanceSets(app.settings.home)
    st.session_state[_UPLOADS] += 1
    with reporting_problems():
        added = library.add(library.free_name(file.name), file.getvalue())
        page.change(data=(*names, added.name))


def _draw_version(versions: Versions) -> bool:
    """Draw the options of the new version; return whether there is one to start from."""
    names, active = versions.names(), versions.active
    if not names:
        st.info("No version to start from. Import one in Versions.", icon=":material/account_tree:")
        st.page_link(VERSIONS, label="Open Versions", icon=":material/arrow_forward:")
        return False
    st.selectbox(
        "Start from", names, index=names.index(active) if active in names else 0, key=PARENT,
        persist_state="session", help="The version to train further. It stays as it is.",
    )  # fmt: skip
    st.caption(f"Active: {literal(active or UNTRAINED)}")
    st.number_input(
        "Max epochs", 1, 100, FURTHER.epochs, key=EPOCHS, persist_state="session",
        help="It stops earlier when the validation loss no longer improves.",
    )  # fmt: skip
    st.text_input(
        "Name", key=NAME, max_chars=64, placeholder="The date and a number",
        help="Lower-case letters, digits, periods, hyphens and underscores.",
    )  # fmt: skip
    st.text_input("Note", key=NOTE, max_chars=400, placeholder="What is new about it?")
    st.toggle(
        "Activate it when it is better", value=True, key=ACTIVATE, persist_state="session",
        help="When the 95% interval of its gain excludes 0 on at least 25 held-out conversations. Otherwise"
        " it waits for you.",
    )  # fmt: skip
    return True


def _start(app: App, names: Sequence[str]) -> None:
    # From the session: arguments would be those before what was typed last.
    values = st.session_state
    Versions(app.settings.home).get(values[PARENT]).files()  # fails here rather than in the background
    run_id = start_training(
        app.settings.home,
        values[PARENT],
        labels=gold_set(app.store) if LABELS in names else None,
        sets=[name for name in names if name != LABELS],
        replay=values[REPLAY],
        epochs=int(values[EPOCHS]),
        name=values[NAME].strip(),
        note=values[NOTE].strip(),
        who=person(),
        activate=values[ACTIVATE],
    )
    page.change(run=run_id)
