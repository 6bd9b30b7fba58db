"""The Library from top to bottom: the ways to add conversations, and the conversations."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.home import app_root
from convgate.core.text import pluralize
from convgate.store import NewConversation
from convgate.ui.library import listing
from convgate.ui.library.add import OUTCOME, add_to_library, draw_outcome, draw_ways
from convgate.ui.library.data import draw_data
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import open_conversation
from convgate.ui.shared.samples import Sample, load_samples
from convgate.ui.shared.session_state import pressed
from convgate.ui.shared.text import literal

N_FEATURED = 6
"""Cards that are shown at once; the others are behind a click."""


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
    draw_ways(app)
    if has_any := bool(app.conversations.keys()):
        listing.draw_conversations(app, state)
    if _has_own(app):
        with st.expander("Samples", icon=":material/auto_stories:", key="library.samples"):
            draw_samples(app)
    else:
        st.subheader("Open another sample" if has_any else "Start with a sample", anchor=False)
        draw_samples(app)


def _has_own(app: App) -> bool:
    """Return whether the library has a conversation that is not from a sample."""
    samples = load_samples(app_root() / "sample_conversations")
    files = {sample.file for sample in samples}
    limit = sum(len(sample.conversations) for sample in samples) + 1
    return any(row.origin not in files for row in app.conversations.find(per_page=limit).rows)


def draw_samples(app: App) -> None:
    """Draw a card for each sample; opening one adds it to the library unless it is there."""
    samples = load_samples(app_root() / "sample_conversations")
    _draw_cards(app, samples[:N_FEATURED])
    with st.expander(f"{len(samples[N_FEATURED:])} more samples", key="library.samples.more"):
        _draw_cards(app, samples[N_FEATURED:])
        if pressed("Add all samples", key="library.samples.all", icon=":material/library_add:"):
            _add(app, [(sample, conversation) for sample in samples for conversation in sample.conversations])
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
        first = sample.conversations[0]  # one of each story: the others are added by the button below
        st.caption(pluralize(len(first), "turn"), width="content")
        if pressed("Open", key=f"sample-{sample.file}", icon=":material/query_stats:"):
            [key] = _add(app, [(sample, first)])
            del st.session_state[OUTCOME]  # Explore shows the outcome
            open_conversation(key, sample.turn)


def _add(app: App, chosen: Sequence[tuple[Sample, Conversation]]) -> list[str]:
    new = [
        NewConversation(conversation, sample.file, title=conversation.title or sample.title)
        for sample, conversation in chosen
    ]
    return [addition.key for addition in add_to_library(app.conversations, new, len(new))]
