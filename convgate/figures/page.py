"""Figures as one HTML file that opens anywhere, without a network: plotly's code is in it, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from convgate.figures.layout import CONFIG, FONT
from convgate.figures.palette import Palette
from convgate.transcripts.characters import printable


@dataclass(frozen=True, eq=False)
class Shown:
    """A figure with its heading and what it says, in words; both are shown as plain text."""

    heading: str
    words: str
    figure: go.Figure


@dataclass(frozen=True, eq=False)
class Section:
    """Figures that belong together."""

    heading: str
    words: str
    figures: Sequence[Shown]


def html_page(title: str, sections: Sequence[Section], *, palette: Palette) -> str:
    """The whole file. Its policy for content lets a browser load nothing from elsewhere."""
    parts = [_section(section, number) for number, section in enumerate(sections)]
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{_style(palette)}</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
<h1>{_text(title)}</h1>
{"".join(parts)}</body>
</html>
"""


def _section(section: Section, number: int) -> str:
    figures = "".join(
        _figure(shown, f"figure-{number}-{place}") for place, shown in enumerate(section.figures)
    )
    return (
        f"<section>\n<h2>{_text(section.heading)}</h2>\n<p>{_text(section.words)}</p>\n{figures}</section>\n"
    )


def _figure(shown: Shown, id: str) -> str:
    height = shown.figure.layout.height
    drawn = shown.figure.to_html(
        full_html=False, include_plotlyjs=False, config=CONFIG, div_id=id, default_height=f"{height}px"
    )
    return f"<h3>{_text(shown.heading)}</h3>\n<p>{_text(shown.words)}</p>\n{drawn}\n"


def _style(palette: Palette) -> str:
    return (
        f"body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 {FONT};"
        f" color: {palette.ink}; background: {palette.background}; }}"
        f" p {{ color: {palette.muted}; }}"
        f" section {{ border-top: 1px solid {palette.grid}; margin-top: 2rem; }}"
    )


def _text(text: str) -> str:
    return escape(printable(text))
