"""Figures are put together as plain data and checked when they are done."""

from __future__ import annotations

import pytest

from convgate.figures.drawing import Drawing
from convgate.figures.layout import axis, drawing
from convgate.figures.palette import LIGHT


def test_what_was_drawn_is_in_the_figure() -> None:
    fig = drawing(LIGHT, height=200)
    fig.add_scatter(x=[1, 2], y=[3, 4], name="line")
    fig.add_bar(x=[1], y=[5])
    fig.add_annotation(text="one")
    fig.add_annotation(text="two")
    fig.add_vline(x=1.5)
    fig.add_hline(y=2.5)
    fig.update_layout(margin={"b": 7}, xaxis=axis(LIGHT, "turn"))
    made = fig.figure()
    assert [trace.type for trace in made.data] == ["scatter", "bar"]
    assert [annotation.text for annotation in made.layout.annotations] == ["one", "two"]
    assert [(line.xref, line.yref) for line in made.layout.shapes] == [("x", "y domain"), ("x domain", "y")]
    assert (made.layout.margin.b, made.layout.margin.l) == (7, 52)
    assert made.layout.xaxis.title.text == "turn"
    assert made.layout.xaxis.title.font.color == LIGHT.muted


@pytest.mark.parametrize(
    ("word", "value"), [("colour", "red"), ("opacity", 2)], ids=["unknown word", "impossible value"]
)
def test_what_plotly_does_not_know_is_an_error(word: str, value: object) -> None:
    fig = Drawing({})
    fig.add_scatter(x=[1], y=[1], **{word: value})
    with pytest.raises(ValueError, match=word):
        fig.figure()
