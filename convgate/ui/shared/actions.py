"""The result of the last action on a page, and its undo."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.ui.shared import keys
from convgate.ui.shared.frame import show_problem
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.text import literal

_PROBLEM = "actions.problem"


@dataclass(frozen=True)
class ActionResult:
    """The result of an action, and what can follow it."""

    sentence: str  # Markdown
    undo: Callable[[], ActionResult] | None = None
    onward: tuple[str, Callable[[], ActionResult]] | None = None  # label and action
    failed: bool = False


def draw_result(page: Address[Any], place: str = "") -> None:
    """Draw the last result at that place of the page, until it is dismissed."""
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
        if done.undo is not None:
            st.button(
                "Undo", key=f"{page.name}.undo", icon=":material/undo:", on_click=run_action,
                args=(page, done.undo, place),
            )  # fmt: skip
        st.button("Dismiss", key=f"{page.name}.dismiss", type="tertiary", on_click=_dismiss, args=(page,))


def draw_undo(page: Address[Any], turns: Sequence[int], act: Callable[[], None]) -> None:
    """Draw the undo of the last stored change, of these turns (0-based); nothing for none."""
    if turns:
        numbers = ", ".join(f"{turn + 1:,}" for turn in turns[:3]) + (" …" if len(turns) > 3 else "")
        st.button(
            f"Undo the last change (turn {numbers})", key=f"{page.name}.undo_last", icon=":material/undo:",
            shortcut=keys.UNDO, type="tertiary", on_click=act,
        )  # fmt: skip


def run_action(page: Address[Any], act: Callable[[], ActionResult], place: str = "") -> None:
    """Run the action, and keep its result or error; for callbacks."""
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
    st.session_state.pop(_key(page), None)
    page.touched()


def _key(page: Address[Any]) -> str:
    return f"{page.name}.done"
