"""The sample conversations as cards."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.core.home import app_root
from convgate.core.text import pluralize
from convgate.store import NewConversation
from convgate.ui.library.add import OUTCOME, add_to_library
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import open_conversation
from convgate.ui.shared.samples import Sample, load_samples
from convgate.ui.shared.text import literal

N_FEATURED = 6
"""Cards that are shown at once; the others are behind a click."""


def draw_samples(app: App) -> None:
    """Draw a card for each sample; opening one adds it to the library unless it is there."""
    samples = load_samples(app_root() / "sample_conversations")
    _draw_cards(app, samples[:N_FEATURED])
    with st.expander(f"{len(samples[N_FEATURED:])} more samples", key="library.samples.more"):
        _draw_cards(app, samples[N_FEATURED:])
    if st.button("Add all samples to the library", key="library.samples.all", icon=":material/library_add:"):
        _add(app, samples)
        st.rerun()


def _draw_cards(app: App, samples: Sequence[Sample]) -> None:
    with st.grid(min_column_width=280):
        for sample in samples:
            with st.container(border=True, height="stretch", gap="xsmall"):
                _draw_card(app, sample)


def _draw_card(app: App, sample: Sample) -> None:
    st.markdown(f"**{literal(sample.title)}**")
    st.markdown(sample.shows)
    st.space("stretch")
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        conversations = sample.conversations
        n_conversations = f"{len(conversations)} conversations · " if len(conversations) > 1 else ""
        st.caption(f"{n_conversations}{pluralize(sum(map(len, conversations)), 'turn')}", width="content")
        if st.button("Open", key=f"sample-{sample.file}", icon=":material/query_stats:"):
            [first, *_] = _add(app, [sample])
            del st.session_state[OUTCOME]  # Explore shows the outcome
            open_conversation(first, sample.turn)


def _add(app: App, samples: Sequence[Sample]) -> list[str]:
    conversations = [
        NewConversation(conversation, sample.file, title=conversation.title or sample.title)
        for sample in samples
        for conversation in sample.conversations
    ]
    return [addition.key for addition in add_to_library(app.conversations, conversations, len(conversations))]
