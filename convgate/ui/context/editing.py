"""What a person makes of invariants: add, change, end, pin; stored at once, and taken back by one undo."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from convgate.context.invariant import Invariant, InvariantType
from convgate.context.invariants.statements import statements
from convgate.errors import ConvgateError
from convgate.gatekeeper.folding import fold
from convgate.ui import keys
from convgate.ui.context import edits, state
from convgate.ui.context.shown import Shown
from convgate.ui.context.words import TYPES
from convgate.ui.text import literal, shortened

ADD_TURN, ADD_PART, ADD_TEXT = "context.add.turn", "context.add.part", "context.add.text"
ADD_TYPE, ADD_SCOPE = "context.add.type", "context.add.scope"
ADDING = "context.adding"  # whether the form is open
PROBLEM = "context.problem"  # the message of what could not be stored
_OTHER = "\0"  # not a part of the turn: typed
_PARTS, _LONGEST, _SCOPE = 200, 2_000, 200  # statements offered; characters of a text and of a scope


def draw_adding(shown: Shown, selected: int | None) -> None:
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
            format_func=lambda one: "Other words, typed below" if one == _OTHER else shortened(one, 160),
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


def draw_actions(shown: Shown, one: Invariant, number: int) -> None:
    """What can be done to one invariant."""
    with st.container(horizontal=True, gap="xsmall", key=f"context-actions-{number}"):
        if one.active:
            ends = "Remove" if edits.edit_of(shown, one).of is None else "End"
            _button(ends, "end", number, ":material/block:", partial(edits.end, shown, one))
        else:
            _button("Have it hold", "back", number, ":material/keep:", partial(edits.hold, shown, one))
        if one.pinned:
            _button("Unpin", "unpin", number, ":material/keep_off:", partial(edits.unpin, shown, one))
        elif one.active:
            _button("Pin", "pin", number, ":material/push_pin:", partial(edits.pin, shown, one))
        if one.found_by == "person" and edits.edit_of(shown, one).of is not None:
            icon = ":material/settings_backup_restore:"
            _button("As it is found", "found", number, icon, partial(edits.as_found, shown, one))
        with st.popover("Edit", icon=":material/edit:", type="tertiary"):
            _draw_edit(shown, one, number)


def draw_undo(shown: Shown) -> None:
    """Take the last change back, whenever it was made."""
    turns = edits.changed_last(shown)
    if turns:
        told = ", ".join(f"{turn + 1:,}" for turn in turns[:3]) + (" …" if len(turns) > 3 else "")
        st.button(
            f"Undo the last change (turn {told})", key="context.undo", icon=":material/undo:",
            shortcut=keys.UNDO, type="tertiary", on_click=_store, args=(partial(edits.undo, shown),),
        )  # fmt: skip


def parts_of(text: str) -> list[str]:
    """The statements of a text, each once, the whole of it last when it has several.

    >>> parts_of("Use tabs. No more than 80 columns!")
    ['Use tabs.', 'No more than 80 columns!', 'Use tabs. No more than 80 columns!']
    """
    folded = fold(text[: _PARTS * _LONGEST])
    found = (text[slice(*folded.span(*span))].strip() for span in statements(folded.text))
    parts = list(dict.fromkeys(part for part in found if part))[:_PARTS]
    whole = text.strip()
    return parts if whole in parts or not whole or len(whole) > _LONGEST else [*parts, whole]


def _button(label: str, name: str, number: int, icon: str, change: Callable[[], object]) -> None:
    st.button(
        label, key=f"context.{name}.{number}", icon=icon, type="tertiary", on_click=_store, args=(change,)
    )


def _draw_edit(shown: Shown, one: Invariant, number: int) -> None:
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


def _add(shown: Shown, turn: int, part: str, text: str) -> None:
    chosen, typed = st.session_state[part], str(st.session_state[text]).strip()
    words = typed if typed or chosen in (None, _OTHER) else chosen
    type: InvariantType = st.session_state[ADD_TYPE]
    if not words:
        st.session_state[PROBLEM] = "choose words of the turn, or type some."
        state.touched()
        return
    _store(partial(edits.add, shown, turn, words, type, str(st.session_state[ADD_SCOPE]).strip()))


def _edit(shown: Shown, one: Invariant, name: str) -> None:
    values = {field: st.session_state[f"{name}.{field}"] for field in ("type", "scope", "text")}
    words = str(values["text"]).strip() or one.text
    _store(partial(edits.change, shown, one, words, values["type"], str(values["scope"]).strip()))


def _store(change: Callable[[], object]) -> None:
    st.session_state.pop(PROBLEM, None)
    view = state.page.now()
    state.change(page=view.page)
    try:
        change()
    except ConvgateError as error:
        st.session_state[PROBLEM] = str(error)
