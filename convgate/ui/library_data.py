"""The data folder: backup, restore, deleted conversations, erasing."""

from __future__ import annotations

from datetime import date

import streamlit as st

from convgate.core.text import pluralize
from convgate.ui import services, state
from convgate.ui.annotator import NAME, draw_forgetting
from convgate.ui.frame import App
from convgate.ui.library_add import GENERATION, OUTCOME
from convgate.ui.text import literal

ERASE_WORD = "erase"
MAX_BACKUP = 2000
"""MB; replace the database file by hand with a larger one while convgate does not run."""


def draw_data(app: App) -> None:
    """Draw the folder with everything that can be done to the library as a whole."""
    with st.expander("Your data", icon=":material/database:", key="library.data"):
        st.caption("Everything is in this folder on this machine, and nowhere else:")
        st.code(str(app.settings.home), language=None)
        _draw_deleted(app)
        backup, restore, erase = st.columns(3, gap="large")
        with backup:
            _draw_backup(app)
        with restore:
            _draw_restore(app)
        with erase:
            _draw_erase(app)


def _draw_deleted(app: App) -> None:
    n_deleted = app.conversations.find(deleted=True, per_page=0).total
    if not n_deleted:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{pluralize(n_deleted, 'deleted conversation')} can be restored.")
        if st.button("Restore", key="library.undelete", icon=":material/undo:"):
            app.conversations.undelete_all()
            st.rerun()
        with st.popover("Remove for good …", icon=":material/delete_forever:"):
            st.markdown(
                "Removes their texts, labels and notes, and their copies in trainings and relevance sets."
                " A training with a copy keeps its figures and its version, but cannot be resumed."
                " Only a backup of yours can restore them."
            )
            removing = st.button("Remove for good", key="library.purge", type="primary")
    if removing:
        removal = services.remove_for_good(app.settings)
        outcome = f"Removed {pluralize(removal.conversations, 'conversation')} for good."
        if removal.copies.unread:
            names = ", ".join(map(literal, removal.copies.unread))
            outcome += f" These cannot be read and may have copies; delete them yourself: {names}."
        _start_over(outcome)


def _draw_backup(app: App) -> None:
    st.markdown("**Backup**")
    st.caption("The whole library as one file.")
    st.download_button(
        "Download a backup", app.store.backup_bytes, file_name=f"convgate-{date.today().isoformat()}.db",
        mime="application/vnd.sqlite3", key="library.backup", on_click="ignore", icon=":material/download:",
    )  # fmt: skip


def _draw_restore(app: App) -> None:
    st.markdown("**Restore**")
    st.caption("A backup replaces the library.")
    file = st.file_uploader(
        "A backup of convgate", type="db", max_upload_size=MAX_BACKUP,
        key=f"library.restore.{state.remembered(GENERATION, 0)}",
    )  # fmt: skip
    if file and st.button("Replace the library by this backup", icon=":material/settings_backup_restore:"):
        app.store.restore_bytes(file.getvalue())
        st.session_state[GENERATION] += 1
        _report_restored(app)
    if app.store.previous is not None and st.button(
        "Undo restore", key="library.undo-restore", icon=":material/undo:",
        help="Swap this library and the one from before the last restore.",
    ):  # fmt: skip
        app.store.undo_restore()
        _report_restored(app)


def _report_restored(app: App) -> None:
    st.session_state[OUTCOME] = f"Restored {pluralize(app.conversations.find().total, 'conversation')}."
    st.rerun()


def _draw_erase(app: App) -> None:
    st.markdown("**Erase everything**")
    st.caption(
        "Conversations, labels, queues, trainings, relevance sets and logged requests. Settings and versions"
        " stay; they contain no conversation."
    )
    with st.form("library.erase", border=False, clear_on_submit=True):
        typed = st.text_input(
            f"This cannot be undone. Type “{ERASE_WORD}” to confirm.", key="library.erase.word",
            autocomplete="off",
        )  # fmt: skip
        pressed = st.form_submit_button("Erase everything", icon=":material/delete_forever:")
    if pressed and typed.strip().lower() == ERASE_WORD:
        _start_over(services.erase_everything(app.settings))
    elif pressed:
        st.caption(f"Nothing was erased: “{literal(typed)}” is not “{ERASE_WORD}”.")
    draw_forgetting()


def _start_over(outcome: str) -> None:
    """Forget what the session shows: what was removed must not stay on the screen or in memory."""
    state.forget_all_but(GENERATION, NAME)
    st.query_params.clear()
    st.session_state[GENERATION] = state.remembered(GENERATION, 0) + 1
    st.session_state[OUTCOME] = outcome
    st.rerun()
