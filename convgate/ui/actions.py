"""What a person did last on a page: what became of it, and its undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui import keys
from convgate.ui.frame import show_problem
from convgate.ui.navigation import EXPLORE
from convgate.ui.page_state import Address
from convgate.ui.state import forget
from convgate.ui.text import literal

_PROBLEM = "actions.problem"


@dataclass(frozen=True)
class ActionResult:
    """What became of an action, and what can follow it."""

    sentence: str  # Markdown
    undo: Callable[[], ActionResult] | None = None
    onward: tuple[str, Callable[[], ActionResult]] | None = None  # label and action
    conversation: str | None = None  # to be opened in Explore
    failed: bool = False


def draw_result(page: Address[Any], place: str = "") -> None:
    """What was done last at that place of the page, until it is dismissed."""
    shown, done = st.session_state.get(_key(page), (None, None))
    if done is None or shown != place:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"{page.name}-done"):
        if done.failed:
            st.error(done.sentence, icon=":material/error:")
        else:
            st.markdown(f":material/check: {done.sentence}", width="stretch")
        if done.onward is not None:
            label, act = done.onward
            st.button(
                label, key=f"{page.name}.onward", type="primary", on_click=run_action, args=(page, act, place)
            )
        if done.conversation is not None:
            st.page_link(
                EXPLORE, label="Open it in Explore", icon=":material/query_stats:",
                query_params={"conversation": done.conversation},
            )  # fmt: skip
        if done.undo is not None:
            st.button(
                "Undo", key=f"{page.name}.undo", icon=":material/undo:", on_click=run_action,
                args=(page, done.undo, place),
            )  # fmt: skip
        st.button("Dismiss", key=f"{page.name}.dismiss", type="tertiary", on_click=_dismiss, args=(page,))


def draw_undo(page: Address[Any], turns: Sequence[int], act: Callable[[], None]) -> None:
    """The undo of the last stored change, which was about these turns (0-based); nothing for none."""
    if turns:
        told = ", ".join(f"{turn + 1:,}" for turn in turns[:3]) + (" …" if len(turns) > 3 else "")
        st.button(
            f"Undo the last change (turn {told})", key=f"{page.name}.undo", icon=":material/undo:",
            shortcut=keys.UNDO, type="tertiary", on_click=act,
        )  # fmt: skip


def run_action(page: Address[Any], act: Callable[[], ActionResult], place: str = "") -> None:
    """Do it, and keep what became of it, an error included; for callbacks."""
    try:
        done = act()
    except ConvgateError as error:
        done = ActionResult(literal(str(error)), failed=True)
    st.session_state[_key(page)] = (place, done)
    page.touched()


@contextmanager
def reporting_problems() -> Iterator[None]:
    """Keep the ConvgateError of an action for `draw_problem`; for callbacks."""
    try:
        yield
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error


def draw_problem() -> None:
    """Show once why the last action failed."""
    if (error := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(error)


def _dismiss(page: Address[Any]) -> None:
    forget(_key(page))
    page.touched()


def _key(page: Address[Any]) -> str:
    return f"{page.name}.done"
