"""Train: a new training and the list of all, or one of them with its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import format_about, format_age, join_words, pluralize
from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.figures.training import epoch_curves
from convgate.labels.gold import gold_set
from convgate.training.epochs import FURTHER, Epoch
from convgate.training.library import RelevanceSets, SetInfo
from convgate.training.process import resume_training, start_training
from convgate.training.report import read_verdict
from convgate.training.run import LOG, Run, Runs
from convgate.training.sets import REPLAYS
from convgate.training.split import MAX_FOLDS, MIN_COMPARED, MIN_CONVERSATIONS, count_conversations
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.annotator import annotator, name_words
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.improvement import draw_improvement
from convgate.ui.shared.label_sources import (
    LABELS,
    draw_sources,
    read_labelled,
    sources,
    usable,
)
from convgate.ui.shared.navigation import VERSIONS
from convgate.ui.shared.text import literal, show_text
from convgate.ui.shared.training_curves import draw_epochs
from convgate.ui.train.report import draw_report
from convgate.ui.train.state import TrainState, attempt, page
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

PARENT, EPOCHS, NAME, NOTE = "train.parent", "train.epochs", "train.name", "train.note"
ACTIVATE, START, REPLAY = "train.activate", "train.start", "train.replay"
_UPLOADS = "train.upload"  # how many files were uploaded: each needs an uploader with a new key
SHOWN = 30  # trainings of the list
_STATES = {
    "running": (":material/progress_activity:", "Running"),
    "stopping": (":material/pause_circle:", "Stopping"),
    "stopped": (":material/pause_circle:", "Stopped"),
    "failed": (":material/error:", "Failed"),
    "done": (":material/check_circle:", "Done"),
    "interrupted": (":material/power_off:", "Interrupted"),
}
_LOG_BYTES = 6_000  # of its end
_SECONDS = (
    0.5  # that an epoch takes for each conversation, where no earlier training says; about, on two cores
)


def draw_page(app: App) -> None:
    """Draw the page."""
    known = sources(app)
    state = page.begin(data=known)
    improvement = draw_improvement(app, "train")
    draw_problem()
    if state.run is not None:
        draw_run(app, state.run)
    else:
        _draw_new(app, state, known, is_next=improvement.is_next("train"))
        draw_runs(app)


def _draw_new(app: App, state: TrainState, known: Mapping[str, SetInfo], *, is_next: bool) -> None:
    """Draw what to learn from and the button, and the options behind a click."""
    trainable = {name: info for name, info in known.items() if info.may_train}
    available = usable(trainable)
    default = (LABELS,) if LABELS in available else ()
    names = [name for name in (default if state.data is None else state.data) if name in available]
    words = st.container()
    draw_sources(page, trainable, names)
    for name, info in known.items():
        if name not in trainable:
            st.caption(f":material/block: {literal(f'{name}: {info.problem or info.terms}')}")
    with st.expander("Options and further data", icon=":material/tune:"):
        has_parent = _draw_options(app, names)
        end = st.container()
    with words:
        is_measured = _draw_plan(app, names, known, has_parent=has_parent)
    with words if is_measured else end:
        st.button(
            "Start training" if is_measured else "Train anyway, unmeasured", key=START,
            type="primary" if is_next else "secondary", icon=":material/play_arrow:",
            on_click=attempt, args=(_start, app, names), disabled=not names or not has_parent,
            help="It runs in the background: you can leave or reload this page.",
        )  # fmt: skip


def _draw_plan(app: App, names: Sequence[str], known: Mapping[str, SetInfo], *, has_parent: bool) -> bool:
    """Draw what is learned from and how it is compared, in a sentence; return whether it can be compared."""
    is_measured = True
    if not names:
        words = "Choose labelled data below to learn from."
        if not known[LABELS].judged:
            words = "You have no labels yet: label some turns, or choose other labelled data below."
    else:
        conversations, overlaps = count_together(app, names)
        how = "a part of them is held out to compare the new version with its parent"
        is_measured = conversations >= MIN_CONVERSATIONS
        if not is_measured:
            how = f"too few to measure, which takes {MIN_CONVERSATIONS}; start anyway under Options"
        elif conversations < MIN_COMPARED:
            how = "the new version is compared with its parent by cross-validation"
        turns = sum(known[name].judged for name in names)
        words = (
            f"Learns from {pluralize(turns, 'labelled turn')} of"
            f" {pluralize(conversations, 'conversation')}; {how}."
        )
        if replayed := [REPLAYS[name] for name in st.session_state[REPLAY]]:
            words += f" Also learns from, and is validated on, texts of convgate: {join_words(replayed)}."
        for overlap in overlaps:
            st.caption(literal(overlap.sentence))
        if has_parent:
            words += f"  \n{_say_how_long(app, names, known, conversations)}"
    st.markdown(words)
    return is_measured


def _say_how_long(app: App, names: Sequence[str], known: Mapping[str, SetInfo], conversations: int) -> str:
    """Return the stages of a training on this data, and about how long it takes."""
    epochs = int(st.session_state[EPOCHS])
    is_crossed = MIN_CONVERSATIONS <= conversations < MIN_COMPARED
    folds = min(MAX_FOLDS, conversations) if is_crossed else 0
    stages = f"at most {pluralize(epochs, 'epoch')}"
    if folds:
        stages += f", then as many for each of {folds} parts of the cross-validation"
    rates = (run.seconds_per_conversation for run in Runs(app.settings.home).all())
    sizes = {name: known[name].conversations for name in names}
    replayed = st.session_state[REPLAY]
    draws = FURTHER.draws(sizes | dict.fromkeys(replayed, FURTHER.episodes), replayed)
    # Of a cross-validation, each part leaves its share of the conversations out.
    seconds = next((rate for rate in rates if rate), _SECONDS) * sum(draws.values()) * epochs * max(folds, 1)
    return f"{format_about(seconds).capitalize()}: {stages}."


def _draw_options(app: App, names: Sequence[str]) -> bool:
    """Draw the options and the upload; return whether there is a version to start from."""
    left, right = st.columns(2, gap="large")
    with left:
        has_parent = _draw_version(Versions(app.settings.home))
    with right:
        st.pills(
            "Also train on texts of convgate", list(REPLAYS), key=REPLAY, selection_mode="multi",
            default=["scenarios"], persist_state="session", format_func=REPLAYS.__getitem__,
            help="They keep the gate from forgetting what it knows, and weigh as much as your data.",
        )  # fmt: skip
        _draw_upload(app, names)
    return has_parent


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
    st.file_uploader(
        "Add a relevance set (JSON lines)", type=["jsonl"], key=key, on_change=_upload,
        args=(app, names, key), max_upload_size=app.settings.upload_limit_mb,
        help="Sessions of agents become one by `convgate corpus agents`, in a checkout.",
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
        help="Better: all that a message needs takes fewer tokens, and no more decisions break than are"
        " fixed. The 95% interval has to exclude 0 on 25 held-out conversations; else it waits for you.",
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
        who=annotator(),
        activate=values[ACTIVATE],
    )
    page.change(run=run_id)


def draw_runs(app: App) -> None:
    """Draw the list, newest first, updated while a training is active."""
    runs = Runs(app.settings.home).all()
    st.subheader("Trainings", anchor=False)
    if not runs:
        st.caption("None yet.")
        return
    st.fragment(_draw_list, run_every="3s" if any(run.is_active for run in runs) else None)(app)


def _draw_list(app: App) -> None:
    page.rerun_after_action()
    runs = Runs(app.settings.home).all()
    active = Versions(app.settings.home).active
    for run in runs[:SHOWN]:
        icon, state_name = _STATES[run.state]
        is_active = run.version is not None and run.version == active
        badge = " :green-badge[:material/check_circle: active]" if is_active else ""
        with st.container(border=True, horizontal=True, vertical_alignment="center"):
            with st.container(gap=None):
                st.markdown(f"{icon} **{state_name}** · {literal(_title(run), limit=80)}{badge}")
                st.caption(literal(" · ".join([*_verdict(run), _details(run)]), limit=240))
            st.button("Open", key=f"train.open.{run.id}", on_click=page.change, kwargs={"run": run.id})
    if len(runs) > SHOWN:
        st.caption(f"The newest {SHOWN} of {len(runs):,}. Delete some to see older ones.")


def _title(run: Run) -> str:
    name = run.request.name if run.request else ""
    return run.version or name or f"started {run.started:%Y-%m-%d %H:%M}"


def _verdict(run: Run) -> list[str]:
    """Return how it compares with its parent, of one that is done."""
    if run.state != "done":
        return []
    verdict = read_verdict(run.outcome.get("against_parent"))
    parent = (run.request.parent if run.request else None) or "its parent"
    return [verdict.headline(parent) if verdict else "Not compared with its parent"]


def _details(run: Run) -> str:
    """Return the data, the parent, how far it is, and when it started."""
    parts = []
    if run.request is not None:
        sets = join_words([*run.request.sets, *(REPLAYS.get(name, name) for name in run.request.replay)])
        parts.append(f"{'learns' if run.is_active else 'learned'} from {sets}")
        parts.append(f"starts from {run.request.parent or 'random weights'}")
        parts += [f"by {who}"] if (who := name_words(run.request.who)) else []
        parts += [run.request.note] if run.request.note else []
    parts.append(f"{_share(run):.0%} done" if run.is_active else pluralize(run.epochs, "epoch"))
    parts.append(f"started {format_age(run.started)}")
    return " · ".join(parts)


def draw_run(app: App, id: str) -> None:
    """Draw the run, and the way back to all of them."""
    st.button(
        "All trainings", key="train.back", type="tertiary", icon=":material/arrow_back:",
        on_click=page.change, kwargs={"run": None},
    )  # fmt: skip
    run = Runs(app.settings.home).get(id)
    st.fragment(_draw_live, run_every="1s" if run.is_active else None)(app, id, was_active=run.is_active)


def _draw_live(app: App, id: str, *, was_active: bool) -> None:
    """Draw what changes while it is active; the whole page is drawn again at its end."""
    page.rerun_after_action()
    run = Runs(app.settings.home).get(id)
    if was_active and not run.is_active:
        st.rerun()
    icon, state_name = _STATES[run.state]
    st.subheader(f"{icon} {state_name}: {literal(_title(run), limit=80)}", anchor=False)
    st.caption(literal(_details(run), limit=400))
    if run.is_active:
        status = run.status
        left = status.seconds_left if status else None
        words = [status.stage if status else "Starting", *([f"{format_about(left)} left"] if left else [])]
        st.progress(_share(run), text=literal(" · ".join(words)))
    elif run.state == "done":
        draw_report(app, run)
    else:
        (st.error if run.state == "failed" else st.warning)(literal(run.message), icon=icon)
    if not run.has_data:
        st.caption(":material/delete_forever: Its data was removed, so it cannot be resumed.")
    _draw_actions(app, run)
    with st.expander("Curves and log", icon=":material/show_chart:", expanded=run.state == "failed"):
        _draw_curves(run)
        _draw_log(run)


def _share(run: Run) -> float:
    """Return how much of the run is done, 0…1."""
    return min(max(run.status.share, 0.0), 1.0) if run.status else 0.0


def _draw_actions(app: App, run: Run) -> None:
    home, runs = app.settings.home, Runs(app.settings.home)
    with st.container(horizontal=True):
        if run.is_active:
            st.button(
                "Stop training", key="train.stop", icon=":material/pause:", disabled=run.state == "stopping",
                on_click=attempt, args=(runs.stop, run.id),
                help="The last whole epoch is saved; it can be resumed.",
            )  # fmt: skip
            return
        if run.can_resume:
            st.button(
                "Resume", key="train.resume", type="primary", icon=":material/play_arrow:",
                on_click=attempt, args=(resume_training, home, run.id),
            )  # fmt: skip
        if run.can_finish:
            st.button(
                "Save as it is", key="train.finish", icon=":material/save:",
                on_click=attempt, args=(partial(resume_training, finish=True), home, run.id),
                help=f"Saves the best of its {pluralize(run.epochs, 'epoch')} as a version.",
            )  # fmt: skip
        with st.popover("Delete", icon=":material/delete:"):
            st.caption("Deletes its record and its copy of the data; its version stays.")
            st.button("Delete training", key="train.delete", on_click=_delete, args=(runs, run.id))


def _delete(runs: Runs, id: str) -> None:
    attempt(runs.delete, id)
    if not (runs.folder / id).exists():
        page.change(run=None)


def _draw_curves(run: Run) -> None:
    epochs: tuple[Epoch, ...] = ()
    try:
        epochs = run.read_record().epochs if run.has_record else ()
    except ConvgateError as error:
        show_problem(error)
    if not epochs:
        st.caption("No epoch is finished yet." if run.is_active else "It ended before its first epoch.")
        return
    max_epochs = (run.request.epochs if run.request else 0) or FURTHER.epochs
    best = max((epoch.number for epoch in epochs if epoch.best), default=None)
    draw_epochs(epoch_curves(epochs), best=best, max_epochs=max_epochs)


def _draw_log(run: Run) -> None:
    try:
        text = (run.folder / LOG).read_bytes()[-_LOG_BYTES:].decode(errors="replace")
    except OSError:  # started in a terminal
        return
    if text.strip():
        with st.container(height=240, key="train.log"):
            show_text(text)
