"""The changes that a person can make to an invariant, as edits of its message in the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convgate.context.invariant import Invariant, InvariantType
from convgate.store.edits import InvariantEdit, InvariantEdits
from convgate.ui.context.shown import Shown


def add(shown: Shown, turn: int, text: str, type: InvariantType, scope: str) -> None:
    """One more of a turn (0-based); StoreError when it cannot be stored, as of the others."""
    _repository(shown).put(shown.key, turn, InvariantEdit(text=text, type=type, scope=scope))


def change(shown: Shown, one: Invariant, text: str, type: InvariantType, scope: str) -> None:
    """Other words, another type, another scope."""
    edit = edit_of(shown, one)
    _replace(
        shown,
        one,
        replace(
            edit,
            text=text if edit.of is None or text != edit.of else None,
            type=type if edit.of is None or type != one.type else edit.type,
            scope=scope if scope != one.scope else edit.scope,
        ),
    )


def end(shown: Shown, one: Invariant) -> None:
    """It no longer holds; one that a person added is gone."""
    edit = edit_of(shown, one)
    _replace(shown, one, None if edit.of is None else replace(edit, state="ended", pinned=False))


def hold(shown: Shown, one: Invariant) -> None:
    """It holds, whatever is found later."""
    _replace(shown, one, replace(edit_of(shown, one), state="active"))


def pin(shown: Shown, one: Invariant) -> None:
    """It stands in every context, whatever its type."""
    _replace(shown, one, replace(edit_of(shown, one), pinned=True, state=None))


def unpin(shown: Shown, one: Invariant) -> None:
    """It stands where its type has it stand."""
    _replace(shown, one, replace(edit_of(shown, one), pinned=False))


def as_found(shown: Shown, one: Invariant) -> None:
    """Leave it as it is found."""
    _replace(shown, one, None)


def changed_last(shown: Shown) -> list[int]:
    """The turns that the last change was about, 0-based; none when there is none to undo."""
    return _repository(shown).changed_last(shown.key)


def undo(shown: Shown) -> None:
    """Take the last change back."""
    _repository(shown).undo(shown.key)


def edit_of(shown: Shown, one: Invariant) -> InvariantEdit:
    """The edit that made it what it is, or one that leaves it as it is found."""
    return _find(_held(shown, one), one) or InvariantEdit(of=one.text)


def _replace(shown: Shown, one: Invariant, new: InvariantEdit | None) -> None:
    """Store an edit in place of the one that there is; None, or one that says nothing, leaves none."""
    held = _held(shown, one)
    before = _find(held, one)
    others = tuple(edit for edit in held if edit is not before)
    wanted = others if new is None or new == InvariantEdit(of=new.of) else (*others, new)
    if wanted != tuple(held):
        _repository(shown).change(shown.key, {one.source: wanted})


def _held(shown: Shown, one: Invariant) -> Sequence[InvariantEdit]:
    return _repository(shown).of(shown.key).get(one.source, ())


def _find(held: Sequence[InvariantEdit], one: Invariant) -> InvariantEdit | None:
    return next((edit for edit in held if one.text == (edit.of if edit.text is None else edit.text)), None)


def _repository(shown: Shown) -> InvariantEdits:
    return InvariantEdits(shown.app.store)
