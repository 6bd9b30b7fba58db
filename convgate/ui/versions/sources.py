"""The sets that choosers are measured on: the person's labels, and the files of the library of sets."""

from __future__ import annotations

import hashlib

import streamlit as st

from convgate.labels.gold import gold_counts, gold_set, labels_digest
from convgate.store import Store
from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui.frame import App
from convgate.ui.wording import counted

LABELS = "@labels"
"""The labels by the name that addresses give them; no file can have it."""


def set_labels(app: App) -> dict[str, str]:
    """What each set is called in a menu, by its name in addresses."""
    labelled = gold_counts(app.store).situations
    own = {LABELS: f"Your labels: {counted(labelled, 'message')}"} if labelled else {}
    return own | {name: name for name in RelevanceSets(app.settings.home).names()}


def read_set(app: App, name: str) -> tuple[RelevanceSet, str]:
    """The set, and a text that stands for its content.

    Raises TranscriptError when it is not there or cannot be read.
    """
    if name == LABELS:
        told = f"{name} {app.settings.database} {labels_digest(app.store)}"
        return _labels(app.store, told), told
    sets = RelevanceSets(app.settings.home)
    told = f"{name} {hashlib.sha256(sets.path(name).read_bytes()).hexdigest()}"
    return _read(sets, name, told), told


@st.cache_resource(max_entries=4, show_spinner="Reading the set …")
def _read(_sets: RelevanceSets, name: str, told: str) -> RelevanceSet:
    return _sets.read(name)


@st.cache_resource(max_entries=2, show_spinner="Reading your labels …")
def _labels(_store: Store, told: str) -> RelevanceSet:
    return gold_set(_store)
