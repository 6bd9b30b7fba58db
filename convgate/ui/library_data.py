"""The person's data: where it lies, a copy of it, and the way to be rid of all of it."""

from __future__ import annotations

from datetime import date

import streamlit as st

from convgate.ui import services, state
from convgate.ui.annotator import NAME, draw_forgetting
from convgate.ui.frame import App
from convgate.ui.library_add import GENERATION, OUTCOME
from convgate.ui.library_deleted import draw_deleted
from convgate.ui.text import literal
from convgate.ui.wording import counted

ERASE_WORD = "erase"
MAX_BACKUP = 2000
"""MB; a larger one is put in the place of the database file while convgate does not run."""


def draw_data(app: App) -> None:
    """Folder, backup, restore, deleted conversations, erasing."""
    with st.expander("Your data", icon=":material/database:", key="library.data"):
        _draw_parts(app)


def _draw_parts(app: App) -> None:
    st.caption("Everything is in this folder on this machine, and nowhere else:")
    st.code(str(app.settings.home), language=None)
    draw_deleted(app)
    backup, restore, erase = st.columns(3, gap="large")
    with backup:
        _draw_backup(app)
    with restore:
        _draw_restore(app)
    with erase:
        _draw_erase(app)


def _draw_backup(app: App) -> None:
    st.markdown("**Backup**")
    st.caption("The whole library as one file.")
    st.download_button(
        "Download a backup",
        app.store.backup_bytes,
        file_name=f"convgate-{date.today().isoformat()}.db",
        mime="application/vnd.sqlite3",
        key="library.backup",
        on_click="ignore",
        icon=":material/download:",
    )


def _draw_restore(app: App) -> None:
    st.markdown("**Restore**")
    st.caption("A backup takes the place of what is in the library now.")
    file = st.file_uploader(
        "A backup of convgate",
        type="db",
        max_upload_size=MAX_BACKUP,
        help="Or by hand: stop convgate, put the backup in the place of convgate.db, remove convgate.db-wal "
        "and convgate.db-shm beside it, and start again.",
        key=f"library.restore.{state.remembered(GENERATION, 0)}",
    )
    if file and st.button("Replace the library by this backup", icon=":material/settings_backup_restore:"):
        app.store.restore_bytes(file.getvalue())
        st.session_state[GENERATION] += 1
        _tell_restored(app)
    if app.store.previous is not None and st.button(
        "Undo restore",
        help="Swap this library and the one from before the last restore.",
        key="library.undo-restore",
        icon=":material/undo:",
    ):
        app.store.undo_restore()
        _tell_restored(app)


def _tell_restored(app: App) -> None:
    st.session_state[OUTCOME] = f"Restored {counted(app.conversations.find().total, 'conversation')}."
    st.rerun()


def _draw_erase(app: App) -> None:
    st.markdown("**Erase everything**")
    st.caption(
        "Conversations, labels, queues, trainings, relevance sets, the log of requests, and all that was "
        "derived from them. Settings and versions stay: they have figures, notes and the names of sets, but "
        "no conversation."
    )
    with st.form("library.erase", border=False, clear_on_submit=True):
        typed = st.text_input(
            f"No way back: type “{ERASE_WORD}” to confirm.",
            key="library.erase.word",
            autocomplete="off",
        )
        pressed = st.form_submit_button("Erase everything", icon=":material/delete_forever:")
    if pressed and typed.strip().lower() == ERASE_WORD:
        outcome = services.erase_everything(app.settings)
        state.forget_all_but(GENERATION, NAME)
        st.session_state[GENERATION] += 1
        st.session_state[OUTCOME] = outcome
        st.rerun()
    elif pressed:
        st.caption(f"Nothing was erased: “{literal(typed)}” is not “{ERASE_WORD}”.")
    draw_forgetting()
