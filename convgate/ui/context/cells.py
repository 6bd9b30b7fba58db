"""The budgets of single sections in the present mode, each as a number that can be changed."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.context.mode import Mode
from convgate.context.section import SECTIONS, SectionName
from convgate.figures.modes import SECTION_LABELS
from convgate.ui.context import state
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import LARGEST


def draw_cells(shown: Shown, usual: Mapping[SectionName, int]) -> None:
    """A number a section; usual: tokens as the settings have them."""
    cells = shown.cells
    mode = shown.bundle.mode
    place = st.expander(
        f"Budgets of the sections in {mode}", key="context.cells", icon=":material/table_rows:",
        on_change=state.touched,
    )  # fmt: skip
    if not place.open:
        return
    with place:
        scaled = shown.bundle.budget < sum(cells.values())
        st.caption(
            "Tokens. 0 turns a section off. Evidence chooses first; the others share"
            " what it leaves, each up to its number."
            + (
                f" The whole is {shown.bundle.budget:,} here, less than these add up to, so each is scaled"
                " down as it says below."
                if scaled
                else ""
            )
        )
        for start in (0, 3):
            for column, section in zip(st.columns(3), SECTIONS[start : start + 3], strict=True):
                with column:
                    _draw_cell(shown, mode, section, cells[section], usual[section])


def _draw_cell(shown: Shown, mode: Mode, section: SectionName, tokens: int, usual: int) -> None:
    key = f"context.cell.{mode}.{section}"
    state.put(key, tokens)
    st.number_input(
        SECTION_LABELS[section], min_value=0, max_value=LARGEST, step=500, key=key,
        on_change=_typed, args=(key, mode, section, usual),
    )  # fmt: skip
    found = shown.section(section)
    told = [f"{found.tokens:,} used"]
    if found.budget != tokens:
        told.append(f"{found.budget:,} scaled")
    if tokens != usual:
        told.append(f"{usual:,} as set")
    st.caption(" · ".join(told))


def _typed(key: str, mode: Mode, section: SectionName, usual: int) -> None:
    view = state.page.now()
    tokens = int(st.session_state[key])
    others = tuple(cell for cell in view.cells if cell[:2] != (mode, section))
    state.change(cells=others if tokens == usual else tuple(sorted((*others, (mode, section, tokens)))))
