"""What Context shows, between reruns.

?conversation=KEY&turn=27&intent=debug&budget=8000&cells=TASK.evidence:2000&selected=12&show=dropped
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from convgate.context.budgets import SECTIONS, SectionName
from convgate.context.mode import MODES, Mode
from convgate.ui.choosers import CHOOSER
from convgate.ui.page_state import TURN, Address, Codec, PageState, number, one_of, param, share
from convgate.ui.picker import Picker
from convgate.ui.state import put as put

SHOWN = {
    "sections": "In the context",
    "invariants": "Invariants",
    "dropped": "Dropped",
    "messages": "Messages",
}
"""The lists below the picture, as addresses and as people call them."""

LARGEST = 10_000_000
"""Tokens of a budget that is tried."""

Cell = tuple[Mode, SectionName, int]
_TOKENS = number(0, LARGEST)


def _read_cells(text: str) -> tuple[Cell, ...]:
    cells: dict[tuple[Mode, SectionName], int] = {}
    for part in filter(None, text.split(",")):
        place, _, tokens = part.partition(":")
        mode, _, section = place.partition(".")
        if mode not in MODES or section not in SECTIONS:
            raise ValueError(text)
        cells[mode, section] = _TOKENS.read(tokens)
    return tuple((mode, section, tokens) for (mode, section), tokens in sorted(cells.items()))


CELLS = Codec(
    lambda cells: ",".join(f"{mode}.{section}:{tokens}" for mode, section, tokens in cells),
    _read_cells,
    "MODE.section:tokens",
)


@dataclass(frozen=True)
class View(PageState):
    """What is tried in place of the settings, and what is listed."""

    selected: int | None = param(None, TURN, of_conversation=True)
    intent: str | None = param(None, of_conversation=True)  # said by the caller; None: found by the message
    budget: int | None = param(None, _TOKENS)  # tokens of the whole; None: as set, so the others
    cells: tuple[Cell, ...] = param((), CELLS)  # tokens of single sections
    filter: bool | None = None
    hysteresis: float | None = param(None, share())  # gain in score
    policy: str | None = param(None, CHOOSER)
    show: str = param("sections", one_of(SHOWN))
    section: SectionName | None = param(  # noqa: RUF009  # listed whole
        None, one_of(SECTIONS), of_conversation=True
    )
    why: str | None = param(None, of_conversation=True)  # only the turns that this dropped
    page: int = param(0, number(0), of_conversation=True)  # 0: where the selected turn is, or the first

    @property
    def overrides(self) -> dict[str, object]:
        """Return what replaces the settings, by field name."""
        values = {name: getattr(self, name) for name in ("budget", "filter", "hysteresis", "policy")}
        found = {name: value for name, value in values.items() if value is not None}
        return found | ({"cells": self.cells} if self.cells else {})

    @property
    def as_set(self) -> View:
        """The same message by the settings alone."""
        return replace(self, intent=None, budget=None, cells=(), filter=None, hysteresis=None, policy=None)


page = Address("context", View)
VIEW = page.key
current_view, change, select = page.current, page.change, page.select
touched, keep = page.touched, page.keep


def answer(turn: int) -> None:
    """Build the context for another message (0-based); for callbacks."""
    _moved(turn=turn, question="", selected=None)


def _moved(**values: Any) -> None:
    # An intent is said of one message.
    change(**({"intent": None} | values))


PICKER = Picker("context", _moved, page.open)
