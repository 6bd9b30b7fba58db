"""The Library from top to bottom: the ways to add conversations, and the conversations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.home import app_root
from convgate.core.text import pluralize
from convgate.store import NewConversation
from convgate.ui.library import listing
from convgate.ui.library.add import OUTCOME, add_to_library, draw_outcome, draw_paste, draw_path, draw_upload
from convgate.ui.library.data import draw_data
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import open_conversation
from convgate.ui.shared.samples import Sample, load_samples
from convgate.ui.shared.text import literal

N_FEATURED = 6
"""Cards that are shown at once; the others are behind a click."""

_WAYS: dict[str, Callable[[App], None]] = {
    "Files": draw_upload, "Path": draw_path, "Pasted text": draw_paste,
}  # fmt: skip


def draw_page(app: App) -> None:
    """Draw the page."""
    try:
        _draw_library(app)
    except ConvgateError:  # a restore or its undo may help
        draw_data(app)
        raise
    draw_data(app)


def _draw_library(app: App) -> None:
    """Draw the conversations and the ways to add some."""
    state = listing.page.begin()
    draw_outcome()
    if app.conversations.keys():
        with st.expander("Add conversations", icon=":material/add:", key="library.add"):
            _draw_ways(app, {**_WAYS, "Samples": draw_samples})
        listing.draw_conversations(app, state)
    else:
        st.subheader("Start with a sample", anchor=False)
        draw_samples(app)
        st.subheader("Or bring a conversation of your own", anchor=False)
        _draw_ways(app, _WAYS)


def _draw_ways(app: App, ways: Mapping[str, Callable[[App], None]]) -> None:
    """Draw a tab for each way to add conversations."""
    for tab, draw_way in zip(st.tabs(list(ways)), ways.values(), strict=True):
        with tab:
            draw_way(app)


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
