"""The sets that choosers are measured on: the person's labels, and the files of the library of sets."""

from __future__ import annotations

import hashlib

import streamlit as st

from convgate.training.library import RelevanceSets
from convgate.transcripts import RelevanceSet
from convgate.ui.frame import App
from convgate.ui.text import literal


def set_labels(app: App) -> dict[str, str]:
    """What each set is called in a menu, by its name in addresses."""
    return {name: literal(name) for name in RelevanceSets(app.settings.home).names()}


def read_set(app: App, name: str) -> tuple[RelevanceSet, str]:
    """The set, and a text that stands for its content.

    Raises TranscriptError when it is not there or cannot be read.
    """
    sets = RelevanceSets(app.settings.home)
    content = hashlib.sha256(sets.path(name).read_bytes()).hexdigest()
    return _read(sets, name, content), f"{name} {content}"


@st.cache_resource(max_entries=4, show_spinner="Reading the set …")
def _read(_sets: RelevanceSets, name: str, content: str) -> RelevanceSet:
    return _sets.read(name)
