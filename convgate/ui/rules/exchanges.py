"""The exchanges of a conversation: which are kept, which skipped, and by which words."""

from __future__ import annotations

import streamlit as st

from convgate.store.conversations import terms
from convgate.ui.rules import state
from convgate.ui.rules.listing import draw_list
from convgate.ui.rules.looked import Row, Talk
from convgate.ui.rules.view import LONGEST_SEARCH, SHOWS, categories
from convgate.ui.rules.work import Work
from convgate.ui.wording import counted

SHOW, CATEGORY, SEARCH = "rules.show", "rules.category", "rules.search"
_EVERY = "every category"


def draw_exchanges(work: Work) -> None:
    """The filters and the list."""
    view = work.view
    rows = _searched(work.rows, work.talk, view.search)
    state.put(SHOW, view.show)
    counts = {name: sum(1 for row in rows if _is_shown(row, name)) for name in SHOWS}
    st.pills(
        "Show", list(SHOWS), key=SHOW, required=True, wrap=True, label_visibility="collapsed",
        on_change=_chose_show, format_func=lambda name: f"{SHOWS[name]} {counts[name]:,}",
    )  # fmt: skip
    found = {row.category for row in work.rows} | ({view.category} if view.category else set())
    with st.container(horizontal=True, gap="small"):
        state.put(SEARCH, view.search)
        st.text_input(
            "Search", key=SEARCH, type="search", live=True, max_chars=LONGEST_SEARCH, on_change=_typed_search,
            label_visibility="collapsed", placeholder="Search messages and answers",
        )  # fmt: skip
        state.put(CATEGORY, view.category or _EVERY)
        st.selectbox(
            "Category", [_EVERY, *(name for name in categories(found) if name in found)], key=CATEGORY,
            on_change=_chose_category, label_visibility="collapsed", width=200,
            format_func=lambda name: name.replace("_", " "),
        )  # fmt: skip
    shown = [row for row in rows if _is_shown(row, view.show)]
    if view.category:
        shown = [row for row in shown if row.category == view.category]
    if not work.rows:
        st.info(
            "In this conversation nobody says anything that is answered, so nothing is decided.",
            icon=":material/chat_bubble:",
        )
        return
    if not shown:
        st.caption("No exchange is like that.")
        if (view.show, view.category, view.search) != ("all", None, ""):
            st.button("Show all", key="rules.show_all", on_click=_show_all)
        return
    if len(shown) < len(work.rows):
        st.caption(f"{len(shown):,} of {counted(len(work.rows), 'exchange')}")
    draw_list(work, shown, name=f"exchanges.{view.show}.{view.category}.{view.search}")


def _is_shown(row: Row, show: str) -> bool:
    return {
        "all": True,
        "kept": row.keep,
        "skipped": not row.keep,
        "default": row.is_default,
        "own": row.own is not None,
    }[show]


def _searched(rows: list[Row], talk: Talk | None, search: str) -> list[Row]:
    words = [word.casefold() for word in terms(search)]
    if not words or talk is None:
        return rows
    said = [one.exchange for one in talk.exchanges]
    texts = [f"{exchange.user}\n{exchange.assistant}".casefold() for exchange in said]
    return [row for row in rows if all(word in texts[row.place] for word in words)]


def _chose_show() -> None:
    state.change(show=st.session_state[SHOW], page=1)


def _chose_category() -> None:
    chosen = st.session_state[CATEGORY]
    state.change(category=None if chosen == _EVERY else chosen, page=1)


def _typed_search() -> None:
    state.change(search=st.session_state[SEARCH] or "", page=1)


def _show_all() -> None:
    state.change(show="all", category=None, search="", page=1)
