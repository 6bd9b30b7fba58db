"""A list of exchanges, a page at a time, each with what can be done with it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.ui.navigation import EXPLORE
from convgate.ui.rules import state
from convgate.ui.rules.asking import draw_ask, draw_reply
from convgate.ui.rules.looked import Row
from convgate.ui.rules.making import make_rule
from convgate.ui.rules.rows import exchange_html
from convgate.ui.rules.work import Work
from convgate.ui.state import remembered
from convgate.ui.text import literal

PER_PAGE = 10
PAGE, _NUMBER = "rules.page", "rules.page_number"


def draw_list(work: Work, rows: Sequence[Row], *, name: str, titles: dict[str, str] | None = None) -> None:
    """The rows of the view's page. name: tells lists apart; titles: of conversations, if there are many."""
    pages = max(1, -(-len(rows) // PER_PAGE))
    page = min(work.view.page, pages)
    above: str | None = None
    with st.container(key="rules-list", gap="small"):
        for row in rows[(page - 1) * PER_PAGE : page * PER_PAGE]:
            if titles is not None and row.key != above:
                st.markdown(f"**{literal(titles.get(row.key, row.key), limit=90)}**")
                above = row.key
            _draw_row(work, row, name)
    if pages > 1:
        key = _page_key(f"{name}.{pages}", page)
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def _page_key(name: str, page: int) -> str:
    """The key of a list's pages: another one when the address, as on the way back, asks for another page."""
    number = remembered(_NUMBER, 0)
    key = f"{PAGE}.{name}.{number}"
    if st.session_state.get(key, page) != page:
        st.session_state[_NUMBER] = number + 1
        key = f"{PAGE}.{name}.{number + 1}"
    return key


def _draw_row(work: Work, row: Row, name: str) -> None:
    opened = work.opened(row)
    if opened is None:
        return
    exchange, turn = opened.placed.exchange, opened.placed.user_turn + 1
    key, locked = f"{name}.{row.key}.{row.place}", bool(work.file.problem) or not exchange.user.strip()
    st.html(exchange_html(exchange, opened.decision, heading=f"turn {turn:,}", before=opened.before))
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"rules-actions.{key}"):
        st.button(
            "Skip such", key=f"rules.skip.{key}", type="tertiary", icon=":material/block:", disabled=locked,
            on_click=make_rule, args=(exchange, SKIP),
            help="Put a rule into the editor that skips messages like this one",
        )  # fmt: skip
        st.button(
            "Keep such", key=f"rules.keep.{key}", type="tertiary", icon=":material/bookmark_add:",
            disabled=locked, on_click=make_rule, args=(exchange, KEEP),
            help="Put a rule into the editor that keeps messages like this one",
        )  # fmt: skip
        draw_ask(work, row, key)
        st.page_link(
            EXPLORE, label="Explore", icon=":material/query_stats:", width="content",
            help=f"See turn {turn:,} among the others",
            query_params={"conversation": row.key, "selected": str(turn)},
        )  # fmt: skip
    draw_reply(work, row)


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))
