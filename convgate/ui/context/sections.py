"""The six sections with their turns and the reason of each; an empty one says why."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.context.bundle import Section
from convgate.context.section import SectionName
from convgate.figures.modes import SECTION_LABELS
from convgate.ui.context import state
from convgate.ui.context.legend import colour_sections
from convgate.ui.context.rows import Row, draw_pages, draw_rows, page_of
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.context.words import why_alone
from convgate.ui.wording import counted

PER_PAGE = 25
_FIRST = 5  # turns of a section that stand there before one asks for more
_ASKED = {
    "rules": "Instructions, and turns that state what must hold.",
    "task_state": "The latest task that the user set, and errors that block the work.",
    "recent": "What was said last.",
    "evidence": "What the policy keeps for this message.",
    "decisions": "Turns that decide something or answer what was asked.",
    "capsules": "Summaries that the calling program hands in.",
}
_LEFT_OVER = "{:,} of them from what others left over"
_BEYOND: Mapping[SectionName, str] = {"rules": "{:,} beyond its share: what must hold is never cut"}
_NONE: Mapping[SectionName, str] = {
    "rules": "No system message, and nothing was said that must hold on.",
    "task_state": "No task is set that does not stand in another section, and no error blocks the work.",
    "recent": "No turn before this message that another section does not have already.",
    "evidence": "The policy keeps nothing for this message that another section does not have already.",
    "decisions": "No turn decides something that does not stand in another section already.",
    "capsules": "None were handed in: a program gives them with `build(…, capsules=…)`.",
}


def draw_sections(shown: Shown, view: View, marks: Mapping[int, str]) -> None:
    """All six, or the one that is listed whole; marks: Markdown by turn, what the last change did to it."""
    colour_sections(section.name for section in shown.bundle.sections)
    if view.section is not None:
        _draw_whole(shown, view, marks)
        return
    for section in shown.bundle.sections:
        with st.container(border=True, key=f"context-section-{section.name}", gap="xsmall"):
            _draw_head(section)
            if not section.turns:
                st.caption(_empty(shown, section))
                continue
            rows = _rows(shown, section, marks)
            start = _start(rows, view.selected)
            draw_rows(shown, rows[start : start + _FIRST], view.selected, section.name)
            if len(rows) > _FIRST:
                st.button(
                    f"All {counted(len(rows), 'turn')} of this section", type="tertiary",
                    key=f"context.all.{section.name}", icon=":material/expand_more:",
                    on_click=state.change, kwargs={"section": section.name},
                )  # fmt: skip


def _draw_whole(shown: Shown, view: View, marks: Mapping[int, str]) -> None:
    assert view.section is not None
    section = shown.section(view.section)
    st.button(
        "All sections", key="context.all_sections", icon=":material/arrow_back:", type="tertiary",
        on_click=state.change, kwargs={"section": None},
    )  # fmt: skip
    with st.container(border=True, key=f"context-section-{section.name}", gap="xsmall"):
        _draw_head(section)
        rows = _rows(shown, section, marks)
        if not rows:
            st.caption(_empty(shown, section))
            return
        page = page_of([row.index for row in rows], view.selected, view.page, PER_PAGE)
        draw_rows(shown, rows[(page - 1) * PER_PAGE : page * PER_PAGE], view.selected, section.name)
        draw_pages(len(rows), PER_PAGE, page, section.name)


def _draw_head(section: Section) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(f"**{SECTION_LABELS[section.name]}**", width="content", help=_ASKED[section.name])
        turns = counted(len(section.turns), "turn" if section.name != "capsules" else "capsule")
        beyond = section.tokens - section.budget
        more = f", {_BEYOND.get(section.name, _LEFT_OVER).format(beyond)}" if beyond > 0 else ""
        st.caption(
            f"{turns} · {section.tokens:,} of {counted(section.budget, 'token')}{more}", width="stretch"
        )


def _rows(shown: Shown, section: Section, marks: Mapping[int, str]) -> list[Row]:
    texts = iter(shown.added(section))
    return [
        Row(None, turn.tokens, why_alone(turn.reason), text=next(texts))
        if turn.index is None
        else Row(turn.index, turn.tokens, why_alone(turn.reason), marks.get(turn.index, ""))
        for turn in section.turns
    ]


def _start(rows: list[Row], selected: int | None) -> int:
    """Where the part begins that has the selected turn in it."""
    turns = [row.index for row in rows]
    return turns.index(selected) // _FIRST * _FIRST if selected in turns else 0


def _empty(shown: Shown, section: Section) -> str:
    if section.name == "capsules":
        return _NONE[section.name]
    if not shown.cells[section.name]:
        return "Off: its budget is 0 in this mode."
    if not section.budget:
        return "No room: in so small a budget nothing is left for it."
    return _NONE[section.name]
