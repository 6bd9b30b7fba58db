"""What must hold: each statement verbatim, with its type, source and state, and what a person makes of it."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from convgate.context.invariant import Invariant
from convgate.figures.hover import on_screen
from convgate.ui.context import state
from convgate.ui.context.editing import draw_actions, draw_adding, draw_undo
from convgate.ui.context.rows import draw_pages
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.context.words import state_badge, type_help, type_label
from convgate.ui.text import literal, show_text
from convgate.ui.wording import counted

PER_PAGE = 12
_TEXT = 2_000  # characters of a statement


def draw_invariants(shown: Shown, view: View) -> None:
    """Those that hold first, then those that no longer do; above them the way to add one."""
    draw_adding(shown, view.selected)
    draw_undo(shown)
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
        f"{counted(held, 'statement')} {'holds' if held == 1 else 'hold'}"
        + (f", {ended:,} no longer {'does' if ended == 1 else 'do'}." if ended else ".")
    )
    page = _page(found, view)
    for one in found[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _draw_one(shown, one, found.index(one), view.selected)
    draw_pages(len(found), PER_PAGE, page, "invariants")


def _page(found: Sequence[Invariant], view: View) -> int:
    if view.page:
        return min(view.page, -(-len(found) // PER_PAGE))
    place = next((place for place, one in enumerate(found) if one.source == view.selected), 0)
    return place // PER_PAGE + 1


def _draw_one(shown: Shown, one: Invariant, number: int, selected: int | None) -> None:
    with st.container(border=True, gap="xsmall", key=f"context-invariant-{number}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f"**{type_label(one.type)}** {state_badge(one)}{_pinned(one)}", help=type_help(one.type),
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


def _draw_links(shown: Shown, one: Invariant, number: int) -> None:
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
