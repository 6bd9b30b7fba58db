"""The sample conversations: cards in the Library, and a note in Explore on what a sample shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.core.text import pluralize
from convgate.store import NewConversation
from convgate.transcripts import read_conversations
from convgate.ui.frame import App
from convgate.ui.library_add import OUTCOME, add_to_library
from convgate.ui.navigation import open_conversation
from convgate.ui.text import literal

N_FEATURED = 6
"""Cards that are shown at once; the others are behind a click."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A file of sample conversations."""

    file: str
    shows: str  # what it demonstrates, for somebody who sees convgate for the first time
    turn: int  # where its first conversation opens, 0-based
    conversations: tuple[Conversation, ...]

    @property
    def title(self) -> str:
        """The title of its card."""
        return self.conversations[0].title or Path(self.file).stem.replace("_", " ").capitalize()


@st.cache_resource(max_entries=2, show_spinner=False)
def load_samples(folder: Path) -> tuple[Sample, ...]:
    """Return the samples that the table in the folder's README lists, in its order, each conversation once.

    Relevance sets are left out: they repeat the others with labels, for the command line.

    Raises TranscriptError when one of them cannot be read.
    """
    samples: list[Sample] = []
    seen: list[tuple[Turn, ...]] = []
    for row in read_table(folder / "README.md"):
        file = row["file"].strip("`")
        transcript = read_conversations(folder / file)
        new = tuple(conversation for conversation in transcript if conversation.turns not in seen)
        if new and transcript.format != "relevance-set":
            turn = len(new[0]) - 1 if row["opens at"] == "last" else int(row["opens at"])
            samples.append(Sample(file, row["content"], turn, new))
            seen += [conversation.turns for conversation in new]
    return tuple(samples)


def read_table(readme: Path) -> list[dict[str, str]]:
    """Return the rows of the first table of a Markdown file, by the names of its columns."""
    lines = readme.read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line.startswith("|")]
    return [dict(zip(table[0], row, strict=False)) for row in table[2:]]


def draw_samples(app: App) -> None:
    """Draw a card for each sample; opening one adds it to the library unless it is there."""
    samples = load_samples(app_root() / "sample_conversations")
    _draw_cards(app, samples[:N_FEATURED])
    with st.expander(f"{len(samples[N_FEATURED:])} more samples", key="library.samples.more"):
        _draw_cards(app, samples[N_FEATURED:])
    if st.button("Add all samples to the library", key="library.samples.all", icon=":material/library_add:"):
        _add(app, samples)
        st.rerun()


def draw_sample_note(origin: str, turn: int | None) -> None:
    """Draw what a sample demonstrates, when that file is one and `turn` is where it opens."""
    for sample in load_samples(app_root() / "sample_conversations"):
        if sample.file == origin and turn == sample.turn:
            st.info(sample.shows, icon=":material/lightbulb:")


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
