"""What the colours of the pictures mean; in the page's own lines, which a narrow window can break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import streamlit as st

from convgate.context.mode import Mode
from convgate.context.section import SectionName
from convgate.figures.modes import SECTION_LABELS, mode_colour, mode_letter, section_look
from convgate.ui.theme import current_palette

_PATTERNS = {  # plotly's, in CSS
    "": "none",
    "/": "repeating-linear-gradient(135deg, {ink} 0 1px, transparent 1px 5px)",
    "\\": "repeating-linear-gradient(45deg, {ink} 0 1px, transparent 1px 5px)",
    ".": "radial-gradient({ink} 1px, transparent 1.4px) 0 0 / 5px 5px",
    "x": "repeating-linear-gradient(45deg, {ink} 0 1px, transparent 1px 5px),"
    " repeating-linear-gradient(135deg, {ink} 0 1px, transparent 1px 5px)",
}


def draw_sections_legend(sections: Sequence[SectionName], *, present: bool) -> None:
    """The sections that the bar has, and the message to answer."""
    palette = current_palette()
    entries = []
    for section in sections:
        look = section_look(section, palette)
        ground = _PATTERNS[look.pattern].format(ink=f"{look.text}80")
        entries.append((f"background: {ground} {look.colour}", SECTION_LABELS[section]))
    if present:
        entries.append((f"background: {palette.ink}", "Message to answer"))
    _draw(entries)


def colour_sections(sections: Iterable[SectionName]) -> None:
    """Give the boxes of the sections the colours of the bar, on their left edges."""
    palette = current_palette()
    rules = (
        f".st-key-context-section-{section} {{ border-left: 5px solid"
        f" {section_look(section, palette).colour}; }}"
        for section in sections
    )
    st.html(f"<style>{' '.join(rules)}</style>")


def draw_modes_legend(modes: Sequence[Mode]) -> None:
    """The modes that the strip has."""
    palette = current_palette()
    entries = [(f"background: {mode_colour(mode, palette)}", f"{mode_letter(mode)} {mode}") for mode in modes]
    if modes:
        entries.append((f"border: 2px solid {palette.muted}", "open: carried on from before"))
    _draw(entries)


def _draw(entries: Iterable[tuple[str, str]]) -> None:
    """Styles of swatches, and their names; all of it our own words."""
    items = "".join(f'<span><i style="{style}"></i>{name}</span>' for style, name in entries)
    st.html(f'<div class="context-legend" aria-hidden="true">{items}</div>')
