"""What points at versions: which one is in use, which one is the baseline, undo, and who changed it when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import streamlit as st

from convgate.errors import ConvgateError, GateError
from convgate.ui import in_use, state
from convgate.ui.annotator import annotator, person
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.versions.state import touched
from convgate.ui.versions.words import named
from convgate.ui.wording import ago, counted
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions
from convgate.versions.pointers import Change

DONE = "versions.done"
SHOWN = 50  # changes of the history; the command line has all


@dataclass(frozen=True)
class Done:
    """What a person did last: what became of it, and how to take it back."""

    sentence: str  # Markdown
    undo: Callable[[], Done] | None = None  # None: cannot be taken back here
    failed: bool = False


def draw_done() -> None:
    """What was done last, until it is dismissed, with its undo."""
    done: Done | None = state.remembered(DONE, None)
    if done is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="versions-done"):
        icon = ":material/error:" if done.failed else ":material/check:"
        st.markdown(f"{icon} {done.sentence}", width="stretch")
        if done.undo is not None:
            st.button(
                "Undo", key="versions.undo", icon=":material/undo:", on_click=attempt, args=(done.undo,)
            )
        st.button("Dismiss", key="versions.dismiss", type="tertiary", on_click=state.forget, args=[DONE])


def draw_pointers(app: App, versions: Versions) -> None:
    """What is in use and what others are compared with, the way back, and the history."""
    active, baseline, before, history = (
        versions.active, versions.baseline, versions.before, versions.history,
    )  # fmt: skip
    try:
        versions.find(None)
    except GateError as error:
        st.error(f"{literal(str(error))}. Or activate one of the list.", icon=":material/broken_image:")
    with st.container(horizontal=True, vertical_alignment="center", key="versions-pointers"):
        used = named(active) if active else "no version: the gate is untrained and ranks by similarity"
        compared = named(baseline) if baseline else "none pinned, so each is compared with its parent"
        st.markdown(f"In use: {used}. Baseline: {compared}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=roll_back, args=(app,),
                help="Use the version again that was in use before this one.",
            )  # fmt: skip
    if app.settings.version not in (None, active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which stands before the"
            " one in use here; take `version` out of them to let this page decide.",
            icon=":material/settings:",
        )
    with st.expander(f"History: {counted(len(history), 'change')}", icon=":material/schedule:"):
        whose = "the name that you label with" if annotator() else "until you choose a name on Label"
        st.caption(f"What you change is written under {named(person())}, {whose}.")
        if not history:
            st.caption("Nobody has chosen a version or a baseline yet.")
        for change in reversed(history[-SHOWN:]):
            st.markdown(f":small[{_told(change)}]", help=f"{change.when:%Y-%m-%d %H:%M:%S} UTC")


def activate(app: App, name: str) -> None:
    """Put a version into use; for callbacks."""

    def act() -> Done:
        change = in_use.use(app, name)
        if change is None:
            return Done(f"{named(name)} was in use already.")
        told = f"{named(name)} is in use now: Explore and every program that asks for the gate."
        return Done(told, partial(_taken_back, app, change))

    attempt(act)


def roll_back(app: App) -> None:
    """Put the version into use that was before; for callbacks."""

    def act() -> Done:
        name = in_use.go_back(app)
        change = Versions(app.settings.home).history[-1]
        told = f"{named(name)} is in use again." if name else "The gate is untrained again."
        return Done(told, partial(_taken_back, app, change))

    attempt(act)


def pin(app: App, versions: Versions, name: str | None) -> None:
    """Pin a version as the baseline, or none; for callbacks."""

    def act() -> Done:
        change = versions.set_baseline(name, who=person())
        undo = partial(_taken_back, app, change) if change else None
        if name is None:
            return Done("No baseline is pinned: each version is compared with its parent.", undo)
        return Done(f"{named(name)} is the baseline that all others are compared with.", undo)

    attempt(act)


def attempt(act: Callable[[], Done]) -> None:
    """Do it, and keep what became of it, an error included, for the top of the page; for callbacks."""
    try:
        st.session_state[DONE] = act()
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), failed=True)
    touched()


def _taken_back(app: App, change: Change) -> Done:
    in_use.take_back(app, change)
    versions = Versions(app.settings.home)
    if change.pointer == "active":
        return Done(f"Taken back: {named(versions.active or UNTRAINED)} is in use again.")
    now = versions.baseline
    return Done(f"Taken back: {f'{named(now)} is the baseline' if now else 'no baseline is pinned'}.")


def _told(change: Change) -> str:
    name = change.version or ("what ships" if change.pointer == "active" else "none")
    if change.pointer == "active":
        what = f"went back to {named(name)}" if change.rollback else f"put {named(name)} into use"
    else:
        what = f"pinned {named(name)} as the baseline" if change.version else "let the baseline go"
    return f"{literal(change.who or 'somebody', limit=60)} {what} {ago(change.when)}"
