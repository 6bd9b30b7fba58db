"""One training: what it does at the moment, what can be done with it, what it came to, and its curves."""

from __future__ import annotations

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize
from convgate.figures.layout import CONFIG
from convgate.figures.training import describe_epochs, epoch_curves, epochs_figure, losses_and_shares
from convgate.training.epochs import FURTHER, Epoch
from convgate.training.process import finish_training, resume_training
from convgate.training.run import LOG, Run, Runs
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal, show_text
from convgate.ui.theme import current_palette
from convgate.ui.train import state
from convgate.ui.train.listing import STATES, details, title
from convgate.ui.train.outcome import draw_outcome
from convgate.ui.train.report import draw_report

_EVERY = "1s"
_TAIL = 6_000  # characters of a log


def draw_run(app: App, id: str) -> None:
    """The run of the address, and the way back to all of them."""
    st.button(
        "All trainings", key="train.back", type="tertiary", icon=":material/arrow_back:",
        on_click=state.look_at, args=(None,),
    )  # fmt: skip
    run = Runs(app.settings.home).get(id)
    st.fragment(_draw_live, run_every=_EVERY if run.is_active else None)(app, id, watched=run.is_active)
    if run.is_active:
        return
    draw_report(app, run)
    with st.expander("How the training went", icon=":material/show_chart:", expanded=run.state != "done"):
        _draw_figures(run)
        _draw_log(run)
    if run.state == "done":
        _draw_actions(app, run)


def _draw_live(app: App, id: str, *, watched: bool) -> None:
    """What changes while it goes on; the whole page is drawn anew when that is over."""
    run = Runs(app.settings.home).get(id)
    if watched and not run.is_active:
        st.rerun()
    icon, word = STATES[run.state]
    st.subheader(f"{icon} {word}: {literal(title(run), limit=80)}", anchor=False)
    st.caption(literal(_asked(run), limit=400))
    if run.is_active:
        _draw_progress(run)
    elif run.state == "done":
        draw_outcome(app, run)
    else:
        (st.error if run.state == "failed" else st.warning)(literal(run.message), icon=icon)
    if not run.has_data:
        st.caption(":material/delete_forever: Its data was removed, so it cannot be resumed.")
    if run.state != "done":
        _draw_actions(app, run)
    if run.is_active:
        _draw_figures(run)


def _asked(run: Run) -> str:
    note = f" · {run.request.note}" if run.request and run.request.note else ""
    who = f" · by {run.request.who}" if run.request and run.request.who else ""
    if run.request is None:
        return details(run)
    learned = ", ".join([*run.request.sets, *run.request.replay]) or "what comes with convgate"
    return f"Learns from {learned} · parent {run.request.parent or 'none'}{who}{note}"


def _draw_progress(run: Run) -> None:
    progress = run.progress
    if progress is None:
        st.progress(0.0, text="Starting")
        return
    share = progress.done / progress.total if progress.total else 0.0
    counts = f" · {progress.done:,} of {progress.total:,}" if progress.total else ""
    st.progress(min(max(share, 0.0), 1.0), text=literal(f"{progress.stage}{counts}"))


def _draw_actions(app: App, run: Run) -> None:
    home, listed = app.settings.home, Runs(app.settings.home)
    with st.container(horizontal=True):
        if run.is_active:
            st.button(
                "Stop training", key="train.stop", icon=":material/pause:", disabled=run.state == "stopping",
                on_click=state.attempt, args=(listed.stop, run.id),
                help="What the last whole epoch learned is kept, and it can go on.",
            )  # fmt: skip
            return
        if run.can_resume:
            st.button(
                "Go on", key="train.go_on", type="primary", icon=":material/play_arrow:",
                on_click=state.attempt, args=(resume_training, home, run.id),
                help="It goes on after its last whole epoch, as if nothing had happened.",
            )  # fmt: skip
        if run.can_finish:
            st.button(
                "Finish as it is", key="train.finish", icon=":material/flag:",
                on_click=state.attempt, args=(finish_training, home, run.id),
                help=f"Makes a version of the best of its {pluralize(run.epochs, 'epoch')}.",
            )  # fmt: skip
        with st.popover("Delete", icon=":material/delete:"):
            st.caption("Its record and its copy of the data go; a version that it made stays.")
            st.button("Delete this training", key="train.delete", on_click=_delete, args=(listed, run.id))


def _delete(listed: Runs, id: str) -> None:
    state.attempt(listed.delete, id)
    if not (listed.folder / id).exists():
        state.look_at(None)


def _epochs(run: Run) -> tuple[Epoch, ...]:
    try:
        return run.read_record().epochs if run.has_record else ()
    except ConvgateError as error:
        show_problem(error)
        return ()


def _draw_figures(run: Run) -> None:
    epochs = _epochs(run)
    if not epochs:
        begin = "The curves begin when the first epoch is over."
        st.caption(begin if run.is_active else "It ended before its first epoch was over.")
        return
    most = max(len(epochs), run.request.epochs if run.request and run.request.epochs else FURTHER.epochs)
    best = max((epoch.number for epoch in epochs if epoch.best), default=None)
    losses, shares = losses_and_shares(epoch_curves(epochs))
    for column, curves in zip(st.columns(2), (losses, shares), strict=True):
        column.plotly_chart(
            epochs_figure(curves, current_palette(), shares=curves is shares, best=best, max_epochs=most),
            theme=None, config=CONFIG, key=f"train.{'shares' if curves is shares else 'losses'}",
            alt=describe_epochs(curves),
        )  # fmt: skip
    last = epochs[-1]
    st.caption(
        f"Epoch {last.number}: loss {last.loss:.3f}, validation loss {last.validation_loss:.3f}, precision"
        f" {last.precision:.0%}, recall {last.recall:.0%}, residual gate {last.activation:.0%} open."
    )


def _draw_log(run: Run) -> None:
    try:
        text = (run.folder / LOG).read_bytes()[-_TAIL:].decode(errors="replace")
    except OSError:  # started in a terminal
        return
    if text.strip():
        with st.container(height=240, key="train.log"):
            show_text(text)
