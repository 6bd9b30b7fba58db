"""Objects that all sessions share: the store, conversations, the encoder.

Caches are keyed by plain values (paths, names) and bounded. Never change a shared object.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.settings import Settings, load_settings
from convgate.embedding.base import Encoder
from convgate.embedding.cache import default_encoder
from convgate.store import Conversations, Store, database

if TYPE_CHECKING:
    from convgate.training.data_removal import Removal


def settings() -> Settings:
    """Return the settings; read on every run, which takes less than a millisecond."""
    return load_settings()


@st.cache_resource(
    max_entries=4,
    show_spinner=False,
    validate=lambda store: store.path.exists(),  # the file may be taken away while the app runs
    on_release=lambda store: store.close(),
)
def store(path: Path) -> Store:
    """Return the database at that path, checked once."""
    opened = Store(path)
    try:
        opened.check()
    except BaseException:
        opened.close()
        raise
    return opened


@st.cache_resource(max_entries=16, show_spinner=False)
def conversation(path: Path, key: str) -> Conversation:
    """Return the conversation `key` of the database at `path`; a key stands for the content.

    Raises StoreError when the library never had it.
    """
    return Conversations(store(path)).get(key).conversation


def encoder(chosen: Settings) -> Encoder:
    """Return the encoder of the settings with its cache in their home.

    Raises EncoderError when it cannot be loaded.
    """
    with st.spinner("Loading the encoder …"):
        return _encoder(chosen.encoder, chosen.device, chosen.encoder_dtype, chosen.home)


@st.cache_resource(max_entries=2, show_spinner=False, on_release=lambda encoder: encoder.close())
def _encoder(name: str, device: str, dtype: str, home: Path) -> Encoder:
    return default_encoder(name, home=home, device=device, dtype=dtype)


def remove_for_good(chosen: Settings) -> Removal:
    """Remove the deleted conversations, with every copy in the home and in memory.

    Raises as `convgate.training.data_removal.remove_for_good`.
    """
    from convgate.training import data_removal

    st.cache_resource.clear()  # ends what encodes their turns in the background
    try:
        return data_removal.remove_for_good(store(chosen.database), chosen)
    finally:
        _forget_all()


def set_aside(path: Path) -> Path:
    """Rename a damaged database, and return its new path; raises StoreError when that fails."""
    store.clear()
    return database.set_aside(path)


def erase_everything(chosen: Settings) -> int:
    """Remove all data in the home and in memory, and return the number of conversations.

    Raises as `convgate.training.data_removal.erase_everything`.
    """
    from convgate.training import data_removal

    opened = store(chosen.database)
    st.cache_resource.clear()  # closes the cache of embeddings before its files go
    try:
        return data_removal.erase_everything(opened, chosen)
    finally:
        _forget_all()


def _forget_all() -> None:
    """Empty what is kept in memory."""
    from convgate.policies.search import cached_words  # not needed by most, and slow to import

    cached_words.cache_clear()
    st.cache_resource.clear()
