"""The frame of every page: navigation, title, errors.

with page("Explore", "See which earlier turns a model should be shown, and why.") as app:
    stored = app.conversations.get(key)
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate import __version__
from convgate.core.conversation import Conversation
from convgate.core.errors import ActiveVersionError, ConvgateError, DamagedError
from convgate.core.home import is_read_only
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.selection.edits import apply_edits
from convgate.store import Conversations, Store
from convgate.ui.shared import services, session_state
from convgate.ui.shared.callbacks import finish_callbacks
from convgate.ui.shared.navigation import VERSIONS, draw_navigation
from convgate.ui.shared.page_state import begin_reading
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import follow_theme

_ICON = Path(__file__).with_name("icon.svg")


@dataclass(frozen=True)
class App:
    """The settings and the database."""

    settings: Settings
    store: Store

    @property
    def conversations(self) -> Conversations:
        """Return the library."""
        return Conversations(self.store)

    def conversation(self, key: str) -> Conversation:
        """Return a conversation with its moved boundaries, edited invariants and pruned turns.

        Raises StoreError when the library does not have it.
        """
        self.conversations.summary(key)  # raises when it was deleted
        stored = services.conversation(self.settings.database, key)
        return apply_edits(self.store, key, stored)

    def encoder(self) -> Encoder:
        """Return the encoder of the settings, loaded once."""
        return services.encoder(self.settings)


@contextmanager
def page(title: str, purpose: str) -> Iterator[App]:
    """Draw the navigation, the title and one line about the page's purpose.

    A ConvgateError in the block is shown as a message; other exceptions propagate.
    """
    finish_callbacks()
    st.set_page_config(page_title=f"{title} · convgate", page_icon=str(_ICON), layout="wide")
    if session_state.begin_page(title):
        begin_reading()
    try:
        st.logo(str(_ICON), size="large")
        draw_navigation()
        st.sidebar.caption(f"convgate {__version__}")
        with st.container(gap="xsmall", key="page-head"):
            st.title(title, anchor=False)
            st.markdown(purpose)
        follow_theme()
        settings = services.settings()
        app = App(settings, services.store(settings.database))
    except ConvgateError as error:
        _show_end(error)
        st.stop()
    if app.store.is_read_only:
        st.caption(":material/lock: Read-only: nothing is saved.")
    try:
        yield app
    except ConvgateError as error:
        _show_end(error)
    session_state.end_page()


def _show_end(error: ConvgateError) -> None:
    """Show the error that ended the page; of a damaged library, offer a new one."""
    show_problem(error)
    if isinstance(error, DamagedError):
        _offer_new_library(services.settings().database)


def show_problem(error: ConvgateError) -> None:
    """Show an error, and a link that helps to mend it."""
    st.error(literal(str(error), ltr=True), icon=":material/error:")
    if isinstance(error, ActiveVersionError):
        st.page_link(VERSIONS, label="Roll back to another version", icon=":material/history:")


def _offer_new_library(database: Path) -> None:
    if is_read_only(database) or not st.button(
        "Move the damaged file aside",
        help="It is renamed. A new library begins, where a backup can be restored.",
        icon=":material/drive_file_move:",
    ):
        return
    try:
        services.set_aside(database)
    except ConvgateError as error:
        st.error(literal(str(error)), icon=":material/error:")
    else:
        st.rerun()
