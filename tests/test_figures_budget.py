"""A selection's tokens and budget, and the colours of sections and modes."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from convgate.figures.budget import budget_figure, describe_budget
from convgate.figures.modes import mode_look, section_look
from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.modes.budgets import SECTIONS
from convgate.modes.mode import MODES
from tests.test_figures_palette import contrast


def make_budgeted(tokens: dict[str, int], *, message: int, budget: int, whole: int) -> tuple[Any, Any]:
    """A selection, and how its budget was spent."""
    sections = [
        SimpleNamespace(name=name, tokens=tokens.get(name, 0), budget=2_000, turns=[]) for name in SECTIONS
    ]
    selection = SimpleNamespace(sections=sections, tokens=sum(tokens.values()) + message, tokens_total=whole)
    return selection, SimpleNamespace(total=budget, sections=sections)


USED = {"rules": 300, "evidence": 800}


def trace(fig: Any, name: str) -> Any:
    return next(one for one in fig.data if one.name == name)


def test_sections_stand_one_after_the_other_and_what_exceeds_the_budget_is_framed() -> None:
    selection, spent = make_budgeted(USED, message=45, budget=1_000, whole=1_500)
    fig = budget_figure(selection, spent, palette=LIGHT)
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
    text = describe_budget(selection, spent)
    assert text == (
        "1,145 of 1,000 tokens are used, instead of 1,500. Rules: 300 of 2,000. Evidence: 800 of 2,000."
        " Current message: 45. It is 145 over the budget."
    )


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
def test_sections_and_modes_have_distinct_readable_colours(palette: Palette) -> None:
    looks = [section_look(section, palette) for section in SECTIONS]
    assert len({(look.colour, look.pattern) for look in looks}) == len(SECTIONS)
    assert len({mode_look(mode, palette).colour for mode in MODES}) == len(MODES)
    for look in looks:
        assert contrast(look.text, look.colour) >= 4.5
