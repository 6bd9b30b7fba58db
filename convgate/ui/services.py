"""What pages share because it is slow to make: the store, conversations, the encoder, gates.

Every function is keyed by plain values (paths, names, versions), so that a change of any of them gives
another object, and bounded, so that a long session does not grow. The objects are shared by all sessions:
never train or change one in place.
"""

from __future__ import annotations

import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.runtime.scriptrunner import add_script_run_ctx

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError, StoreError
from convgate.core.settings import Settings, load_settings
from convgate.core.text import pluralize
from convgate.embedding.base import Encoder
from convgate.store import Conversations, Store, database

if TYPE_CHECKING:
    from convgate.training.library import Removal

DATA_FOLDERS = ("runs", "sets")  # copies of conversations, as trainings and the library of sets have them
CACHE_FILES = ("embeddings.sqlite", "embeddings.sqlite-wal", "embeddings.sqlite-shm")


def settings() -> Settings:
    """The settings, read anew on every run: it costs less than a millisecond."""
    return load_settings()


@st.cache_resource(
    max_entries=4,
    show_spinner=False,
    validate=lambda store: store.path.exists(),  # the file may be taken away while the app runs
    on_release=lambda store: store.close(),
)
def store(path: Path) -> Store:
    """The database at that path, looked through once."""
    opened = Store(path)
    try:
        opened.check()
    except BaseException:
        opened.close()
        raise
    return opened


@st.cache_resource(max_entries=16, show_spinner=False)
def conversation(path: Path, key: str) -> Conversation:
    """The conversation `key` of the database at `path`; a key stands for its content, so it never is stale.

    Raises StoreError when the library never had it.
    """
    return Conversations(store(path)).get(key).conversation


def encoder(name: str, device: str, home: Path) -> Encoder:
    """The encoder of that name behind its cache in `home`, in the number format of the settings.

    Raises EncoderError when it cannot be loaded.
    """
    with st.spinner("Loading the encoder …"):
        return _encoder(name, device, settings().encoder_dtype, home)


@st.cache_resource(max_entries=2, show_spinner=False, on_release=lambda encoder: encoder.close())
def _encoder(name: str, device: str, dtype: str, home: Path) -> Encoder:
    from convgate.embedding.cache import default_encoder  # torch, which the Library never needs

    return default_encoder(name, home=home, device=device, dtype=dtype)


@st.cache_resource(show_spinner=False)
def warm_up() -> threading.Thread:
    """Load the encoder in the background, once, while a person looks at the first page."""
    chosen = settings()

    def load() -> None:
        with suppress(ConvgateError):  # the page that needs the encoder shows the error
            _encoder(chosen.encoder, chosen.device, chosen.encoder_dtype, chosen.home)

    thread = threading.Thread(target=load, name="warm-up", daemon=True)
    add_script_run_ctx(thread)  # else Streamlit warns that the cache is used outside of a session
    thread.start()
    return thread


def remove_for_good(chosen: Settings) -> Removal:
    """Remove the deleted conversations, with every copy in the home and in memory.

    Raises as `convgate.training.library.remove_for_good`.
    """
    from convgate.training import library

    try:
        return library.remove_for_good(store(chosen.database), chosen.home)
    finally:
        _forget_all()


def set_aside(path: Path) -> Path:
    """Move a damaged database out of the way; its new name. Raises StoreError when it cannot be moved."""
    store.clear()
    return database.set_aside(path)


def erase_everything(chosen: Settings) -> str:
    """Remove all that the app keeps in its home and in memory; the sentence that says what went.

    Raises StoreError when something cannot be removed, and before anything is when a training is at work: it
    would go on writing what it read. The library goes last, so that it is seen when something is left.
    """
    from convgate.training.run import Runs  # not needed by most, and slow to import

    if at_work := [run.id for run in Runs(chosen.home).all() if run.is_active]:
        raise StoreError(f"The training {at_work[0]} is at work. Stop it in Train first; nothing was erased.")

    opened = store(chosen.database)
    with opened.write():  # or another program is writing, which is told before anything is removed
        conversations = Conversations(opened).find().total
    st.cache_resource.clear()  # closes the embedding cache too, before its files go
    for folder in DATA_FOLDERS:
        shutil.rmtree(chosen.home / folder, ignore_errors=True)
    if left := [folder for folder in DATA_FOLDERS if (chosen.home / folder).exists()]:
        raise StoreError(f"{chosen.home / left[0]} cannot be removed; delete it. The library is still there.")
    for file in (chosen.home / name for name in CACHE_FILES):
        try:
            file.unlink(missing_ok=True)
        except OSError as error:
            raise StoreError(
                f"{file} cannot be removed ({error.strerror}); delete it. The library is still there."
            ) from error
    opened.erase()
    _forget_all()
    return (
        f"Erased {pluralize(conversations, 'conversation')} and everything derived from them."
        " Settings and versions are still there."
    )


def _forget_all() -> None:
    """Empty what is kept in memory."""
    from convgate.policies.bm25 import words  # not needed by most, and slow to import

    words.cache_clear()
    st.cache_resource.clear()
