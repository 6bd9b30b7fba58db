"""Labelled data that pages choose from: what people said, and the sets of the library; read once."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from convgate.evaluation.counted_once import Overlap, counted_once
from convgate.labels.gold import GoldCounts, gold_counts, gold_set, labels_digest
from convgate.store import Store
from convgate.training.library import RelevanceSets
from convgate.training.split import count_conversations
from convgate.transcripts import RelevanceSet
from convgate.ui.frame import App

LABELS = "@labels"
"""The labels, where addresses name a set; no file can be called that."""


def label_counts(app: App) -> GoldCounts:
    """How much is labelled; counted again when a label changes."""
    return _counts(app.store, str(app.store.path), labels_digest(app.store))


def read_labelled(app: App, name: str) -> tuple[RelevanceSet, str]:
    """The labels or a set, and a text that stands for its content.

    Raises TranscriptError when the set is not there or cannot be read.
    """
    if name == LABELS:
        digest = labels_digest(app.store)
        return _labels(app.store, str(app.store.path), digest), f"{name} {digest}"
    sets = RelevanceSets(app.settings.home)
    path = sets.path(name)
    found = path.stat()
    digest = f"{found.st_mtime_ns} {found.st_size}"
    return _set(sets, str(path), name, digest), f"{path} {digest}"


def content_sha256(app: App, name: str) -> str:
    """The SHA-256 of the labels as they are now, or of the set's file; raises as `read_labelled`."""
    if name != LABELS:
        return hashlib.sha256(RelevanceSets(app.settings.home).path(name).read_bytes()).hexdigest()
    labels, _ = read_labelled(app, LABELS)
    said = [(case.id, sorted(case.relevant), sorted(case.judged or ())) for case in labels.cases]
    return hashlib.sha256(repr(sorted(said)).encode()).hexdigest()


@dataclass(frozen=True)
class Together:
    """Labelled data that is used together, each turn counted once."""

    conversations: int
    overlaps: tuple[Overlap, ...]  # what is judged several times


def counted_together(app: App, names: Sequence[str]) -> Together:
    """What the labels and sets of these names come to; raises as `read_labelled`."""
    found = [read_labelled(app, name) for name in names]
    return _together("\n".join(told for _, told in found), [one for one, _ in found])


@st.cache_resource(max_entries=8, show_spinner="Looking for what is there twice …")
def _together(told: str, _sets: Sequence[RelevanceSet]) -> Together:
    sets, overlaps = counted_once(_sets)
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
