"""The person's data: folder, backup, restore, deleted conversations, erasing."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from convgate.core.text import pluralize
from convgate.ui import services, state
from convgate.ui.annotator import NAME, draw_forgetting
from convgate.ui.frame import App
from convgate.ui.library_add import GENERATION, OUTCOME
from convgate.ui.text import literal

if TYPE_CHECKING:
    from convgate.training.library import Copies


REMOVING = "library.removing"  # the keys that are asked about, and where copies of them are


def draw_deleted(app: App) -> None:
    """How many conversations were deleted, and what can be done with them; nothing when there are none."""
    deleted = app.conversations.find(deleted=True, per_page=0).total
    if not deleted:
        state.forget(REMOVING)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{pluralize(deleted, 'deleted conversation')} can still come back.")
        if st.button("Bring back", key="library.bring-back", icon=":material/undo:"):
            app.conversations.undelete_all()
            state.forget(REMOVING)
            st.rerun()
        if st.button("Remove for good …", key="library.remove", icon=":material/delete_forever:"):
            st.session_state[REMOVING] = _look(app)
    asked: tuple[set[str], Copies] | None = st.session_state.get(REMOVING)
    if asked is None:
        return
    is_other = asked[0] != app.conversations.keys(
        deleted=True
    )  # another window deleted some, or brought some back
    if is_other:
        st.session_state[REMOVING] = asked = _look(app)
    _draw_question(app, *asked, is_other=is_other)


def _look(app: App) -> tuple[set[str], Copies]:
    from convgate.training.library import find_copies  # not needed by who removes nothing

    keys = app.conversations.keys(deleted=True)
    return keys, find_copies(app.settings.home, app.conversations.deleted())


def _draw_question(app: App, keys: set[str], copies: Copies, *, is_other: bool) -> None:
    with st.container(border=True, key="library.removal"):
        st.markdown(f"**Remove {pluralize(len(keys), 'conversation')} for good?**")
        if is_other:
            st.markdown("What is deleted has changed since you asked, so nothing was removed. Look again.")
        st.markdown("\n".join(f"- {line}" for line in _what_goes(copies)))
        with st.container(horizontal=True):
            removing = st.button(
                "Remove for good", key="library.purge", type="primary", icon=":material/delete_forever:"
            )
            st.button("Keep them", key="library.keep", on_click=state.forget, args=[REMOVING])
    if removing and not is_other:
        removal = services.remove_for_good(app.settings)
        state.forget_all_but(GENERATION, NAME)
        st.query_params.clear()
        st.session_state[OUTCOME] = (
            f"Removed {pluralize(removal.conversations, 'conversation')} for good{_with(removal.copies)}."
        )
        st.rerun()


def _what_goes(copies: Copies) -> list[str]:
    lines = [
        "Texts, labels, notes and places in queues go, and no trace stays in the library's file; what a"
        " restore, an update or moving a damaged file aside kept beside it goes too."
    ]
    if copies.runs:
        lines.append(
            f"From {pluralize(len(copies.runs), 'training')} go the copied data, the log and the report;"
            " figures and versions stay, but an unfinished training cannot be resumed."
        )
    if copies.sets:
        lines.append(f"They are taken out of {_names(copies.sets, 'set')}; a set of nothing else is deleted.")
    unread = ((copies.unread, "set", "its file"), (copies.unread_runs, "training", "it in Train"))
    for names, what, deleted in unread:
        if names:
            lines.append(
                f"Not all of {_names(names, what)} can be read, so nobody knows whether their text is there:"
                f" it stays until you delete {deleted}."
            )
    return [*lines, "Nothing brings them back but a backup of yours, or the file that they came from."]


def _names(names: tuple[str, ...], what: str) -> str:
    named = ", ".join(literal(name) for name in names)
    return f"the {what}{'s' * (len(names) != 1)} {named}"


def _with(copies: Copies) -> str:
    found = {"training": len(copies.runs), "set": len(copies.sets)}
    told = [pluralize(count, what) for what, count in found.items() if count]
    return f", and their copies in {' and '.join(told)}" if told else ""


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
    st.session_state[OUTCOME] = f"Restored {pluralize(app.conversations.find().total, 'conversation')}."
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
        st.query_params.clear()
        st.session_state[GENERATION] += 1
        st.session_state[OUTCOME] = outcome
        st.rerun()
    elif pressed:
        st.caption(f"Nothing was erased: “{literal(typed)}” is not “{ERASE_WORD}”.")
    draw_forgetting()
