"""What charts and caches call the turns of a conversation, without anything that takes long to load."""

from __future__ import annotations

import streamlit as st

from convgate.conversation import Conversation
from convgate.sessions.boundaries import moved_by
from convgate.transcripts.characters import writable

_LABEL = 80  # characters of a turn on hover


@st.cache_resource(max_entries=16, show_spinner=False)
def turn_labels(key: str, _conversation: Conversation) -> list[str]:
    """Who and the first words of every turn."""
    return [writable(f"{turn.speaker}: {turn.scored_text[:_LABEL]}") for turn in _conversation.turns]


def moves(conversation: Conversation) -> str:
    """A text that is the same for the same conversation while nobody moves a boundary of it."""
    moved = enumerate(moved_by(turn) for turn in conversation.turns)
    return repr([(index, kind) for index, kind in moved if kind is not None])
