"""The list of trainings, and one of them: progress, log, stop, resume, delete, report."""

from __future__ import annotations

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import format_age, pluralize
from convgate.figures.training import epoch_curves
from convgate.training.epochs import FURTHER, Epoch
from convgate.training.process import finish_training, resume_training
from convgate.training.report import read_verdict
from convgate.training.run import LOG, Run, Runs
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.text import literal, show_text
from convgate.ui.shared.training_curves import draw_epochs
from convgate.ui.train.report import draw_report
from convgate.ui.train.state import attempt, page
from convgate.versions.catalog import Versions

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
                st.caption(literal(_details(run), limit=240))
            st.button("Open", key=f"train.open.{run.id}", on_click=page.change, kwargs={"run": run.id})
    if len(runs) > SHOWN:
        st.caption(f"The newest {SHOWN} of {len(runs):,}. Delete some to see older ones.")


def _title(run: Run) -> str:
    name = run.request.name if run.request else ""
    return run.version or name or f"started {run.started:%Y-%m-%d %H:%M}"


def _details(run: Run) -> str:
    """Return the result, the data, the parent, how far it is, and when it started."""
    parts = []
    if run.state == "done":
        verdict = read_verdict(run.outcome.get("against_parent"))
        parent = (run.request.parent if run.request else None) or "its parent"
        parts.append(verdict.headline(parent) if verdict else "Not compared with its parent")
    if run.request is not None:
        parts.append(", ".join([*run.request.sets, *run.request.replay]))
        parts.append(f"from {run.request.parent}" if run.request.parent else "from scratch")
        parts += [f"by {run.request.who}"] if run.request.who else []
        parts += [run.request.note] if run.request.note else []
    parts += [pluralize(run.epochs, "epoch"), format_age(run.started)]
    return " · ".join(parts)


def draw_run(app: App, id: str) -> None:
    """Draw the run, and the way back to all of them."""
    st.button(
        "All trainings", key="train.back", type="tertiary", icon=":material/arrow_back:",
        on_click=page.change, kwargs={"run": None},
    )  # fmt: skip
    run = Runs(app.settings.home).get(id)
    st.fragment(_draw_live, run_every="1s" if run.is_active else None)(app, id, was_active=run.is_active)
    if run.is_active:
        return
    with st.expander("Curves and log", icon=":material/show_chart:", expanded=run.state != "done"):
        _draw_curves(run)
        _draw_log(run)


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
        done, total = (status.done, status.total) if status else (0, 0)
        counts = f" · {done:,} of {total:,}" if total else ""
        share = min(max(done / max(total, 1), 0.0), 1.0)
        st.progress(share, text=literal(f"{status.stage if status else 'Starting'}{counts}"))
    elif run.state == "done":
        draw_report(app, run)
    else:
        (st.error if run.state == "failed" else st.warning)(literal(run.message), icon=icon)
    if not run.has_data:
        st.caption(":material/delete_forever: Its data was removed, so it cannot be resumed.")
    _draw_actions(app, run)
    if run.is_active:
        _draw_curves(run)
        _draw_log(run)


def _draw_actions(app: App, run: Run) -> None:
    home, runs = app.settings.home, Runs(app.settings.home)
    with st.container(horizontal=True):
        if run.is_active:
            st.button(
                "Stop", key="train.stop", icon=":material/pause:", disabled=run.state == "stopping",
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
                on_click=attempt, args=(finish_training, home, run.id),
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
