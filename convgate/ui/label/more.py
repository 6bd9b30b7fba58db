"""Annotators and their agreement, import and export, each behind a click."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize
from convgate.labels.agreement import agreement
from convgate.labels.exchange import SUFFIXES, LabelFormat, keep_labels, read_labels, write_labels
from convgate.labels.imports import Import
from convgate.store import Labels
from convgate.transcripts import BadLinesError, Problems
from convgate.transcripts.problems import Report
from convgate.transcripts.redaction import Redactor
from convgate.transcripts.source import source_of_bytes
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.answering import keep_saved
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.files import redact_checkbox
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.session_state import put
from convgate.ui.shared.text import literal

GENERATION = "label.import.generation"
_MAX_PROBLEMS = 10
_KINDS: dict[LabelFormat, str] = {"relevance-set": "Relevance set", "csv": "CSV table"}
VIEWS = {"annotators": "Annotators", "files": "Import and export"}
_BADGES = {"good": "green", "fair": "orange", "low": "red", "few": "gray", "undefined": "gray"}


def draw_more(app: App, state: ExploreState) -> None:
    """Draw the menu of further views, and the one that is chosen."""
    draw_problem()
    st.segmented_control(
        "More", list(VIEWS), format_func=VIEWS.__getitem__, label_visibility="collapsed",
        **page.control("show"),
    )  # fmt: skip
    if state.show == "annotators":
        _draw_annotators(app)
    elif state.show == "files":
        _draw_files(app, state)


def _draw_annotators(app: App) -> None:
    """Draw how well annotators agree, and for each whether training uses their answers."""
    results = agreement(app.store)
    for result in results:
        st.markdown(f":{_BADGES[result.level]}-badge[{result.level}] {literal(result.summary)}")
    if not results:
        st.caption("Agreement needs two annotators who answered the same turns.")
    for entry in Labels(app.store).annotators():
        key = f"label.trains.{entry.name}"
        put(key, entry.trains)  # another window may have switched it
        counts = f"{pluralize(entry.answers, 'answer')} on {pluralize(entry.messages, 'message')}"
        st.toggle(
            f"Train on **{literal(entry.name)}** · {entry.kind} · {counts}",
            key=key, on_change=_switch, args=(app, entry.name, key),
            help="Off leaves the answers out of training, metrics and gold labels.",
        )  # fmt: skip


def _switch(app: App, name: str, key: str) -> None:
    with reporting_problems():
        Labels(app.store).set_trains(name, trains=bool(st.session_state[key]))


def _draw_files(app: App, state: ExploreState) -> None:
    """Draw the downloads, and the upload with a preview."""
    redactor = Redactor() if redact_checkbox("label.export.redact") else None
    with st.container(horizontal=True):
        for kind, name in _KINDS.items():
            st.download_button(
                f"Export {name}", partial(write_labels, app.store, kind, redactor=redactor),
                file_name=f"labels{SUFFIXES[kind]}", key=f"label.export.{kind}", on_click="ignore",
                icon=":material/download:",
            )  # fmt: skip
    file = st.file_uploader(
        "Import relevance sets, or lists of relevant turns",
        key=f"label.import.{st.session_state.setdefault(GENERATION, 0)}",
        help="Answers without a name become yours; those without a conversation are about the open one.",
    )
    if file is not None:
        _draw_import(app, state, annotator(), file.name, file.getvalue())


def _draw_import(app: App, state: ExploreState, by: str, name: str, content: bytes) -> None:
    """Draw what a file holds, and the button to store it."""
    skip = st.toggle("Skip bad rows", key="label.import.skip")
    try:
        source = source_of_bytes(content, Report(name, app.settings.read_limit_seconds))
        labels = read_labels(source, app.store, annotator=by, conversation=state.conversation, skip_bad=skip)
    except ConvgateError as error:
        show_problem(error)
        if isinstance(error, BadLinesError):
            _draw_problems(error.problems.errors)
        return
    names = ", ".join(f"{literal(name)} {count:,}" for name, count in labels.annotators.items())
    conversations = pluralize(len(labels.conversations), "conversation")
    st.markdown(
        f"{pluralize(len(labels.entries), 'label')} on {conversations}, {len(labels.new):,} of them new."
        f" By: {names}. {labels.added:,} new, {labels.known:,} known, {labels.replaced:,} replace another."
    )
    _draw_problems(labels.problems)
    st.button(
        f"Import {pluralize(len(labels.entries), 'label')}", key="label.import.keep", type="primary",
        on_click=_keep, args=(app, labels, by),
    )  # fmt: skip


def _draw_problems(problems: Problems) -> None:
    for problem in problems[:_MAX_PROBLEMS]:
        st.markdown(f"- {literal(str(problem), ltr=True)}")
    if problems.total > _MAX_PROBLEMS:
        st.caption(f"… and {problems.total - _MAX_PROBLEMS:,} more.")


def _keep(app: App, labels: Import, by: str) -> None:
    with reporting_problems():
        keep_saved(keep_labels(app.store, labels, by=by))
        st.session_state[GENERATION] = st.session_state.setdefault(GENERATION, 0) + 1
