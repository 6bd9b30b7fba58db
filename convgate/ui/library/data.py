"""The data folder: backup, restore, deleted conversations, erasing."""

from __future__ import annotations

from datetime import date

import streamlit as st

from convgate.core.text import pluralize
from convgate.ui.library.add import GENERATION, OUTCOME
from convgate.ui.shared import services
from convgate.ui.shared.annotator import NAME, draw_forgetting
from convgate.ui.shared.frame import App
from convgate.ui.shared.text import literal

ERASE_WORD = "erase"
MAX_BACKUP = 2000
"""MB; replace the database file by hand with a larger one while convgate does not run."""


def draw_data(app: App) -> None:
    """Draw the data folder, and the actions on the whole library."""
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
    deleted = app.conversations.keys(deleted=True)
    if not deleted:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{pluralize(len(deleted), 'deleted conversation')} can be restored.")
        if st.button("Restore", key="library.undelete", icon=":material/undo:"):
            app.conversations.undelete(sorted(deleted))
            st.rerun()
        with st.popover("Remove for good …", icon=":material/delete_forever:"):
            st.markdown(
                "Removes their texts and labels, and their copies in trainings and relevance sets."
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
        key=f"library.restore.{st.session_state.setdefault(GENERATION, 0)}",
    )  # fmt: skip
    if file and st.button("Replace the library by this backup", icon=":material/settings_backup_restore:"):
        app.store.restore_bytes(file.getvalue())
        st.session_state[GENERATION] += 1
        _report_restored(app)
    previous = app.store.previous
    if previous is not None and st.button(
        "Undo restore", key="library.undo-restore", icon=":material/undo:",
        help="Swap this library and the one from before the last restore.",
    ):  # fmt: skip
        app.store.restore_bytes(previous.read_bytes())
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
        erased = pluralize(services.erase_everything(app.settings), "conversation")
        _start_over(
            f"Erased {erased} and everything derived from them. Settings and versions are still there."
        )
    elif pressed:
        st.caption(f"Nothing was erased: “{literal(typed)}” is not “{ERASE_WORD}”.")
    draw_forgetting()


def _start_over(outcome: str) -> None:
    """Clear the session, so that nothing removed stays on the screen or in memory."""
    for key in list(st.session_state):
        if key not in (GENERATION, NAME):
            del st.session_state[key]
    st.query_params.clear()
    st.session_state[GENERATION] = st.session_state.setdefault(GENERATION, 0) + 1
    st.session_state[OUTCOME] = outcome
    st.rerun()
