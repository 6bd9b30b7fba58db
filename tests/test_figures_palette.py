"""Readable colours in both themes."""

from __future__ import annotations

from dataclasses import fields

import pytest

from convgate.figures.palette import DARK, LIGHT, Palette

TEXT = [
    "ink",
    "muted",
    "right",
    "wrong",
    *(item.name for item in fields(Palette) if item.name.endswith("_text")),
]


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2."""
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("ground", ["background", "surface"])
@pytest.mark.parametrize("text", TEXT)
def test_text_can_be_read_on_page_and_boxes(palette: Palette, ground: str, text: str) -> None:
    assert contrast(getattr(palette, text), getattr(palette, ground)) >= 4.5


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_kept_dropped_threshold_and_forced_marks_stand_out_from_the_page(palette: Palette) -> None:
    for colour in (
        palette.kept,
        palette.dropped,
        palette.threshold,
        palette.forced,
        palette.tier1,
        *palette.series,
    ):
        assert contrast(colour, palette.background) >= 3


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_colour_scales_are_monotonic_in_lightness(palette: Palette) -> None:
    for scale in (palette.sequential, palette.sequential_dropped):
        steps = [contrast(colour, palette.background) for colour in scale]
        assert steps == sorted(steps)
        assert len(set(steps)) == len(steps)
