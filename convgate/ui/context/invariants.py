"""Invariants: each statement with its type, source and state; add, edit, end, pin, undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from convgate.context.invariant import HELD, PRIORITIES, Invariant, InvariantType
from convgate.context.invariants.statements import split_statements
from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize, truncate
from convgate.figures.hover import on_screen
from convgate.gatekeeper.folding import fold
from convgate.store.edits import InvariantEdit, InvariantEdits
from convgate.ui.actions import draw_undo
from convgate.ui.context import state
from convgate.ui.context.build import ContextView
from convgate.ui.context.state import View
from convgate.ui.text import literal, show_text

TYPES: dict[InvariantType, str] = {
    "safety_requirement": "Safety requirement",
    "user_correction": "Correction",
    "hard_constraint": "Hard constraint",
    "blocking_error": "Blocking error",
}
STATES = {
    "active": ":green-badge[:material/keep: holds]",
    "superseded": ":gray-badge[:material/edit_note: corrected]",
    "lifted": ":gray-badge[:material/lock_open: lifted]",
    "resolved": ":gray-badge[:material/check: resolved]",
}


def type_help(type: InvariantType) -> str:
    """What its priority means."""
    held = PRIORITIES[type] >= HELD
    return f"Priority {PRIORITIES[type]:,}: " + (
        "every context must have it." if held else "it stands in the task state where there is room."
    )


def edit_of(shown: ContextView, one: Invariant) -> InvariantEdit:
    """The edit that made it what it is, or one that leaves it as it is found."""
    return _find(_held(shown, one), one) or InvariantEdit(of=one.text)


def _replace(shown: ContextView, one: Invariant, new: InvariantEdit | None) -> None:
    """Store an edit in place of the one that there is; None, or one that says nothing, leaves none."""
    held = _held(shown, one)
    before = _find(held, one)
    others = tuple(edit for edit in held if edit is not before)
    wanted = others if new is None or new == InvariantEdit(of=new.of) else (*others, new)
    if wanted != tuple(held):
        _repository(shown).change(shown.key, {one.source: wanted})


def _held(shown: ContextView, one: Invariant) -> Sequence[InvariantEdit]:
    return _repository(shown).of(shown.key).get(one.source, ())


def _find(held: Sequence[InvariantEdit], one: Invariant) -> InvariantEdit | None:
    return next((edit for edit in held if one.text == (edit.of if edit.text is None else edit.text)), None)


def _repository(shown: ContextView) -> InvariantEdits:
    return InvariantEdits(shown.app.store)


ADD_PART, ADD_TEXT = "context.add.part", "context.add.text"
ADD_TYPE, ADD_SCOPE = "context.add.type", "context.add.scope"
ADDING = "context.adding"  # whether the form is open
PROBLEM = "context.problem"  # the message of what could not be stored
_OTHER = "\0"  # not a part of the turn: typed
_PARTS, _LONGEST, _SCOPE = 200, 2_000, 200  # statements offered; characters of a text and of a scope


def draw_adding(shown: ContextView, selected: int | None) -> None:
    """A form for one more: which turn, which of its words, which type."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.error(f"Nothing was changed: {literal(problem)}", icon=":material/error:")
    place = st.expander("Add what must hold", key=ADDING, icon=":material/add:", on_change=state.touched)
    if not place.open:
        return
    last = len(shown.conversation) - 1 if shown.index is None else shown.index
    turn = min(last if selected is None else selected, last)
    # Keys of each turn's own: the texts to choose from are other ones there.
    with place, st.form(f"context.add.{shown.key}.{turn}", border=False, clear_on_submit=True):
        st.markdown(
            f"From **turn {turn + 1:,}**, {literal(shown.conversation.turns[turn].speaker, limit=40)}:",
            help="Select another turn to take its words.",
        )
        parts = parts_of(shown.conversation.turns[turn].text)
        part, text = f"{ADD_PART}.{turn}", f"{ADD_TEXT}.{turn}"
        st.selectbox(
            "Its words", [*parts, _OTHER], key=part,
            format_func=lambda one: "Other words, typed below" if one == _OTHER else truncate(one, 160),
        )  # fmt: skip
        st.text_area(
            "Other words", key=text, max_chars=_LONGEST, height=70,
            placeholder="Only if the words above are not the ones: words of the turn, or your own",
        )  # fmt: skip
        left, right = st.columns(2)
        with left:
            st.selectbox("Type", list(TYPES), key=ADD_TYPE, format_func=TYPES.__getitem__, index=2)
        with right:
            st.text_input("What it is about", key=ADD_SCOPE, max_chars=_SCOPE, placeholder="If you like")
        st.form_submit_button(
            "Add", icon=":material/add:", type="primary", on_click=_add, args=(shown, turn, part, text)
        )


def draw_actions(shown: ContextView, one: Invariant, number: int) -> None:
    """What can be done to one invariant."""
    edit = edit_of(shown, one)
    with st.container(horizontal=True, gap="xsmall", key=f"context-actions-{number}"):

        def button(label: str, name: str, icon: str, new: InvariantEdit | None) -> None:
            st.button(
                label, key=f"context.{name}.{number}", icon=f":material/{icon}:", type="tertiary",
                on_click=_store, args=(partial(_replace, shown, one, new),),
            )  # fmt: skip

        if not one.active:
            button("Have it hold", "back", "keep", replace(edit, state="active"))
        elif edit.of is None:
            button("Remove", "end", "block", None)
        else:
            button("End", "end", "block", replace(edit, state="ended", pinned=False))
        if one.pinned:
            button("Unpin", "unpin", "keep_off", replace(edit, pinned=False))
        elif one.active:
            button("Pin", "pin", "push_pin", replace(edit, pinned=True, state=None))
        if one.found_by == "person" and edit.of is not None:
            button("As it is found", "found", "settings_backup_restore", None)
        with st.popover("Edit", icon=":material/edit:", type="tertiary"):
            _draw_edit(shown, one, number)


def parts_of(text: str) -> list[str]:
    """The statements of a text, each once, the whole of it last when it has several.

    >>> parts_of("Use tabs. No more than 80 columns!")
    ['Use tabs.', 'No more than 80 columns!', 'Use tabs. No more than 80 columns!']
    """
    folded = fold(text[: _PARTS * _LONGEST])
    found = (text[slice(*folded.span(*span))].strip() for span in split_statements(folded.text))
    parts = list(dict.fromkeys(part for part in found if part))[:_PARTS]
    whole = text.strip()
    return parts if whole in parts or not whole or len(whole) > _LONGEST else [*parts, whole]


def _draw_edit(shown: ContextView, one: Invariant, number: int) -> None:
    # Keys of what it is now: after a change, or another message, the form shows what holds then.
    name = f"context.edit.{shown.key}.{one.source}.{one.start}.{hash((one.type, one.scope, one.text))}"
    with st.form(name, border=False):
        st.selectbox(
            "Type", list(TYPES), key=f"{name}.type", format_func=TYPES.__getitem__,
            index=list(TYPES).index(one.type),
        )  # fmt: skip
        st.text_input("What it is about", one.scope, key=f"{name}.scope", max_chars=_SCOPE)
        st.text_area(
            "Text", one.text, key=f"{name}.text", max_chars=_LONGEST, height=110,
            help="Words that are not in the turn are sent as a message of their own.",
        )  # fmt: skip
        st.form_submit_button(
            "Save", icon=":material/save:", on_click=_edit, args=(shown, one, name), width="stretch",
            key=f"context.save.{number}",
        )  # fmt: skip


def _add(shown: ContextView, turn: int, part: str, text: str) -> None:
    chosen, typed = st.session_state[part], str(st.session_state[text]).strip()
    words = typed if typed or chosen in (None, _OTHER) else chosen
    type: InvariantType = st.session_state[ADD_TYPE]
    if not words:
        st.session_state[PROBLEM] = "choose words of the turn, or type some."
        state.touched()
        return
    new = InvariantEdit(text=words, type=type, scope=str(st.session_state[ADD_SCOPE]).strip())
    _store(partial(_repository(shown).put, shown.key, turn, new))


def _edit(shown: ContextView, one: Invariant, name: str) -> None:
    values = {field: st.session_state[f"{name}.{field}"] for field in ("type", "scope", "text")}
    words = str(values["text"]).strip() or one.text
    edit, type, scope = edit_of(shown, one), values["type"], str(values["scope"]).strip()
    new = replace(
        edit,
        text=words if edit.of is None or words != edit.of else None,
        type=type if edit.of is None or type != one.type else edit.type,
        scope=scope if scope != one.scope else edit.scope,
    )
    _store(partial(_replace, shown, one, new))


def _store(change: Callable[[], object]) -> None:
    st.session_state.pop(PROBLEM, None)
    view = state.page.now()
    state.change(page=view.page)
    try:
        change()
    except ConvgateError as error:
        st.session_state[PROBLEM] = str(error)


PER_PAGE = 12
_TEXT = 2_000  # characters of a statement


def draw_invariants(shown: ContextView, view: View) -> None:
    """Those that hold first, then those that no longer do; above them the way to add one."""
    draw_adding(shown, view.selected)
    edits = _repository(shown)
    undo = partial(_store, partial(edits.undo, shown.key))
    draw_undo(state.page, edits.changed_last(shown.key), undo)
    found = sorted(shown.bundle.invariants, key=lambda one: (not one.active, -one.priority, one.source))
    if not found:
        st.caption(
            "Nothing was found that must hold on up to this message: no safety requirement, correction, hard"
            " constraint or blocking error in the user's words. Add one above if there is."
        )
        return
    held = sum(1 for one in found if one.active)
    ended = len(found) - held
    st.caption(
        f"{pluralize(held, 'statement')} {'holds' if held == 1 else 'hold'}"
        + (f", {ended:,} no longer {'does' if ended == 1 else 'do'}." if ended else ".")
    )
    page = _page(found, view)
    for one in found[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _draw_one(shown, one, found.index(one), view.selected)
    state.page.draw_pages(len(found), PER_PAGE, page, "invariants")


def _page(found: Sequence[Invariant], view: View) -> int:
    if view.page:
        return min(view.page, -(-len(found) // PER_PAGE))
    place = next((place for place, one in enumerate(found) if one.source == view.selected), 0)
    return place // PER_PAGE + 1


def _draw_one(shown: ContextView, one: Invariant, number: int, selected: int | None) -> None:
    with st.container(border=True, gap="xsmall", key=f"context-invariant-{number}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{TYPES[one.type]}** {STATES[one.state]}{_pinned(one)}", help=type_help(one.type),
                width="stretch",
            )  # fmt: skip
            st.button(
                f"turn {one.source + 1:,}", key=f"context.source.{number}", icon=":material/arrow_forward:",
                type="secondary" if one.source == selected else "tertiary", on_click=state.select,
                args=(one.source,), help="The turn that states it",
            )  # fmt: skip
        with st.container(key=f"context-statement-{number}"):
            show_text(one.text, limit=_TEXT)
        scope = f" · about {literal(one.scope, limit=80)}" if one.scope else ""
        st.caption(f"{literal(on_screen(one.reason), limit=300)}{scope}")
        _draw_links(shown, one, number)
        draw_actions(shown, one, number)


def _pinned(one: Invariant) -> str:
    return f" :blue-badge[:material/person: {'pinned' if one.pinned else 'by a person'}]" if (
        one.pinned or one.found_by == "person"
    ) else ""  # fmt: skip


def _draw_links(shown: ContextView, one: Invariant, number: int) -> None:
    """To what corrects, lifts or resolves it, and to what it corrects."""
    links = [("corrected by", one.superseded_by)] if one.superseded_by is not None else []
    if one.ended_by is not None:
        links.append(("lifted by" if one.state == "lifted" else "resolved by", one.ended_by))
    links += [
        ("corrects", other.source)
        for other in shown.bundle.invariants
        if other.superseded_by == one.source and other.source != one.source
    ]
    if links:
        with st.container(horizontal=True, gap="xsmall"):
            for place, (told, turn) in enumerate(dict.fromkeys(links)):
                st.button(
                    f"{told} turn {turn + 1:,}", key=f"context.link.{number}.{place}", type="tertiary",
                    icon=":material/link:", on_click=state.select, args=(turn,),
                )  # fmt: skip
