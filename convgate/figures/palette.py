"""The colours of every chart and page, by role: blue is for kept turns only.

A colour is never the only sign: marks differ in shape, lines in dashes, and text says the rest. Marks take
the plain colours; text takes those that end in `_text`, whose contrast with the page is at least 4.5.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of one theme, as `#rrggbb`."""

    background: str  # the page
    surface: str  # boxes on the page: the sidebar, hover labels
    ink: str  # text, and the final score
    muted: str  # secondary text: axis numbers, notes
    grid: str
    kept: str
    dropped: str
    threshold: str
    flip: str  # turns whose decision the last change flipped
    tier1: str
    tier2: str
    forced: str  # kept or dropped by a later stage, such as a tool call with its result
    right: str  # what a label agrees with, and what a change fixed; for marks and text
    wrong: str  # what a label contradicts, and what a change broke; for marks and text
    kept_text: str
    dropped_text: str
    threshold_text: str
    flip_text: str
    forced_text: str
    series: tuple[str, ...]  # lines without a role, such as policies side by side
    sequential: tuple[str, ...]  # low to high in the blue of kept turns
    sequential_dropped: tuple[str, ...]  # low to high in the grey of dropped turns


LIGHT = Palette(
    background="#FFFFFF",
    surface="#F3F5F8",
    ink="#1B1F24",
    muted="#5A616B",
    grid="#E3E7EC",
    kept="#0072B2",
    dropped="#8A8F98",
    threshold="#D55E00",
    flip="#E69F00",
    tier1="#8C8C2B",
    tier2="#CC79A7",
    forced="#009E73",
    right="#117733",
    wrong="#AA3377",
    kept_text="#0067A3",
    dropped_text="#5A616B",
    threshold_text="#A84900",
    flip_text="#8A5A00",
    forced_text="#00664B",
    series=("#1B1F24", "#B45F06", "#9A4FA3", "#8C8C2B", "#00806A", "#8A8F98"),
    sequential=("#DCECF6", "#9CC8E4", "#4798CA", "#0072B2", "#003F63"),
    sequential_dropped=("#F6F7F9", "#E3E6EA", "#C9CED5"),
)

DARK = Palette(
    background="#101418",
    surface="#1B2128",
    ink="#E8EBEF",
    muted="#A9B1BC",
    grid="#2A323B",
    kept="#3D9BD8",
    dropped="#9AA0AA",
    threshold="#E8793A",
    flip="#F0B429",
    tier1="#C9C95A",
    tier2="#DE9BC0",
    forced="#1DB98A",
    right="#5DBE7E",
    wrong="#E58AB5",
    kept_text="#5FB2E6",
    dropped_text="#A9B1BC",
    threshold_text="#F08B50",
    flip_text="#F0B429",
    forced_text="#2FCB9C",
    series=("#E8EBEF", "#E0A060", "#D58BC8", "#C9C95A", "#1DB98A", "#9AA0AA"),
    sequential=("#0C3A57", "#0A5684", "#1F80BB", "#72B1D8", "#DCECF6"),
    sequential_dropped=("#171C22", "#252C34", "#363F49"),
)
