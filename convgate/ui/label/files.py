"""Labels as files: out without loss, and in after a look at what they hold."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.errors import ConvgateError
from convgate.labels.exchange import SUFFIXES, Kind, keep_labels, read_labels, write_labels
from convgate.labels.imported import Import
from convgate.redaction import Redactor
from convgate.store import Conversations
from convgate.store.labels import Labels
from convgate.transcripts import BadLinesError, Problems
from convgate.ui import state
from convgate.ui.annotator import annotator
from convgate.ui.answering import keep_saved
from convgate.ui.explore.state import touched
from convgate.ui.frame import App, show_problem
from convgate.ui.redaction import redact_checkbox
from convgate.ui.text import literal
from convgate.ui.wording import ago, counted, told_apart

KEPT, GENERATION = "label.files.kept", "label.files.generation"
_PROBLEM = "label.files.problem"
_SHOWN = 10  # problems and conversations that are listed
_OFFERED = 200  # conversations in the menu
_LAST = 5  # imports that can be undone here
_KINDS: dict[Kind, str] = {"relevance-set": "Relevance set", "csv": "CSV table"}
_TOLD: dict[Kind, str] = {
    "relevance-set": "Conversations and labels, whose and when: a training set, a benchmark, a backup",
    "csv": "One row for each answer, for spreadsheets; the conversations stay here",
}


def draw_files(app: App) -> None:
    """Download, and upload with a preview."""
    st.markdown("**Export** everything that is labelled")
    redacts = redact_checkbox("label.export.redact")
    with st.container(horizontal=True):
        for kind, label in _KINDS.items():
            written = partial(write_labels, app.store, kind, redactor=Redactor() if redacts else None)
            st.download_button(
                label, written, file_name=f"labels{SUFFIXES[kind]}",
                key=f"label.export.{kind}", on_click="ignore", icon=":material/download:", help=_TOLD[kind],
            )  # fmt: skip
    st.markdown("**Import**")
    if (problem := st.session_state.pop(_PROBLEM, None)) is not None:
        show_problem(problem)
    if (kept := st.session_state.pop(KEPT, None)) is not None:
        st.success(kept, icon=":material/check:")
    by = annotator()
    _draw_last(app, disabled=by is None)
    if by is None:
        st.caption("Choose a name above first: an import is yours to undo.")
        return
    file = st.file_uploader(
        "Relevance sets, CSV tables, or lists with current_turn and relevant_turns",
        key=f"label.import.{state.remembered(GENERATION, 0)}",
    )
    if file is not None:
        _draw_import(app, by, file.name, file.getvalue())


def _draw_last(app: App, *, disabled: bool) -> None:
    """The last imports, whoever made them, each with its own undo."""
    for one in Labels(app.store).imports(_LAST):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                f"{literal(one.file, limit=60)}: {counted(one.labels, 'label')}, imported by"
                f" {literal(one.by)} {ago(one.at)}{', taken back' if one.undone else ''}",
                width="content",
            )
            if not one.undone:
                st.button(
                    "Undo", key=f"label.import.undo.{one.number}", icon=":material/undo:",
                    on_click=_undo, args=(app, one.number), disabled=disabled,
                    help="Takes this import back, whoever made it. What was answered otherwise since stays.",
                )  # fmt: skip


def _draw_import(app: App, by: str, name: str, content: bytes) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        whose = st.text_input(
            "Whose answers, where the file does not say", by, key="label.import.whose", max_chars=60
        )
        rows = Conversations(app.store).find(per_page=_OFFERED).rows
        titles = told_apart({row.key: row.title for row in rows})
        about = st.selectbox(
            "About which conversation, where the file does not say", list(titles), index=None,
            format_func=lambda key: titles.get(key, key), key="label.import.about",
            placeholder="The file says",
        )  # fmt: skip
    skip = st.toggle(
        "Leave out what cannot be read",
        key="label.import.skip",
        help="Else a single bad row stops the import.",
    )
    try:
        found = read_labels(
            content, name, app.store, annotator=whose.strip() or None, conversation=about, skip_bad=skip,
            time_limit=app.settings.read_limit_seconds,
        )  # fmt: skip
    except BadLinesError as error:
        rest = f" The other {error.readable} can." if error.readable else ""
        st.error(literal(f"{name}: {counted(error.bad, 'row')} cannot be read.{rest}"))
        _draw_problems(error.problems.errors)
        return
    except ConvgateError as error:
        show_problem(error)
        return
    _draw_preview(found)
    st.button(
        f"Import {counted(len(found.entries), 'label')}", key="label.import.keep", type="primary",
        on_click=_keep, args=(app, found, by), disabled=not found.entries,
    )  # fmt: skip


def _draw_preview(found: Import) -> None:
    who = ", ".join(f"{literal(name)} {count:,}" for name, count in found.annotators.items())
    known = f"{len(found.new):,} not in this library yet" if found.new else "in this library already"
    where = f"{counted(len(found.conversations), 'conversation')} ({known})"
    st.markdown(
        f"{literal(found.name)}: {counted(len(found.entries), 'label')} in {where}. By: {who}."
        f" New labels: {found.added:,}; known already: {found.known:,}."
    )
    if found.replaced:
        st.warning(
            f"{found.replaced:,} differ from what the same person says here now, and take its place. One undo"
            " brings everything back."
        )
    for one in found.conversations[:_SHOWN]:
        new = " (new)" if one.new else ""
        st.markdown(f"- {literal(one.title, limit=80)}{new}: {counted(one.labels, 'label')}")
    _draw_problems(found.problems, ":orange-badge[left out] ")


def _draw_problems(problems: Problems, mark: str = "") -> None:
    for problem in problems[:_SHOWN]:
        st.markdown(f"- {mark}{literal(str(problem), ltr=True)}")
    if problems.total > _SHOWN:
        st.caption(f"… and {problems.total - _SHOWN:,} more.")


def _keep(app: App, found: Import, by: str) -> None:
    touched()
    try:
        keep_saved(saved := keep_labels(app.store, found, by=by))
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error
        return
    st.session_state[KEPT] = (
        f"Imported {counted(saved.changed, 'label')}; {len(found.entries) - saved.changed:,} were there"
        " already."
    )
    if saved.changed:
        st.session_state[KEPT] += " Undo below takes all of them back."
    st.session_state[GENERATION] = state.remembered(GENERATION, 0) + 1


def _undo(app: App, number: int) -> None:
    touched()
    try:
        keep_saved(Labels(app.store).undo_import(number))
    except ConvgateError as error:
        st.session_state[_PROBLEM] = error
