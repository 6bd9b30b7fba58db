"""The Rules page: exchanges with their decisions, what other rules change, and the editor."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.core.text import format_share, pluralize
from convgate.gatekeeper.exchange import Exchange
from convgate.store.conversations import terms
from convgate.ui.rules.editor import Draft, draw_editor, load_draft
from convgate.ui.rules.library import (
    CheckedConversation,
    Row,
    changed_decisions,
    check_conversation,
    check_library,
    decide,
)
from convgate.ui.rules.rows import exchange_html, style
from convgate.ui.rules.rules_file import read_file, rules_path
from convgate.ui.rules.state import LOOKS, SHOWS, RulesState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.page_state import draw_problems
from convgate.ui.shared.picker import pick_conversation
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette

ROWS_PER_PAGE = 10


def rules_page(app: App) -> None:
    """Draw the page."""
    st.html(style(current_palette()))
    state, problems = page.current()
    picked = pick_conversation(page, app, state.conversation)
    if picked is not None:
        state = state.with_key(picked[0])
    page.keep(state)
    draw_problems(problems)
    st.caption(
        "Decisions of your rules and the built-in checks; no language model is asked here."
        f" Agents run in mode **{app.settings.gatekeeper_mode}** (setting gatekeeper\\_mode)."
    )
    draft = load_draft(read_file(rules_path(app.settings)))
    left, right = st.columns([1.45, 1], gap="medium")
    with right:
        draw_editor(draft)
    with left:
        st.segmented_control(
            "Show", list(LOOKS), required=True, format_func=LOOKS.__getitem__, label_visibility="collapsed",
            **page.control("look", state.look),
        )  # fmt: skip
        if state.look == "changes":
            _draw_changes(app, state, draft)
        elif state.look == "library":
            _draw_exchanges(state, [row for talk in _check_library(app) for row in decide(talk, draft.shown)])
        elif picked is not None:
            _draw_exchanges(state, decide(check_conversation(app, *picked), draft.shown))


def _draw_exchanges(state: RulesState, rows: Sequence[Row]) -> None:
    """Draw how many exchanges are kept, and those that the filters choose."""
    matching = [row for row in rows if _contains(row.placed.exchange, state.search)]
    counts = {name: sum(_is_shown(row, name) for row in matching) for name in SHOWS}
    st.pills(
        "Filter", list(SHOWS), required=True, label_visibility="collapsed",
        format_func=lambda name: f"{SHOWS[name]} {counts[name]:,}", **page.control("show", state.show),
    )  # fmt: skip
    st.text_input(
        "Search", placeholder="Search messages and answers", label_visibility="collapsed",
        **page.control("search", state.search),
    )  # fmt: skip
    if rows:
        n_kept = sum(row.decision.keep for row in rows)
        share = format_share(n_kept / len(rows))
        st.markdown(f"**{share} kept:** {n_kept:,} of {pluralize(len(rows), 'exchange')}.")
    _draw_rows(state, [row for row in matching if _is_shown(row, state.show)])


def _draw_changes(app: App, state: RulesState, draft: Draft) -> None:
    """Draw the exchanges of the library that the text in the editor decides differently than the file."""
    if draft.rules is None:
        st.info("Fix the problems in your rules to preview them.")
        return
    changed = changed_decisions(_check_library(app), draft.saved, draft.rules)
    st.markdown(f"**{pluralize(len(changed), 'changed decision')}** in the library.")
    if not draft.is_changed:
        st.caption("Edit your rules to see which decisions they change.")
    _draw_rows(state, changed)


def _draw_rows(state: RulesState, rows: Sequence[Row]) -> None:
    """Draw one page of exchanges, under the titles of their conversations where there are several."""
    number = min(state.page, max(1, -(-len(rows) // ROWS_PER_PAGE)))
    title = None
    for row in rows[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]:
        if state.look != "conversation" and row.conversation.title != title:
            title = row.conversation.title
            st.markdown(f"**{literal(title, limit=90)}**")
        turn = str(row.placed.user_turn + 1)
        st.html(exchange_html(row.placed.exchange, row.decision, heading=f"turn {turn}", before=row.before))
        st.page_link(
            EXPLORE, label="Explore", icon=":material/query_stats:",
            query_params={"conversation": row.conversation.key, "selected": turn},
        )  # fmt: skip
    page.draw_pages(len(rows), ROWS_PER_PAGE, number)


def _check_library(app: App) -> list[CheckedConversation]:
    with st.spinner("Checking the library …"):
        return check_library(app)


def _is_shown(row: Row, show: str) -> bool:
    kept = row.decision.keep
    shows = {"kept": kept, "skipped": not kept, "default": row.is_default, "own": row.is_own}
    return shows.get(show, True)


def _contains(exchange: Exchange, search: str) -> bool:
    text = f"{exchange.user}\n{exchange.assistant}".casefold()
    return all(word.casefold() in text for word in terms(search))
