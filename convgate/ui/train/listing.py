"""All trainings, the newest first, with what each does or came to."""

from __future__ import annotations

import streamlit as st

from convgate.core.text import format_age, pluralize
from convgate.training.report import read_verdict
from convgate.training.run import Run, Runs
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.train import state
from convgate.versions.catalog import Versions

PER_PAGE = 8
PAGE = "train.runs.page"
STATES = {
    "running": (":material/progress_activity:", "Running"),
    "stopping": (":material/pause_circle:", "Stopping"),
    "stopped": (":material/pause_circle:", "Stopped"),
    "failed": (":material/error:", "Failed"),
    "done": (":material/check_circle:", "Done"),
    "interrupted": (":material/power_off:", "Interrupted"),
}


def draw_runs(app: App) -> None:
    """The list with its pages, kept up to date while a training is at work."""
    runs = Runs(app.settings.home).all()
    st.subheader("Trainings", anchor=False)
    if not runs:
        st.caption("None yet. Trainings from the command line are listed here, too.")
        return
    every = "3s" if any(run.is_active for run in runs) else None
    st.fragment(_draw_list, run_every=every)(app)


def _draw_list(app: App) -> None:
    runs = Runs(app.settings.home).all()
    pages = max(1, -(-len(runs) // PER_PAGE))
    page = min(int(st.session_state.get(PAGE, 1)), pages)
    active = Versions(app.settings.home).active
    for run in runs[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _draw_row(run, in_use=run.version is not None and run.version == active)
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=PAGE, persist_state="session")


def _draw_row(run: Run, *, in_use: bool) -> None:
    icon, word = STATES[run.state]
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"run-{run.id}"):
        with st.container(gap=None):
            used = " :green-badge[:material/check_circle: in use]" if in_use else ""
            st.markdown(f"{icon} **{word}** · {literal(title(run), limit=80)}{used}")
            st.caption(literal(details(run), limit=240))
        st.button(
            "Open", key=f"train.open.{run.id}", on_click=state.look_at, args=(run.id,),
            icon=":material/arrow_forward:",
        )  # fmt: skip


def title(run: Run) -> str:
    """What a run is called: by its version, made or wanted, or when it began."""
    wanted = run.request.name if run.request else ""
    return run.version or wanted or f"begun {run.started:%Y-%m-%d %H:%M}"


def details(run: Run) -> str:
    """What came of it, what it learns from, how far it is, and when it began."""
    parts = [verdict_words(run)] if run.state == "done" else []
    if run.request is not None:
        learned = [*run.request.sets, *run.request.replay]
        parts.append(f"{', '.join(learned) or 'what comes with convgate'}")
        parts.append(f"from {run.request.parent}" if run.request.parent else "from scratch")
    parts.append(pluralize(run.epochs, "epoch"))
    parts.append(format_age(run.started))
    if run.is_active and run.progress is not None:
        parts.append(run.progress.stage)
    elif run.message and run.state != "done":
        parts.append(run.message)
    return " · ".join(parts)


def verdict_words(run: Run) -> str:
    """Whether the version that it made is better, in a few words."""
    verdict = read_verdict(run.outcome.get("against_parent"))
    if verdict is None:
        return "Nobody knows yet whether it is better"
    return verdict.headline((run.request.parent if run.request else None) or "its parent")
