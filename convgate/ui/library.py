"""The Library's list: search, order, pages, and what can be done with each conversation."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from convgate.redaction import Redactor
from convgate.store import ConversationPage, Conversations, ConversationSummary, Sort
from convgate.transcripts import format_named, write_conversation
from convgate.ui import state
from convgate.ui.frame import App
from convgate.ui.navigation import conversation_link
from convgate.ui.redaction import redact_checkbox
from convgate.ui.text import literal, shortened
from convgate.ui.wording import ago, counted

PER_PAGE = 10
SEARCH, ORDER, DELETED = "library.search", "library.order", "library.deleted"

_ORDERS: dict[str, tuple[Sort, bool]] = {
    "Newest first": ("added", True),
    "Oldest first": ("added", False),
    "Title": ("title", False),
    "Most turns": ("turns", True),
    "Fewest turns": ("turns", False),
    "Most tokens": ("tokens", True),
    "Format": ("format", False),
}


@dataclass(frozen=True, slots=True)
class Deletion:
    """What was deleted last, to be taken back."""

    key: str
    title: str


def draw_conversations(app: App) -> None:
    """The list with its controls; nothing but a hint when a search finds nothing."""
    _draw_undo(app.conversations)
    search, order = _draw_controls()
    position = f"library.page.{order}.{search}"  # another search or order starts on its first page
    page = _find(app.conversations, search, order, st.session_state.get(position, 1))
    pages = -(-page.total // PER_PAGE)
    if page.total and not page.rows:  # the last conversation of the last page was deleted
        page = _find(app.conversations, search, order, pages)
    _draw_counts(page, search)
    for row in page.rows:
        _draw_row(app.conversations, row)
    if pages > 1:
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, key=position, persist_state="session")


def _draw_controls() -> tuple[str, str]:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        search = st.text_input(
            "Search titles and texts",
            key=SEARCH,
            type="search",
            live=True,
            persist_state="session",
            help='Every word has to occur, as a part of a longer one too; "words in quotes" stay together.',
        )
        order = st.selectbox("Order", list(_ORDERS), key=ORDER, persist_state="session", width=160)
    return search or "", order


def _find(conversations: Conversations, search: str, order: str, number: int) -> ConversationPage:
    sort, descending = _ORDERS[order]
    return conversations.find(search=search, sort=sort, descending=descending, page=number, per_page=PER_PAGE)


def _draw_counts(page: ConversationPage, search: str) -> None:
    if page.total:
        found = " found" if search else ""
        st.caption(
            f"{counted(page.total, 'conversation')}{found} · {counted(page.turns, 'turn')} · "
            f"{counted(page.tokens, 'token')}"
        )
    elif search:
        st.markdown(f"No conversation has all of “{literal(search, limit=60)}” in its title or text.")
        st.button("Clear the search", on_click=_clear_search, icon=":material/close:")


def _draw_row(conversations: Conversations, row: ConversationSummary) -> None:
    tokens = "" if row.tokens is None else f" · {counted(row.tokens, 'token')}"
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", key=f"conversation-{row.key}"
    ):
        with st.container(gap=None):
            conversation_link(row.key, row.title)
            with st.container(horizontal=True, wrap=False, gap=None):
                st.space(8)  # a link's padding
                with st.container(gap=None):
                    st.caption(
                        f"{counted(row.turns, 'turn')}{tokens} · {format_named(row.format).label} · "
                        f"{ago(row.added)}"
                    )
                    if row.excerpt:
                        st.caption(literal(row.excerpt))
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

    def written() -> str:
        conversation = conversations.get(row.key).conversation
        return write_conversation(Redactor().redact(conversation) if redacts else conversation)

    st.download_button(
        "Download",
        written,
        file_name=_file_name(row),
        key=f"download-{row.key}",
        help="The transcript in the format it came in",
        on_click="ignore",
        icon=":material/download:",
        width="stretch",
    )
    if st.button("Delete", key=f"delete-{row.key}", icon=":material/delete:", width="stretch"):
        conversations.delete([row.key])
        st.session_state[DELETED] = Deletion(row.key, row.title)
        st.rerun()


def _draw_undo(conversations: Conversations) -> None:
    deletion: Deletion | None = state.remembered(DELETED, None)
    if deletion is None:
        return
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="undo"):
        st.markdown(f":material/delete: Deleted “{literal(deletion.title, limit=60)}”.", width="stretch")
        if st.button("Undo", key="undo-delete", icon=":material/undo:"):
            conversations.undelete([deletion.key])
            state.forget(DELETED)
            st.rerun()
        st.button("Dismiss", key="dismiss-delete", type="tertiary", on_click=state.forget, args=[DELETED])


def _file_name(row: ConversationSummary) -> str:
    safe = "".join(letter if letter.isalnum() else "-" for letter in shortened(row.title, 60)).strip("-")
    return f"{safe or row.key}.{format_named(row.format).suffix.lstrip('.')}"


def _clear_search() -> None:
    st.session_state[SEARCH] = ""
