"""The sample conversations: one card each, opened at once or added all together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate.app_files import app_root
from convgate.conversation import Conversation, Turn
from convgate.store import NewConversation
from convgate.transcripts import read_conversations
from convgate.ui import state
from convgate.ui.frame import App
from convgate.ui.library_add import OUTCOME, keep
from convgate.ui.navigation import open_conversation
from convgate.ui.text import literal
from convgate.ui.wording import counted

FEATURED = 6
"""Cards that are shown at once; the others are behind a click."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A file of sample conversations."""

    file: str
    shows: str  # for somebody who sees convgate for the first time
    conversations: tuple[Conversation, ...]

    @property
    def title(self) -> str:
        """What its card is called."""
        return self.conversations[0].title or Path(self.file).stem.replace("_", " ").capitalize()

    @property
    def turns(self) -> int:
        """Turns of all its conversations."""
        return sum(map(len, self.conversations))


@st.cache_resource(max_entries=2, show_spinner=False)
def samples(folder: Path) -> tuple[Sample, ...]:
    """The samples that the table in the folder's README lists, in its order, none of them twice.

    Relevance sets are left out: they repeat the others with labels, for the command line.

    Raises TranscriptError when one of them cannot be read.
    """
    found: list[Sample] = []
    seen: list[tuple[Turn, ...]] = []
    for row in _table(folder / "README.md"):
        file = row["file"].strip("`")
        transcript = read_conversations(folder / file)
        new = tuple(conversation for conversation in transcript if conversation.turns not in seen)
        if new and transcript.format != "relevance-set":
            found.append(Sample(file, row["what it shows"], new))
            seen += [conversation.turns for conversation in new]
    return tuple(found)


def _table(readme: Path) -> list[dict[str, str]]:
    """The rows of the first table of a Markdown file, by the names of its columns."""
    lines = readme.read_text(encoding="utf-8").splitlines()
    table = [[cell.strip() for cell in line.strip("| ").split("|")] for line in lines if line.startswith("|")]
    return [dict(zip(table[0], row, strict=False)) for row in table[2:]]


def draw_samples(app: App) -> None:
    """The cards; opening one adds it to the library first, unless it is there."""
    found = samples(app_root() / "sample_conversations")
    _draw_cards(app, found[:FEATURED])
    if rest := found[FEATURED:]:
        with st.expander(f"{len(rest)} more samples", key="library.samples.more"):
            _draw_cards(app, rest)
    if st.button("Add all samples to the library", key="library.samples.all", icon=":material/library_add:"):
        _keep(app, found)
        st.rerun()


def _draw_cards(app: App, chosen: Sequence[Sample]) -> None:
    with st.grid(min_column_width=280):
        for sample in chosen:
            _draw_card(app, sample)


def _draw_card(app: App, sample: Sample) -> None:
    several = len(sample.conversations) > 1
    extent = f"{counted(len(sample.conversations), 'conversation')} · " if several else ""
    with st.container(border=True, height="stretch", gap="xsmall"):
        st.markdown(f"**{literal(sample.title)}**")
        st.markdown(sample.shows)
        st.space("stretch")
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.caption(extent + counted(sample.turns, "turn"), width="content")
            if st.button("Open", key=f"sample-{sample.file}", icon=":material/query_stats:"):
                [first, *_] = _keep(app, [sample])
                state.forget(OUTCOME)  # the conversation itself is the outcome
                open_conversation(first)


def _keep(app: App, chosen: Sequence[Sample]) -> list[str]:
    found = [
        NewConversation(conversation, sample.file, title=conversation.title or sample.title)
        for sample in chosen
        for conversation in sample.conversations
    ]
    return [addition.key for addition in keep(app.conversations, found)]
