"""Agreement, annotators, import and export, each behind a click."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import format_age, pluralize
from convgate.labels.agreement import agreement
from convgate.labels.exchange import SUFFIXES, Kind, keep_labels, read_labels, write_labels
from convgate.labels.imports import Import
from convgate.store import Conversations, Labels
from convgate.store.labels import Annotator
from convgate.transcripts import BadLinesError, Problems
from convgate.transcripts.redaction import Redactor
from convgate.ui.annotator import annotator
from convgate.ui.answering import PROBLEM, keep_saved, reporting_problems
from convgate.ui.explore import state
from convgate.ui.explore.state import View
from convgate.ui.frame import App, show_problem
from convgate.ui.redaction import redact_checkbox
from convgate.ui.state import put, remembered
from convgate.ui.text import literal, make_labels_unique

SHOW = "label.show"
IMPORTED, GENERATION = "label.import.done", "label.import.generation"
_MAX_PROBLEMS, _MAX_CONVERSATIONS = 10, 200
_KINDS: dict[Kind, str] = {"relevance-set": "Relevance set", "csv": "CSV table"}
_BADGES = {"good": "green", "fair": "orange", "low": "red", "few": "gray", "undefined": "gray"}


def draw_more(app: App, view: View) -> None:
    """Draw the menu of further views, and the one that is chosen."""
    if (problem := st.session_state.pop(PROBLEM, None)) is not None:  # of an action without a card
        show_problem(problem)
    views = {"agreement": "Agreement", "people": "Annotators", "files": "Import and export"}
    shown = view.show if view.show in views else None
    put(SHOW, shown)
    st.segmented_control(
        "More", list(views), key=SHOW, format_func=views.__getitem__, on_change=_show,
        label_visibility="collapsed",
    )  # fmt: skip
    if shown == "agreement":
        _draw_agreement(app)
    elif shown == "people":
        _draw_annotators(app)
    elif shown == "files":
        _draw_files(app)


def _show() -> None:
    state.change(show=st.session_state[SHOW])


def _draw_agreement(app: App) -> None:
    results = agreement(app.store)
    if not results:
        st.caption("Agreement needs two annotators who answered the same turns.")
        return
    for one in results:
        st.markdown(f":{_BADGES[one.level]}-badge[{one.level}] {literal(one.summary)}")


def _draw_annotators(app: App) -> None:
    """A line for each annotator, with the switch whether their answers are trained on."""
    annotators = Labels(app.store).annotators()
    if not annotators:
        st.caption("No labels yet.")
    for one in annotators:
        with st.container(horizontal=True, vertical_alignment="center", border=True):
            last = f" · last {format_age(one.last)}" if one.last else ""
            st.markdown(
                f"**{literal(one.name)}** · {one.kind} · {pluralize(one.answers, 'answer')} on"
                f" {pluralize(one.situations, 'message')}{last}"
            )
            key = f"label.trains.{one.name}"
            put(key, one.trains)  # another window may have switched it
            st.toggle(
                "Train on these", key=key, on_change=_switch, args=(app, one, key),
                help="Off leaves the answers out of training, metrics and gold labels.",
            )  # fmt: skip


def _switch(app: App, one: Annotator, key: str) -> None:
    state.touched()
    with reporting_problems():
        Labels(app.store).set_trains(one.name, trains=bool(st.session_state[key]))


def _draw_files(app: App) -> None:
    """Download, and upload with a preview."""
    st.markdown("**Export** all labels")
    redacts = redact_checkbox("label.export.redact")
    with st.container(horizontal=True):
        for kind, name in _KINDS.items():
            st.download_button(
                name, partial(write_labels, app.store, kind, redactor=Redactor() if redacts else None),
                file_name=f"labels{SUFFIXES[kind]}", key=f"label.export.{kind}", on_click="ignore",
                icon=":material/download:",
            )  # fmt: skip
    st.markdown("**Import**")
    if (message := st.session_state.pop(IMPORTED, None)) is not None:
        st.success(message, icon=":material/check:")
    by = annotator()
    if by is None:
        st.caption("Choose a name above to import.")
        return
    file = st.file_uploader(
        "Relevance sets, CSV tables, or lists with current_turn and relevant_turns",
        key=f"label.import.{remembered(GENERATION, 0)}",
    )
    if file is not None:
        _draw_import(app, by, file.name, file.getvalue())


def _draw_import(app: App, by: str, name: str, content: bytes) -> None:
    """What a file holds, and the button to store it."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.text_input(
            "Annotator", by, key="label.import.whose", max_chars=60, help="Of answers that name none"
        )
        rows = Conversations(app.store).find(per_page=_MAX_CONVERSATIONS).rows
        titles = make_labels_unique({row.key: row.title for row in rows})
        about = st.selectbox(
            "Conversation", list(titles), index=None, format_func=lambda key: titles.get(key, key),
            key="label.import.about", help="Of answers that name none", placeholder="Named in the file",
        )  # fmt: skip
    skip = st.toggle("Skip bad rows", key="label.import.skip")
    try:
        found = read_labels(
            content, name, app.store, annotator=who.strip() or None, conversation=about, skip_bad=skip,
            time_limit=app.settings.read_limit_seconds,
        )  # fmt: skip
    except BadLinesError as error:
        st.error(literal(f"{name}: {pluralize(error.bad, 'bad row')}. Correct them, or skip bad rows."))
        _draw_problems(error.problems.errors)
        return
    except ConvgateError as error:
        show_problem(error)
        return
    names = ", ".join(f"{literal(name)} {count:,}" for name, count in found.annotators.items())
    st.markdown(
        f"{literal(found.name)}: {pluralize(len(found.entries), 'label')} on"
        f" {pluralize(len(found.conversations), 'conversation')}, {len(found.new):,} of them new. By: {names}."
        f" {found.added:,} new, {found.known:,} known, {found.replaced:,} replace another answer."
    )
    _draw_problems(found.problems)
    st.button(
        f"Import {pluralize(len(found.entries), 'label')}", key="label.import.keep", type="primary",
        on_click=_keep, args=(app, found, by),
    )  # fmt: skip


def _draw_problems(problems: Problems) -> None:
    for problem in problems[:_MAX_PROBLEMS]:
        st.markdown(f"- {literal(str(problem), ltr=True)}")
    if problems.total > _MAX_PROBLEMS:
        st.caption(f"… and {problems.total - _MAX_PROBLEMS:,} more.")


def _keep(app: App, found: Import, by: str) -> None:
    state.touched()
    with reporting_problems():
        keep_saved(saved := keep_labels(app.store, found, by=by))
        st.session_state[IMPORTED] = (
            f"Imported {pluralize(saved.changed, 'label')}. Undo reverts all of them."
        )
        st.session_state[GENERATION] = remembered(GENERATION, 0) + 1
