"""What was left out and by what, with how many, a page at a time."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.ui.context import state
from convgate.ui.context.rows import Row, draw_pages, draw_rows, page_of
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.context.words import why_alone
from convgate.ui.text import literal
from convgate.ui.wording import counted

PER_PAGE = 25
WHY = "context.why"
_ALL = "all"
_CALLED = {
    "mode": "By the mode",
    "superseded": "Corrected later",
    "budget": "No room in the budget",
    "messages": "Not valid in a message list",
    "gate": "By the policy",
    "policy": "By the policy",
    "baseline": "Not in the baseline context",
}


def draw_dropped(shown: Shown, view: View, marks: Mapping[int, str]) -> None:
    """The turns that the model is not given; marks: Markdown by turn, what the last change did to it."""
    groups = shown.dropped
    everything = [one for group in groups.values() for one in group]
    if not everything:
        st.caption("Nothing was left out: every earlier turn is sent.")
        return
    names = [_ALL, *groups]
    chosen = view.why if view.why is not None and view.why in groups else _ALL
    state.put(WHY, chosen)
    st.pills(
        "Left out by", names, key=WHY, on_change=_chose, required=True, label_visibility="collapsed",
        format_func=lambda name: f"{_label(name)}: {len(groups.get(name, everything)):,}",
    )  # fmt: skip
    turns = sorted(groups.get(chosen, everything), key=lambda one: one.item)
    page = page_of([one.item for one in turns], view.selected, view.page, PER_PAGE)
    rows = [
        Row(
            one.item,
            None,
            why_alone(one.reason) if chosen != _ALL else on_screen(one.reason),
            marks.get(one.item, ""),
        )
        for one in turns[(page - 1) * PER_PAGE : page * PER_PAGE]
    ]
    tokens = shown.bundle.tokens_total - shown.bundle.tokens
    st.caption(f"{counted(len(everything), 'turn')} left out, {counted(max(0, tokens), 'token')} saved.")
    draw_rows(shown, rows, view.selected, "dropped")
    draw_pages(len(turns), PER_PAGE, page, f"dropped.{chosen}")


def _label(name: str) -> str:
    return (
        "All" if name == _ALL else _CALLED.get(name, literal(name.replace("_", " ").capitalize(), limit=40))
    )


def _chose() -> None:
    chosen = st.session_state[WHY]
    state.change(why=None if chosen in (None, _ALL) else chosen)
