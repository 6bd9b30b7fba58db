"""The editor with its problems, what saving would change, saving and the way back."""

from __future__ import annotations

import difflib

import streamlit as st

from convgate.gatekeeper.decision import KEEP, SKIP
from convgate.settings import Settings
from convgate.ui.frame import show_problem
from convgate.ui.keys import SAVE
from convgate.ui.rules import state
from convgate.ui.rules.adding import EXAMPLE
from convgate.ui.rules.draft import DRAFT, Draft, checked, put_text, start_again
from convgate.ui.rules.editor_component import draw_editor, typed
from convgate.ui.rules.making import NOTE, WORDS, make_rule_of_words, tell
from convgate.ui.rules.rules_file import RulesFile, RulesFileError, former, read_file, save, undo
from convgate.ui.rules.work import Work
from convgate.ui.text import literal
from convgate.ui.wording import counted

EDITOR, PROBLEM = "rules.editor", "rules.problem"
_DIFFERENCE = 200  # lines
_AGENTS = "An agent that runs keeps the rules it had before; one that starts now says so and stops."


def draw_editing(work: Work) -> None:
    """The editor and all that belongs to it; what comes and goes stands below, so that nothing moves."""
    st.subheader("Your rules", anchor=False, help="Tried before the built-in checks; keep before skip.")
    st.caption(f":material/draft: {literal(str(work.file.path))}")
    with st.container():  # one place, whatever stands in it: an editor that moves loses the focus
        _draw_file(work)
    draw_editor(
        _data(work),
        key=EDITOR,
        on_typed=take_typed,
        on_save=lambda: save_by_key(work.app.settings),
    )
    _draw_buttons(work)
    if (problem := st.session_state.pop(PROBLEM, None)) is not None:
        show_problem(problem)
    if (note := st.session_state.pop(NOTE, None)) is not None:
        st.success(note, icon=":material/check:")
    if work.is_conflict and not work.file.problem:
        _draw_conflict(work)
    if work.draft.text.strip() or work.file.problem:
        _draw_state(work)
    else:
        st.info("You have no rules of your own yet.", icon=":material/rule:")
        st.button(
            "Put an example in", key="rules.example", icon=":material/lightbulb:", on_click=_put_example
        )


def _draw_file(work: Work) -> None:
    """What is wrong with the file itself."""
    if work.file.problem:
        st.error(
            f"{literal(work.file.problem, ltr=True)} {_AGENTS} Nothing can be saved until it is corrected.",
            icon=":material/error:",
        )
    elif work.saved.rules is None:
        st.error(
            f"The file cannot be used as it is. {_AGENTS} On this page no rule of the file decides.",
            icon=":material/error:",
        )


def draw_words(work: Work) -> None:
    """A rule from words that a person types."""
    with st.container(horizontal=True, gap="xsmall", vertical_alignment="bottom", key="rules-words"):
        st.text_input(
            "A rule for messages with these words", key=WORDS, on_change=state.touched,
            placeholder="red build", max_chars=80, disabled=bool(work.file.problem),
        )  # fmt: skip
        for label, outcome in (("Skip", SKIP), ("Keep", KEEP)):
            st.button(
                label, key=f"rules.words_{outcome}", on_click=make_rule_of_words, args=(outcome,),
                disabled=bool(work.file.problem),
                help=f"Put a rule into the editor that {outcome}s messages with these words",
            )  # fmt: skip


def _data(work: Work) -> dict[str, object]:
    return {
        "text": work.draft.text,
        "revision": work.draft.revision,
        "reveal": work.draft.reveal,
        "label": "Your rules, as YAML",
        "locked": bool(work.file.problem),
        "changed": work.draft.is_changed,
        "problems": [
            [one.line, f"“{one.pattern}”: {one.problem}." if one.pattern else f"{one.problem}."]
            for one in work.typed.problems
        ],
    }


def _draw_state(work: Work) -> None:
    """Whether the text can be used, and whether it is saved."""
    if work.file.problem:
        return
    if work.typed.rules is None:
        kept = (
            "this text is kept here, and not saved before it is mended. The rules in use stay."
            if work.draft.is_changed
            else "mend the text, then save it."
        )
        st.caption(f":material/error: **{counted(len(work.typed.problems), 'problem')}:** {kept}")
        return
    rules = work.typed.rules
    told = (
        f"{counted(len(rules.skip_patterns), 'skip rule')}, {counted(len(rules.keep_patterns), 'keep rule')}"
    )
    if not work.draft.is_changed:
        where = "as in the file" if work.file.content is not None else "there is no file yet"
        st.caption(f":material/check: {told}, {where}.")
    else:
        st.caption(f":material/edit: {told}, not saved yet.")


def _draw_conflict(work: Work) -> None:
    st.warning(
        "The file was changed by another program since you began. Nothing is overwritten until you choose.",
        icon=":material/sync_problem:",
    )
    with st.expander("What differs"):
        lines = difflib.unified_diff(
            work.file.text.splitlines(), work.draft.text.splitlines(), "file", "editor", lineterm="", n=1
        )
        st.code("\n".join([*lines][:_DIFFERENCE]), language="diff", wrap_lines=True)
    with st.container(horizontal=True):
        st.button("Take the file, drop mine", key="rules.take_file", on_click=start_again, args=(work.file,))
        st.button("Keep mine", key="rules.keep_mine", on_click=_keep_mine, args=(work.file,))


def _draw_buttons(work: Work) -> None:
    can_save = (
        work.draft.is_changed
        and work.typed.rules is not None
        and not work.is_conflict
        and not work.file.problem
    )
    before = None if work.file.problem else former(work.app.settings, work.file)
    with st.container(horizontal=True, gap="xsmall", key="rules-buttons"):
        st.button(
            "Save", key="rules.save", type="primary", icon=":material/save:", disabled=not can_save,
            on_click=_save, args=(work.app.settings,),
            help=f"{SAVE} in the editor. The file is written whole or not at all.",
        )  # fmt: skip
        st.button(
            "Discard", key="rules.discard", icon=":material/close:", disabled=not work.draft.is_changed,
            on_click=start_again, args=(work.file,), help="Show the file's text again",
        )  # fmt: skip
        if before is not None:
            st.button(
                "Undo last save", key="rules.undo", icon=":material/undo:", disabled=work.draft.is_changed,
                on_click=_undo, args=(work.app.settings, work.file),
                help="Put back what the file said before; once more to take that back",
            )  # fmt: skip


def take_typed() -> None:
    """Take what was typed into the draft; for the editor's callback."""
    _take(typed(EDITOR))


def save_by_key(settings: Settings) -> None:
    """Take what was typed, and save it; for the editor's callback."""
    if _take(typed(EDITOR, "save")):
        _save(settings)


def _take(value: tuple[str, int] | None) -> bool:
    """Take what was typed, unless the text was replaced since; whether it was taken."""
    draft: Draft = st.session_state[DRAFT]
    state.touched()
    if value is None or value[1] != draft.revision:
        return False
    st.session_state[DRAFT] = Draft(value[0], draft.base, draft.revision)
    return True


def _save(settings: Settings) -> None:
    draft: Draft = st.session_state[DRAFT]
    state.touched()
    if not draft.is_changed:
        return
    if checked(draft.text).rules is None:
        tell("Not saved: the text has problems, which are listed below it.")
        return
    try:
        save(settings, draft.base, draft.text)
    except RulesFileError as error:
        st.session_state[PROBLEM] = error
        return
    st.session_state[DRAFT] = Draft(draft.text, read_file(draft.base.path), draft.revision)
    tell("Saved. Agents that are running take these rules at their next decision.")


def _undo(settings: Settings, file: RulesFile) -> None:
    state.touched()
    try:
        undo(settings, file)
    except RulesFileError as error:
        st.session_state[PROBLEM] = error
        return
    start_again(read_file(file.path))
    tell("The file says again what it said before the last save.")


def _keep_mine(file: RulesFile) -> None:
    draft: Draft = st.session_state[DRAFT]
    st.session_state[DRAFT] = Draft(draft.text, file, draft.revision)
    state.touched()


def _put_example() -> None:
    put_text(EXAMPLE)
