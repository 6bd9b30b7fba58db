"""Labelled data that pages measure on: the labels and the relevance sets of the library."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from convgate.core.text import pluralize
from convgate.evaluation.duplicates import Overlap, remove_duplicates
from convgate.labels.gold import GoldCounts, gold_counts, gold_set, labels_digest
from convgate.store import Store
from convgate.training.library import RelevanceSets
from convgate.training.split import count_conversations
from convgate.transcripts import RelevanceSet
from convgate.ui.frame import App
from convgate.ui.page_state import Address
from convgate.ui.text import literal

LABELS = "@labels"
"""The labels, where addresses name a set; no file can be called that."""


def label_counts(app: App) -> GoldCounts:
    """Return how much is labelled; counted again when a label changes."""
    return _counts(app.store, str(app.store.path), labels_digest(app.store))


def read_labelled(app: App, name: str) -> tuple[RelevanceSet, str]:
    """Return the labels or a set, and a digest of its content.

    Raises TranscriptError when the set does not exist or cannot be read.
    """
    if name == LABELS:
        digest = labels_digest(app.store)
        return _labels(app.store, str(app.store.path), digest), f"{name} {digest}"
    sets = RelevanceSets(app.settings.home)
    path = sets.path(name)
    status = path.stat()
    digest = f"{status.st_mtime_ns} {status.st_size}"
    return _set(sets, str(path), name, digest), f"{path} {digest}"


def content_sha256(app: App, name: str) -> str:
    """Return the SHA-256 of the labels as they are now, or of the set's file; raises as `read_labelled`."""
    if name != LABELS:
        return hashlib.sha256(RelevanceSets(app.settings.home).path(name).read_bytes()).hexdigest()
    labels, _ = read_labelled(app, LABELS)
    cases = [(case.id, sorted(case.relevant), sorted(case.judged or ())) for case in labels.cases]
    return hashlib.sha256(repr(sorted(cases)).encode()).hexdigest()


@dataclass(frozen=True)
class Together:
    """Labelled data that is used together, each turn counted once."""

    conversations: int
    overlaps: tuple[Overlap, ...]  # what is judged several times


def counted_together(app: App, names: Sequence[str]) -> Together:
    """Count the labels and sets of these names together; raises as `read_labelled`."""
    read = [read_labelled(app, name) for name in names]
    return _together("\n".join(digest for _, digest in read), [relevance_set for relevance_set, _ in read])


@st.cache_resource(max_entries=8, show_spinner="Looking for repeated turns …")
def _together(digest: str, _sets: Sequence[RelevanceSet]) -> Together:
    sets, overlaps = remove_duplicates(_sets)
    return Together(count_conversations(sets), tuple(overlaps))


@st.cache_resource(max_entries=2, show_spinner=False)
def _counts(_store: Store, path: str, digest: str) -> GoldCounts:
    return gold_counts(_store)


@st.cache_resource(max_entries=2, show_spinner="Reading your labels …")
def _labels(_store: Store, path: str, digest: str) -> RelevanceSet:
    return gold_set(_store, name="my labels")  # which no set of the library can be called


@st.cache_resource(max_entries=6, show_spinner="Reading the set …")
def _set(_sets: RelevanceSets, path: str, name: str, digest: str) -> RelevanceSet:
    return _sets.read(name)


@dataclass(frozen=True)
class Source:
    """The labels or a set, with counts."""

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
        """The name in sentences."""
        return "my labels" if self.name == LABELS else self.name

    @property
    def option(self) -> str:
        """The text of its option."""
        return f"{self.label}: {pluralize(self.judged, 'turn')}"

    @property
    def told(self) -> str:
        """All counts, in a sentence."""
        return (
            f"{self.label}: {pluralize(self.judged, 'labelled turn')}, {self.relevant:,} of them relevant,"
            f" for {pluralize(self.cases, 'message')} of {pluralize(self.conversations, 'conversation')}"
        )


def sources(app: App) -> dict[str, Source]:
    """Return all labelled data by name; the labels also while there are none."""
    own = label_counts(app)
    result = [Source(LABELS, "My labels", own.situations, own.conversations, own.judged, own.relevant)]
    for info in RelevanceSets(app.settings.home).infos():
        label = "Samples" if not info.is_own else literal(info.name)
        result.append(
            Source(
                info.name, label, info.cases, info.conversations, info.judged, info.relevant,
                info.licence, info.attribution, info.problem,
            )
        )  # fmt: skip
    return {source.name: source for source in result}


def usable(known: Mapping[str, Source]) -> list[str]:
    """Return the names of those with labelled turns."""
    return [name for name, source in known.items() if source.judged]


def draw_sources(page: Address[Any], known: Mapping[str, Source], chosen: Sequence[str]) -> None:
    """Draw the choice of labelled data, and which sets cannot be read."""
    st.pills(
        "Labelled data", usable(known), selection_mode="multi", format_func=lambda name: known[name].option,
        help="Turns without a label are not counted. Import further sets on Train.",
        **page.control("data", tuple(chosen)),
    )  # fmt: skip
    draw_source_problems(known)


def draw_source_problems(known: Mapping[str, Source]) -> None:
    """Say which sets cannot be read."""
    for source in known.values():
        if source.problem:
            st.warning(literal(source.problem, ltr=True), icon=":material/error:")


MIN_CONVERSATIONS = 25
"""Labelled conversations; intervals from fewer are too wide to choose between two settings."""


def draw_too_few(conversations: int) -> bool:
    """Warn when there are too few conversations; return whether there are enough."""
    if conversations >= MIN_CONVERSATIONS:
        return True
    st.warning(
        f"{conversations} of {MIN_CONVERSATIONS} conversations: too few to trust.", icon=":material/warning:"
    )
    return False
