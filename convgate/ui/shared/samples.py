"""The sample conversations, and what each of them shows."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.home import app_root
from convgate.transcripts import read_conversations


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


def draw_sample_note(origin: str, turn: int | None) -> None:
    """Draw what a sample demonstrates, when that file is one and `turn` is where it opens."""
    for sample in load_samples(app_root() / "sample_conversations"):
        if sample.file == origin and turn == sample.turn:
            st.info(sample.shows, icon=":material/lightbulb:")
