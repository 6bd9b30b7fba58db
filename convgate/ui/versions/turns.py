"""A list of turns that two choosers decided about: a page of them, each a way into Explore."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from convgate.figures.hover import number
from convgate.ui.navigation import EXPLORE
from convgate.ui.text import literal
from convgate.ui.versions import state
from convgate.ui.versions.view import View
from convgate.ui.wording import counted

PER_PAGE = 20
PAGE = "versions.turns"
_TEXT = 240  # characters of a turn


@dataclass(frozen=True)
class TurnRow:
    """One turn as both decided about it."""

    turn: int  # 0-based
    message: int | None  # 0-based, what was to be answered; None for a question from outside
    text: str
    speaker: str
    kept_a: bool
    kept_b: bool
    score_a: float | None = None  # on the policy's own scale
    score_b: float | None = None
    outcome: str = ""  # what became of it, where it is known whether the turn is relevant
    relevant: bool | None = None
    question: str = ""  # the message when it is a question from outside
    of: str = ""  # the conversation's title, where rows are of several


def draw_paging(view: View, count: int, *, below: bool = False) -> range:
    """The rows of the page that the view is on; at the bottom the control that turns pages."""
    pages = max(1, -(-count // PER_PAGE))
    page = min(view.page, pages)
    rows = range((page - 1) * PER_PAGE, min(page * PER_PAGE, count))
    if not below:
        st.caption(
            f"{counted(count, 'turn')}" + (f", {rows.start + 1:,} to {rows.stop:,} here" if pages > 1 else "")
        )
    elif pages > 1:
        # A key of each page's own: the page is part of the view, which a filter or a link may change.
        key = f"{PAGE}.{page}.{pages}"
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))
    return rows


def draw_turn(row: TurnRow, conversation: str | None, view: View) -> None:
    """The turn in three lines; a link into Explore when `conversation` is one of the library's."""
    place = "a question" if row.message is None else f"message {row.message + 1:,}"
    label = f"Turn {row.turn + 1:,} for {place}"
    label += f" of “{literal(row.of, limit=60)}”" if row.of else ""
    with st.container(border=True, gap=None):
        if conversation is None:
            st.markdown(f"**{label}**")
        else:
            st.page_link(
                EXPLORE, label=f"**{label}**", icon=":material/query_stats:", width="stretch",
                query_params=explore_query(row, conversation, view),
            )  # fmt: skip
        with st.container(horizontal=True, wrap=False, gap=None):
            st.space(8)  # a link's padding
            with st.container(gap=None):
                st.markdown(f":small[{verdict(row)}]")
                st.caption(f"{literal(row.speaker, limit=40)}: {literal(row.text, limit=_TEXT)}")


def verdict(row: TurnRow) -> str:
    """Who keeps it, with both scores, and whether that is right.

    >>> verdict(TurnRow(3, 9, "", "", False, True, 0.41, 0.72, "fixed", True))
    ':material/check: **Fixed** · relevant · A drops it (0.41) · B keeps it (0.72)'
    """
    icons = {
        "fixed": ":material/check:", "broken": ":material/close:", "both wrong": ":material/error:",
        "both right": ":material/done_all:",
    }  # fmt: skip
    parts = []
    if row.outcome:
        parts.append(f"{icons[row.outcome]} **{row.outcome.capitalize()}**")
    if row.relevant is not None:
        parts.append("relevant" if row.relevant else "not relevant")
    for name, kept, score in (("A", row.kept_a, row.score_a), ("B", row.kept_b, row.score_b)):
        told = f" ({number(score)})" if score is not None else ""
        parts.append(f"{name} {'keeps' if kept else 'drops'} it{told}")
    return " · ".join(parts)


def explore_query(row: TurnRow, conversation: str, view: View) -> dict[str, str]:
    """The address of the turn in Explore, decided by A, with B beside it."""
    asked = {"ask": row.question} if row.message is None else {"turn": str(row.message + 1)}
    query = {"conversation": conversation, **asked, "selected": str(row.turn + 1), "policy": view.a}
    return query | ({"compare": view.b} if view.b else {})


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))
