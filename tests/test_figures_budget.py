"""A context's tokens and budget, and its modes along the conversation."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from convgate.figures.context import budget_figure, describe_budget
from convgate.figures.modes import mode_look, section_look
from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.modes.budgets import SECTIONS
from convgate.modes.mode import MODES
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


def trace(fig: Any, name: str) -> Any:
    return next(one for one in fig.data if one.name == name)


def test_sections_stand_one_after_the_other_and_what_exceeds_the_budget_is_framed() -> None:
    spent = bundle(USED, message=45, budget=1_000, whole=1_500)
    fig = budget_figure(spent, palette=LIGHT)
    assert fig.layout.barmode == "stack"
    assert [trace(fig, name).x for name in ("Rules", "Evidence", "Current message")] == [
        (300,),
        (800,),
        (45,),
    ]
    assert not trace(fig, "Everything").showlegend
    assert trace(fig, "Everything").x == (1_500,)
    (frame,) = [shape for shape in fig.layout.shapes if shape.name == "over the budget"]
    assert (frame.x0, frame.x1) == (1_000, 1_145)
    assert [one.text for one in fig.layout.annotations] == ["budget 1,000, 145 over"]
    description = describe_budget(spent)
    assert "Capsules" not in description


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_sections_and_modes_have_distinct_readable_colours(palette: Palette) -> None:
    looks = [section_look(section, palette) for section in SECTIONS]
    assert len({(look.colour, look.pattern) for look in looks}) == len(SECTIONS)
    assert len({mode_look(mode, palette).colour for mode in MODES}) == len(MODES)
    for look in looks:
        assert contrast(look.text, look.colour) >= 4.5
