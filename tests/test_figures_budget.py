"""A context's tokens beside its budget, and its modes along the conversation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from convgate.context.budgets import SECTIONS
from convgate.context.mode import MODES
from convgate.figures.context import (
    ModeMark,
    budget_figure,
    describe_budget,
    describe_modes_along,
    modes_along_figure,
)
from convgate.figures.modes import mode_colour, section_look
from convgate.figures.palette import DARK, LIGHT, Palette
from tests.test_figures_palette import contrast


def bundle(
    tokens: dict[str, int], *, message: int, budget: int = 0, whole: int = 0, fallbacks: Any = ()
) -> Any:
    sections = [
        SimpleNamespace(name=name, tokens=tokens.get(name, 0), budget=2_000, turns=[]) for name in SECTIONS
    ]
    return SimpleNamespace(
        sections=sections, section=dict(zip(SECTIONS, sections, strict=True)).__getitem__, budget=budget,
        tokens=sum(tokens.values()) + message, tokens_total=whole, breaches=(), fallbacks=fallbacks,
    )  # fmt: skip


USED = {"rules": 300, "evidence": 800}
MARKS = [
    ModeMark(0, "TASK", "TASK", 0.9, "user: <b>go</b>"),
    ModeMark(4, "TASK", "DEBUGGING", 0.75, "user: $why$"),
]
BUILT = {
    0: bundle({"rules": 10}, message=5),
    4: bundle({"rules": 10, "recent": 30}, message=5, fallbacks=[SimpleNamespace(cause="drift")]),
}


def trace(fig: Any, name: str) -> Any:
    return next(one for one in fig.data if one.name == name)


def test_sections_stand_one_after_the_other_and_what_exceeds_the_budget_is_framed() -> None:
    spent = bundle(USED, message=45, budget=1_000, whole=1_500)
    fig = budget_figure(spent, palette=LIGHT)
    assert fig.layout.barmode == "stack"
    assert [trace(fig, name).x for name in ("Rules", "Evidence", "message to answer")] == [
        (300,),
        (800,),
        (45,),
    ]
    assert trace(fig, "Evidence").customdata == ("evidence",), "a click lists the section"
    assert trace(fig, "everything").x == (1_500,)
    (frame,) = [shape for shape in fig.layout.shapes if shape.name == "over the budget"]
    assert (frame.x0, frame.x1) == (1_000, 1_145)
    assert [one.text for one in fig.layout.annotations] == ["budget 1,000, 145 over"]
    told = describe_budget(spent)
    assert "1,145 of 1,000 tokens are used, instead of 1,500." in told
    assert "Evidence: 800 of 2,000." in told
    assert "145 over the budget" in told
    assert "Capsules" not in told


def test_a_budget_far_beyond_the_bars_is_told_at_the_edge() -> None:
    fig = budget_figure(bundle(USED, message=0, budget=53_000, whole=1_500), palette=DARK)
    assert fig.layout.xaxis.range[1] == pytest.approx(1_530)
    assert [one.text for one in fig.layout.annotations] == ["budget 53,000 →"]
    assert not fig.layout.shapes
    near = budget_figure(bundle(USED, message=0, budget=2_000, whole=1_500), palette=DARK)
    assert [shape.x0 for shape in near.layout.shapes] == [2_000]


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_sections_and_modes_are_told_apart_and_can_be_read(palette: Palette) -> None:
    looks = [section_look(section, palette) for section in SECTIONS]
    assert len({(look.colour, look.pattern) for look in looks}) == len(SECTIONS)
    assert len({mode_colour(mode, palette) for mode in MODES}) == len(MODES)
    for look in looks:
        assert contrast(look.text, look.colour) >= 4.5


def test_marks_are_open_where_the_mode_is_carried_on() -> None:
    fig = modes_along_figure(MARKS, BUILT, turns=6, palette=LIGHT, current=4)
    marks = trace(fig, "TASK")
    assert marks.customdata == (0, 4)
    assert marks.marker.symbol == ("square", "square-open")
    assert "&lt;b&gt;go&lt;/b&gt;" in marks.hovertext[0]
    assert "by itself DEBUGGING (confidence 75%)" in marks.hovertext[1]
    assert "&#36;why&#36;" in marks.hovertext[1]
    assert (trace(fig, "Recent window").y, trace(fig, "Recent window").customdata) == ((0, 30), (0, 4))
    assert trace(fig, "fallback or breach").hovertext == ("Turn 5<br>drift",)
    assert [(shape.x0, shape.x1) for shape in fig.layout.shapes] == [(4.5, 5.5)]
    told = describe_modes_along(MARKS, BUILT, 4)
    assert told == "Modes of 2 messages. TASK from turn 1. 2 contexts of 15 to 45 tokens. Turn 5 is answered."
