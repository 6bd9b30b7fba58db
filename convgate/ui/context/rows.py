"""Turns in a list: a click selects one; its reason stands below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.ui.context import state
from convgate.ui.context.shown import Shown
from convgate.ui.text import literal, shortened

_TEXT, _REASON = 110, 150  # characters; the panel has all of a reason


@dataclass(frozen=True, slots=True)
class Row:
    """One turn of a list, or a message that was added, which has no index."""

    index: int | None  # 0-based
    tokens: int | None
    reason: str  # a sentence; untrusted
    mark: str = ""  # Markdown: what the last change did to it
    text: str = ""  # of a message that is no turn; untrusted


def draw_rows(shown: Shown, rows: Sequence[Row], selected: int | None, name: str) -> None:
    """The rows; `name` tells their keys from those of other lists."""
    turns = shown.conversation.turns
    with st.container(key=f"context-rows-{name}", gap=None):
        for row in rows:
            tokens = "" if row.tokens is None else f"{row.tokens:,} tokens · "
            if row.index is None:
                st.markdown(f"**A message of its own** · {literal(row.text, limit=_TEXT)}")
            else:
                turn = turns[row.index]
                # Cut first: a turn may have 100,000 characters, each of which `literal` would look at.
                text = literal(shortened(turn.scored_text[: 4 * _TEXT].strip(), _TEXT))
                st.button(
                    f"**{row.index + 1:,}** · {literal(turn.speaker, limit=30)}: {text}",
                    key=f"context.{name}.{row.index}", width="stretch", on_click=state.select,
                    type="secondary" if row.index == selected else "tertiary", args=(row.index,),
                )  # fmt: skip
            st.caption(f"{row.mark}{tokens}{literal(row.reason, limit=_REASON)}")


def draw_pages(count: int, per_page: int, page: int, name: str) -> None:
    """The way to the other pages of a list, where it has more than one."""
    pages = -(-count // per_page)
    if pages > 1:
        # A key of each page's own: the page is part of the view, which a filter or a link may change.
        key = f"context.page.{name}.{page}.{pages}"
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def page_of(turns: Sequence[int | None], selected: int | None, page: int, per_page: int) -> int:
    """The page to show, from 1: the one asked for, else the one where the selected turn is, else the first.

    >>> page_of([3, 5, 8, 9], 8, 0, 2), page_of([3, 5, 8, 9], None, 0, 2), page_of([3, 5], 3, 7, 2)
    (2, 1, 1)
    """
    pages = max(1, -(-len(turns) // per_page))
    if page:
        return min(page, pages)
    return turns.index(selected) // per_page + 1 if selected in turns else 1


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))
