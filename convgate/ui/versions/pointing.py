"""What points at versions: which one is in use, which one is the baseline, undo, and who changed it when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from convgate.errors import ConvgateError
from convgate.ui import state
from convgate.ui.annotator import person
from convgate.ui.frame import App
from convgate.ui.text import literal
from convgate.ui.versions.state import touched
from convgate.ui.versions.words import named
from convgate.ui.wording import ago, counted
from convgate.versions.catalog import Versions
from convgate.versions.names import UNTRAINED
from convgate.versions.pointers import Change

DONE, WHO = "versions.done", "versions.who"
SHOWN = 50  # changes of the history; the command line has all


@dataclass(frozen=True)
class Done:
    """What a person did last: what became of it, and how to take it back."""

    sentence: str  # Markdown
    change: Change | None = None  # None: cannot be taken back here
    failed: bool = False


def draw_done(versions: Versions) -> None:
    """What was done last, until it is dismissed, with its undo."""
    done: Done | None = state.remembered(DONE, None)
    if done is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="versions-done"):
        icon = ":material/error:" if done.failed else ":material/check:"
        st.markdown(f"{icon} {done.sentence}", width="stretch")
        if done.change is not None:
            st.button(
                "Undo", key="versions.undo", icon=":material/undo:", on_click=_undo,
                args=(versions, done.change),
            )  # fmt: skip
        st.button("Dismiss", key="versions.dismiss", type="tertiary", on_click=state.forget, args=[DONE])


def draw_pointers(app: App, versions: Versions) -> None:
    """What is in use and what others are compared with, the way back, and the history."""
    active, baseline, before, history = (
        versions.active, versions.baseline, versions.before, versions.history,
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", key="versions-pointers"):
        used = named(active) if active else "no version: the gate is untrained and ranks by similarity"
        compared = named(baseline) if baseline else "none pinned, so each is compared with its parent"
        st.markdown(f"In use: {used}. Baseline: {compared}.", width="stretch")
        if before is not None:
            st.button(
                f"Roll back to {literal(before)}", key="versions.rollback", icon=":material/history:",
                on_click=roll_back, args=(versions,),
                help="Use the version again that was in use before this one.",
            )  # fmt: skip
    if app.settings.version not in (None, active):
        st.warning(
            f"Your settings name the version {literal(str(app.settings.version))}, which stands before the"
            " one in use here; take `version` out of them to let this page decide.",
            icon=":material/settings:",
        )
    with st.expander(f"History: {counted(len(history), 'change')}", icon=":material/schedule:"):
        st.text_input(
            "Your name, to be written beside changes", key=WHO, persist_state="session", max_chars=60,
            placeholder=person(), on_change=touched,
        )  # fmt: skip
        if not history:
            st.caption("Nobody has chosen a version or a baseline yet.")
        for change in reversed(history[-SHOWN:]):
            st.markdown(f":small[{_told(change)}]", help=f"{change.when:%Y-%m-%d %H:%M:%S} UTC")


def activate(app: App, versions: Versions, name: str) -> None:
    """Put a version into use; for callbacks."""

    def act() -> Done:
        config = versions.get(name).config
        encoder = app.encoder().identity if config.encoder else None
        change = versions.activate(name, who=who(), encoder=encoder)
        if change is None:
            return Done(f"{named(name)} was in use already.")
        return Done(f"{named(name)} is in use now: Explore and every program that asks for the gate.", change)

    attempt(act)


def roll_back(versions: Versions) -> None:
    """Put the version into use that was before; for callbacks."""

    def act() -> Done:
        name = versions.rollback(who=who())
        change = versions.history[-1]
        return Done(f"{named(name)} is in use again." if name else "The gate is untrained again.", change)

    attempt(act)


def pin(versions: Versions, name: str | None) -> None:
    """Pin a version as the baseline, or none; for callbacks."""

    def act() -> Done:
        change = versions.set_baseline(name, who=who())
        if name is None:
            return Done("No baseline is pinned: each version is compared with its parent.", change)
        return Done(f"{named(name)} is the baseline that all others are compared with.", change)

    attempt(act)


def attempt(act: Callable[[], Done]) -> None:
    """Do it, and keep what became of it, an error included, for the top of the page; for callbacks."""
    try:
        st.session_state[DONE] = act()
    except ConvgateError as error:
        st.session_state[DONE] = Done(literal(str(error)), failed=True)
    touched()


def who() -> str:
    """The name that changes are written under: typed here, else as on labels, else as logged in."""
    return (st.session_state.get(WHO) or "").strip() or person()


def _undo(versions: Versions, change: Change) -> None:
    def act() -> Done:
        versions.take_back(change, who=who())
        if change.pointer == "active":
            return Done(f"Taken back: {named(versions.active or UNTRAINED)} is in use again.")
        now = versions.baseline
        return Done(f"Taken back: {f'{named(now)} is the baseline' if now else 'no baseline is pinned'}.")

    attempt(act)


def _told(change: Change) -> str:
    name = change.version or ("what ships" if change.pointer == "active" else "none")
    if change.pointer == "active":
        what = f"went back to {named(name)}" if change.rollback else f"put {named(name)} into use"
    else:
        what = f"pinned {named(name)} as the baseline" if change.version else "let the baseline go"
    return f"{literal(change.who or 'somebody', limit=60)} {what} {ago(change.when)}"
