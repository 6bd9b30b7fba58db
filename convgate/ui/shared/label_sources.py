"""Labelled data that pages measure on: the labels and the relevance sets of the library."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.core.text import join_words, pluralize
from convgate.evaluation.sending import Sending
from convgate.gate.promise import min_conversations
from convgate.gate.thresholds import MaxMissed
from convgate.labels.gold import GoldCounts, gold_counts, gold_set, labels_digest
from convgate.store import Store
from convgate.store.edits import edits_digest
from convgate.training.library import SAMPLES, RelevanceSets, SetInfo
from convgate.transcripts import RelevanceSet
from convgate.ui.shared.frame import App
from convgate.ui.shared.library import library_key
from convgate.ui.shared.modes import statement_reader
from convgate.ui.shared.navigation import LABEL
from convgate.ui.shared.page_state import Address
from convgate.ui.shared.results_cache import Measured
from convgate.ui.shared.text import literal
from convgate.versions import UNTRAINED
from convgate.versions.catalog import Versions

LABELS = "@labels"
"""The labels, where addresses name a set; no file can be called that."""


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


def read_measured(app: App, name: str) -> Measured:
    """Return the labels or a set to measure what is sent on; its conversations have the edits of the library.

    Raises as `read_labelled`.
    """
    relevance_set, content = read_labelled(app, name)
    digest, settings = f"{content} {edits_digest(app.store)}", app.settings
    holds = statement_reader(settings) if settings.hold_invariants else None
    return Measured(
        _edit(app, relevance_set, f"{digest} {app.store.path}"),
        f"{digest} {settings.hold_invariants} {settings.pair_answers}",
        Sending(holds, settings.pair_answers),
    )


@st.cache_resource(max_entries=6, show_spinner="Reading conversations …")
def _edit(_app: App, _set: RelevanceSet, digest: str) -> RelevanceSet:
    conversations = {}
    for id, conversation in _set.conversations.items():
        key = library_key(_app.store, conversation)
        conversations[id] = conversation if key is None else replace(_app.conversation(key), id=id)
    return replace(_set, conversations=conversations)


def content_sha256(app: App, name: str) -> str:
    """Return the SHA-256 of the labels as they are now, or of the set's file; raises as `read_labelled`."""
    if name != LABELS:
        return hashlib.sha256(RelevanceSets(app.settings.home).path(name).read_bytes()).hexdigest()
    labels, _ = read_labelled(app, LABELS)
    cases = [(case.id, sorted(case.relevant), sorted(case.judged or ())) for case in labels.cases]
    return hashlib.sha256(repr(sorted(cases)).encode()).hexdigest()


@st.cache_resource(max_entries=2, show_spinner=False)
def _counts(_store: Store, path: str, digest: str) -> GoldCounts:
    return gold_counts(_store)


@st.cache_resource(max_entries=2, show_spinner="Reading your labels …")
def _labels(_store: Store, path: str, digest: str) -> RelevanceSet:
    return gold_set(_store, name="my labels")  # which no set of the library can be called


@st.cache_resource(max_entries=6, show_spinner="Reading the set …")
def _set(_sets: RelevanceSets, path: str, name: str, digest: str) -> RelevanceSet:
    return _sets.read(name)


def sources(app: App) -> dict[str, SetInfo]:
    """Return what the labels and each set hold, by name; the labels also when there are none."""
    own = _counts(app.store, str(app.store.path), labels_digest(app.store))
    labels = SetInfo(
        name=LABELS,
        conversations=own.conversations,
        cases=own.messages,
        judged=own.judged,
        relevant=own.relevant,
        may_train=True,
    )
    sets = RelevanceSets(app.settings.home)
    return {info.name: info for info in (labels, *map(sets.info, sets.names()))}


def plain_name(name: str) -> str:
    """Return the name of the labels or a set in sentences."""
    return "my labels" if name == LABELS else name


def describe_source(info: SetInfo) -> str:
    """Return the counts of the labels or a set in a sentence, as Markdown."""
    name, conversations = _title(info.name), pluralize(info.conversations, "conversation")
    return (
        f"{name}: {pluralize(info.judged, 'labelled turn')}, {info.relevant:,} of them relevant, for"
        f" {pluralize(info.cases, 'message')} of {conversations}"
    )


def _title(name: str) -> str:
    return {LABELS: "My labels", SAMPLES: "Samples"}.get(name, literal(name))


def usable(known: Mapping[str, SetInfo]) -> list[str]:
    """Return the names of those with labelled turns."""
    return [name for name, info in known.items() if info.judged]


def draw_sources(page: Address[Any], known: Mapping[str, SetInfo], chosen: Sequence[str]) -> None:
    """Draw the choice of labelled data."""
    st.pills(
        "Labelled data", usable(known), selection_mode="multi",
        format_func=lambda name: f"{_title(name)}: {pluralize(known[name].judged, 'turn')}",
        help="Turns without a label are not counted. Import further sets on Train.",
        **page.control("data", tuple(chosen)),
    )  # fmt: skip
    draw_source_problems(known)


def pick_source(
    page: Address[Any], known: Mapping[str, SetInfo], chosen: str | None, label: str, **also: Any
) -> SetInfo | None:
    """Draw the choice of the labels or one set; None, and a link, when nothing is labelled.

    also: other fields of the page that a change sets.
    """
    names = usable(known)
    draw_source_problems(known)
    if chosen not in names:
        st.info("Nothing is labelled yet, so no policy can be measured.", icon=":material/label:")
        st.page_link(LABEL, label="Label some turns", icon=":material/label:")
        return None
    st.selectbox(
        label, names, width=400, help="Import relevance sets on Train.",
        format_func=lambda name: f"{plain_name(name)}: {pluralize(known[name].judged, 'turn')}",
        **page.control("data", chosen, **also),
    )  # fmt: skip
    return known[chosen]


def learned_from(app: App, versions: Iterable[str], names: Iterable[str]) -> list[str]:
    """Return a warning about the versions that were trained or tuned on the labelled data of these names."""
    names = list(names)
    by_data: dict[str, list[str]] = {}
    for version in versions:
        if version == UNTRAINED:
            continue
        known = {each.name for each in Versions(app.settings.home).get(version).card.data}
        used = [
            plain_name(name)
            for name in names
            if name in known or (name == LABELS and known & {"labels", "my labels"})
        ]
        if used:
            by_data.setdefault(join_words(used), []).append(version)
    return [
        f"{join_words(each)} {'was' if len(each) == 1 else 'were'} trained or tuned on {data}. Expect lower"
        " scores on new data."
        for data, each in by_data.items()
    ]


def draw_trained_on(app: App, versions: Iterable[str], names: Iterable[str]) -> None:
    """Draw the warning of `learned_from`."""
    for text in learned_from(app, versions, names):
        st.warning(literal(text), icon=":material/model_training:")


def draw_source_problems(known: Mapping[str, SetInfo]) -> None:
    """Show which sets cannot be read."""
    for info in known.values():
        if info.problem:
            st.warning(literal(info.problem, ltr=True), icon=":material/error:")


MIN_CONVERSATIONS = min_conversations(MaxMissed().max_missed)
"""Labelled conversations that it takes to fit the default promise to them, and to compare two settings."""


def few_conversations(conversations: int) -> str:
    """Return the end of a sentence about too few conversations; empty when there are enough."""
    is_enough = conversations >= MIN_CONVERSATIONS
    return "" if is_enough else f"; too few to trust ({conversations} of {MIN_CONVERSATIONS} conversations)"
