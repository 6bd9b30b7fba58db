"""The Library's list of conversations: search, order, pages, and actions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate.core.text import format_age, pluralize, truncate
from convgate.store import ConversationPage, Conversations, ConversationSummary, Sort
from convgate.transcripts import format_named, write_conversation, writer_named
from convgate.transcripts.redaction import Redactor
from convgate.ui.shared.actions import ActionResult, draw_result, run_action
from convgate.ui.shared.codecs import one_of, words
from convgate.ui.shared.files import redact_checkbox
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import conversation_link
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.text import literal

_STYLE = Path(__file__).with_name("listing.css")
PER_PAGE = 10

_ORDERS: dict[str, tuple[Sort, bool]] = {
    "Newest first": ("added", True),
    "Oldest first": ("added", False),
    "Title": ("title", False),
    "Most turns": ("turns", True),
    "Fewest turns": ("turns", False),
    "Most tokens": ("tokens", True),
    "Format": ("format", False),
}


@dataclass(frozen=True)
class LibraryState(PageState):
    """The search, the workspace, the order and the page of the list."""

    search: str | None = param(None, words(200))
    workspace: str | None = param(None, words(200))
    order: str = param("Newest first", one_of(_ORDERS))
    page: int = 1


page = Address("library", LibraryState)


def draw_conversations(app: App, state: LibraryState) -> None:
    """Draw the list with its controls."""
    st.html(_STYLE)
    draw_result(page)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            "Search titles and texts", type="search", live=True,
            **page.control("search", none=""),
            help='Every word has to occur, as a part of a longer one too; "words in quotes" stay together.',
        )  # fmt: skip
        if workspaces := {*app.conversations.workspaces(), *filter(None, [state.workspace])}:
            st.selectbox(
                "Workspace", ["", *sorted(workspaces)], width=200, format_func=lambda name: name or "All",
                **page.control("workspace", none=""),
            )  # fmt: skip
        st.selectbox("Order", list(_ORDERS), width=160, **page.control("order"))
    listed = _find(app.conversations, state, state.page)
    last = max(1, -(-listed.total // PER_PAGE))
    if listed.total and not listed.rows:  # the last conversation of the last page was deleted
        listed = _find(app.conversations, state, last)
    _draw_counts(listed, state.search or "")
    with st.container(gap="xsmall"):
        for row in listed.rows:
            _draw_row(app.conversations, row)
    page.draw_pages(listed.total, PER_PAGE, min(state.page, last))


def _find(conversations: Conversations, state: LibraryState, number: int) -> ConversationPage:
    sort, descending = _ORDERS[state.order]
    return conversations.find(
        search=state.search or "",
        workspace=state.workspace,
        sort=sort,
        descending=descending,
        page=number,
        per_page=PER_PAGE,
    )


def _draw_counts(listed: ConversationPage, search: str) -> None:
    if listed.total:
        st.caption(
            f"{pluralize(listed.total, 'conversation')}{' found' if search else ''} · "
            f"{pluralize(listed.turns, 'turn')} · {pluralize(listed.tokens, 'token')}"
        )
    elif search:
        st.markdown(f"No conversation has all of “{literal(search, limit=60)}” in its title or text.")
        st.button("Clear the search", on_click=page.change, kwargs={"search": None}, icon=":material/close:")


def _draw_row(conversations: Conversations, row: ConversationSummary) -> None:
    tokens = "" if row.tokens is None else f" · {pluralize(row.tokens, 'token')}"
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"conversation-{row.key}"
    ):
        with st.container(gap="xsmall"):
            conversation_link(row.key, row.title)
            if row.excerpt:
                st.caption(literal(row.excerpt))
        st.caption(
            f"{pluralize(row.turns, 'turn')}{tokens} · {format_named(row.format).label}"
            f" · {format_age(row.added)}",
            width="content", text_alignment="right",
        )  # fmt: skip
        with st.popover("More", icon=":material/more_horiz:", type="tertiary"):
            _draw_details(conversations, row)


def _draw_details(conversations: Conversations, row: ConversationSummary) -> None:
    added = row.added.astimezone()
    st.caption(f"Added {added.day} {added:%B %Y, %H:%M} from {literal(row.origin, limit=60)}")
    with st.form(f"rename-{row.key}", border=False):
        title = st.text_input("Title", row.title, key=f"title-{row.key}")
        if st.form_submit_button("Rename", icon=":material/edit:", width="stretch"):
            conversations.rename(row.key, title)
            st.rerun()
    redacts = redact_checkbox(f"redact-{row.key}")

    def transcript() -> str:
        conversation = conversations.get(row.key).conversation
        return write_conversation(Redactor().redact(conversation) if redacts else conversation)

    st.download_button(
        "Download", transcript, file_name=_file_name(row), key=f"download-{row.key}", on_click="ignore",
        help="The transcript in its own format", icon=":material/download:", width="stretch",
    )  # fmt: skip

    def delete() -> ActionResult:
        conversations.delete([row.key])
        return ActionResult(f"Deleted “{literal(row.title, limit=60)}”.", undelete)

    def undelete() -> ActionResult:
        conversations.undelete([row.key])
        return ActionResult(f"Restored “{literal(row.title, limit=60)}”.")

    st.button(
        "Delete", key=f"delete-{row.key}", icon=":material/delete:", width="stretch", on_click=run_action,
        args=(page, delete),
    )  # fmt: skip


def _file_name(row: ConversationSummary) -> str:
    safe = "".join(letter if letter.isalnum() else "-" for letter in truncate(row.title, 60)).strip("-")
    return f"{safe or row.key}.{writer_named(row.format).suffix.lstrip('.')}"
