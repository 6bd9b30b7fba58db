"""The invariants of a conversation: list, add, end, pin and undo."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import streamlit as st

from convgate.core.invariant_edit import InvariantEdit
from convgate.core.text import format_share, pluralize, truncate
from convgate.figures.hover import on_screen
from convgate.invariants.invariant import MIN_LIKELIHOOD, Invariant, InvariantType
from convgate.store import Store
from convgate.store.edits import InvariantEdits
from convgate.ui.shared.actions import ActionResult, draw_result, draw_undo, run_action
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.holding import undoable
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.text import literal, show_text

TYPES: dict[InvariantType, str] = {
    "safety_requirement": "Safety requirement",
    "user_correction": "Correction",
    "hard_constraint": "Hard constraint",
    "blocking_error": "Blocking error",
}
_ICONS = {"superseded": "edit_note", "lifted": "lock_open", "resolved": "check"}
PER_PAGE = 12
_MAX_TEXT = 2_000  # characters of a statement


def draw_invariants(store: Store, outcome: PolicyOutcome, state: ExploreState, selected: int) -> None:
    """Draw the invariants, active ones first, with the form that adds one from the selected turn."""
    edits = InvariantEdits(store)
    draw_result(page, outcome.message.key)
    last = (
        len(outcome.message.conversation) - 1
        if outcome.message.current.index is None
        else outcome.message.current.index
    )
    turn = min(selected, last)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.popover(f"Add from turn {turn + 1:,}", icon=":material/add:"):
            _draw_form(store, outcome, turn)
        draw_undo(
            page,
            edits.changed_last(outcome.message.key),
            partial(_run, outcome.message.key, partial(edits.undo, outcome.message.key), "Undone."),
        )
    invariants = sorted(
        outcome.selection.invariants,
        key=lambda invariant: (not invariant.active, -invariant.priority, invariant.source),
    )
    n_active = sum(invariant.active for invariant in invariants)
    st.caption(
        f"{n_active:,} of {pluralize(len(invariants), 'invariant')} hold now. Of these, the turns of safety"
        " requirements, corrections and hard constraints, and what is pinned, are always sent; blocking"
        f" errors, and what is less than {format_share(MIN_LIKELIHOOD)} likely to hold, may be dropped."
    )
    shown = min(state.page, max(1, -(-len(invariants) // PER_PAGE)))
    start = (shown - 1) * PER_PAGE
    for number, invariant in enumerate(invariants[start : start + PER_PAGE], start):
        _draw_invariant(store, outcome, invariant, number)
    page.draw_pages(len(invariants), PER_PAGE, shown)


def release(store: Store, outcome: PolicyOutcome, turn: int) -> ActionResult:
    """End the invariants that a turn (0-based) states, so that its score decides about it again."""
    edits = [*InvariantEdits(store).of(outcome.message.key).get(turn, ())]
    for invariant in find_active(outcome, turn):
        present = _find_edits(store, outcome, invariant)[1]
        edits = [edit for edit in edits if edit != present]
        if present is None or present.of is not None:
            edits.append(replace(present or InvariantEdit(of=invariant.text), state="ended", pinned=False))
    InvariantEdits(store).change(outcome.message.key, {turn: tuple(edits)})
    return undoable(store, outcome.message.key, f"Turn {turn + 1:,} is no longer always sent.")


def describe_state(invariant: Invariant) -> str:
    """Return as a badge whether an invariant holds, and whether its turn is always sent then."""
    if invariant.held:
        return ":green-badge[:material/keep: always sent]"
    if invariant.active:
        return ":gray-badge[holds, may be dropped]"
    return f":gray-badge[:material/{_ICONS[invariant.state]}: {on_screen(invariant.state_text)}]"


def find_active(outcome: PolicyOutcome, turn: int) -> list[Invariant]:
    """Return the active invariants that a turn (0-based) states."""
    return [each for each in outcome.selection.invariants if each.source == turn and each.active]


def _draw_invariant(store: Store, outcome: PolicyOutcome, invariant: Invariant, number: int) -> None:
    current = outcome.message.current.index
    edit = _find_edits(store, outcome, invariant)[1] or InvariantEdit(of=invariant.text)
    by_person = "pinned" if invariant.pinned else "by a person" if invariant.found_by == "person" else ""
    badge = f" :gray-badge[:material/person: {by_person}]" if by_person else ""
    is_sent = invariant.held or invariant.source in {*outcome.decisions.kept_indices, current}
    sent = "Sent" if is_sent else "Not sent"
    with st.container(border=True, gap="xsmall", key=f"explore-invariant-{number}"):
        st.markdown(
            f"**{TYPES[invariant.type]}** {describe_state(invariant)}{badge} {sent} with this message."
        )
        show_text(invariant.text, limit=_MAX_TEXT)
        st.caption(literal(on_screen(invariant.reason), limit=300))
        with st.container(horizontal=True, gap="xsmall"):

            def draw_button(label: str, name: str, new: InvariantEdit | None) -> None:
                st.button(
                    label, key=f"explore.{name}.{number}", type="tertiary", on_click=_run,
                    args=(outcome.message.key, partial(_replace, store, outcome, invariant, new)),
                )  # fmt: skip

            st.button(
                f"Turn {invariant.source + 1:,}", key=f"explore.source.{number}", type="tertiary",
                icon=":material/arrow_forward:", on_click=page.select, args=(invariant.source,),
            )  # fmt: skip
            if not invariant.active:
                draw_button("Restore", "restore", replace(edit, state="active"))
            elif edit.of is None:
                draw_button("Remove", "end", None)
            else:
                draw_button("End", "end", replace(edit, state="ended", pinned=False))
            if invariant.pinned:
                draw_button("Unpin", "unpin", replace(edit, pinned=False))
            elif invariant.active:
                draw_button("Pin", "pin", replace(edit, pinned=True, state=None))


def _draw_form(store: Store, outcome: PolicyOutcome, turn: int) -> None:
    """Draw the form that adds an invariant from a turn, with the turn's text to begin with."""
    name = f"explore.add.{outcome.message.key}.{turn}"

    def add() -> None:
        text = str(st.session_state[f"{name}.text"]).strip()
        edit = InvariantEdit(text=text, type=st.session_state[f"{name}.type"])
        _run(outcome.message.key, lambda: InvariantEdits(store).put(outcome.message.key, turn, edit))

    with st.form(name, border=False):
        st.selectbox(
            "Type", list(TYPES), key=f"{name}.type", format_func=TYPES.__getitem__,
            index=list(TYPES).index("hard_constraint"),
        )  # fmt: skip
        text = truncate(outcome.message.conversation.turns[turn].text, _MAX_TEXT)
        st.text_area("Text", text, key=f"{name}.text", max_chars=_MAX_TEXT, height=110)
        st.form_submit_button("Add", type="primary", on_click=add)


def _run(key: str, act: Callable[[], object], sentence: str = "Saved.") -> None:
    """Change what is stored of the conversation `key`, and show the result; for callbacks."""

    def run() -> ActionResult:
        act()
        return ActionResult(sentence)

    run_action(page, run, key)


def _replace(store: Store, outcome: PolicyOutcome, invariant: Invariant, new: InvariantEdit | None) -> None:
    """Store an edit in place of the present one; None, or an edit that changes nothing, removes it."""
    edits, present = _find_edits(store, outcome, invariant)
    others = [edit for edit in edits if edit is not present]
    is_kept = new is not None and new != InvariantEdit(of=new.of)
    wanted = (*others, new) if new is not None and is_kept else tuple(others)
    InvariantEdits(store).change(outcome.message.key, {invariant.source: wanted})


def _find_edits(
    store: Store, outcome: PolicyOutcome, invariant: Invariant
) -> tuple[Sequence[InvariantEdit], InvariantEdit | None]:
    """Return the edits of an invariant's turn, and its own among them."""
    edits = InvariantEdits(store).of(outcome.message.key).get(invariant.source, ())
    texts = ((edit, edit.of if edit.text is None else edit.text) for edit in edits)
    return edits, next((edit for edit, text in texts if text == invariant.text), None)
