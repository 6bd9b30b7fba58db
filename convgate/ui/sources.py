"""The labelled data that pages choose from: the person's labels, and the sets of the library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.training.library import RelevanceSets
from convgate.ui import state
from convgate.ui.frame import App
from convgate.ui.labelled import LABELS, label_counts
from convgate.ui.text import literal
from convgate.ui.wording import counted


@dataclass(frozen=True)
class Source:
    """Data that there is, and how much of it."""

    name: str  # as addresses have it
    label: str
    cases: int
    conversations: int
    judged: int  # turns
    relevant: int  # of them
    licence: str = ""
    attribution: str = ""
    problem: str = ""

    @property
    def plain(self) -> str:
        """Its name in sentences."""
        return "my labels" if self.name == LABELS else self.name

    @property
    def option(self) -> str:
        """What stands on its button."""
        return f"{self.label}: {counted(self.judged, 'turn')}"

    @property
    def told(self) -> str:
        """All its counts, in a sentence."""
        return (
            f"{self.label}: {counted(self.judged, 'labelled turn')}, {self.relevant:,} of them relevant, for"
            f" {counted(self.cases, 'message')} of {counted(self.conversations, 'conversation')}"
        )


def sources(app: App) -> dict[str, Source]:
    """All that there is, by name; the labels also while there are none."""
    own = label_counts(app)
    found = [Source(LABELS, "My labels", own.situations, own.conversations, own.judged, own.relevant)]
    for info in RelevanceSets(app.settings.home).infos():
        label = "Samples" if not info.is_own else literal(info.name)
        found.append(
            Source(
                info.name, label, info.cases, info.conversations, info.judged, info.relevant,
                info.licence, info.attribution, info.problem,
            )
        )  # fmt: skip
    return {source.name: source for source in found}


def usable(known: Mapping[str, Source]) -> list[str]:
    """Names of those in which something was judged."""
    return [name for name, source in known.items() if source.judged]


def draw_sources(
    known: Mapping[str, Source], chosen: Sequence[str], *, key: str, help: str, on_change: Callable[[], None]
) -> None:
    """The choice of labelled data, and what is wrong with some."""
    state.put(key, list(chosen))
    st.pills(
        "Labelled data", usable(known), key=key, selection_mode="multi",
        format_func=lambda name: known[name].option, on_change=on_change, help=help,
    )  # fmt: skip
    for source in known.values():
        if source.problem:
            st.warning(literal(source.problem, ltr=True), icon=":material/error:")
