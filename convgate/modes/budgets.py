"""The sections of a budget, how many tokens each may take in each mode, and what a mode leaves out.

>>> Budgets().cells("TASK")["evidence"], Budgets().total("TASK")
(28000, 53000)
>>> Budgets().shares("TASK", 5_300)["recent"]
200
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from convgate.core.errors import RequestError
from convgate.core.settings import Settings
from convgate.core.text import quote
from convgate.modes.mode import MODES, Mode

SectionName = Literal["rules", "task_state", "recent", "evidence", "decisions", "capsules"]

SECTIONS: tuple[SectionName, ...] = ("rules", "task_state", "recent", "evidence", "decisions", "capsules")

Cells = Mapping[SectionName, int]

_COLUMNS: dict[SectionName, tuple[int, int, int, int, int]] = {  # tokens by mode, in the order of `MODES`
    "rules": (10_000, 3_000, 5_000, 8_000, 6_000),
    "task_state": (5_000, 1_000, 4_000, 0, 3_000),
    "recent": (2_000, 15_000, 12_000, 2_000, 8_000),
    "evidence": (28_000, 35_000, 25_000, 40_000, 28_000),
    "decisions": (4_000, 6_000, 3_000, 8_000, 4_000),
    "capsules": (4_000, 2_000, 0, 2_000, 4_000),
}

TABLE: Mapping[Mode, Cells] = {
    mode: {section: column[place] for section, column in _COLUMNS.items()} for place, mode in enumerate(MODES)
}

DROPS: Mapping[Mode, frozenset[Mode]] = {
    "TASK": frozenset({"EXPLORATION"}),
    "EXPLORATION": frozenset({"TASK"}),
    "DEBUGGING": frozenset({"TASK"}),  # that went well: see `SectionClaims.is_left_out`
    "LEARNING": frozenset({"GENERAL"}),
    "GENERAL": frozenset(),
}
"""Modes whose turns a mode drops, unless a section claims them."""

WINDOWED: frozenset[Mode] = frozenset({"EXPLORATION", "DEBUGGING", "GENERAL"})
"""Modes whose recent section includes the newest turns that the policy dropped."""


@dataclass(frozen=True)
class Budgets:
    """The tokens of each section in each mode. A cell of 0 turns its section off."""

    table: Mapping[Mode, Cells] = field(default_factory=lambda: TABLE)  # tokens

    @classmethod
    def of(cls, settings: Settings) -> Budgets:
        """Return the table with the cells that the settings change.

        Raises RequestError for an unknown mode or section, and for a number below 0.
        """
        table = {mode: dict(cells) for mode, cells in TABLE.items()}
        for name, cells in settings.budget.by_mode.items():
            mode = next((mode for mode in MODES if mode == name.upper()), None)
            if mode is None:
                raise RequestError(f"budget.by_mode: there is no mode {name!r}; there are {', '.join(MODES)}")
            for section, tokens in cells.items():
                if section not in table[mode]:
                    raise RequestError(
                        f"budget.by_mode, {name}: there is no section {section!r};"
                        f" there are {', '.join(SECTIONS)}"
                    )
                if tokens < 0:
                    raise RequestError(
                        f"budget.by_mode, {name}, {section}: a budget is 0 tokens or more; got {tokens}"
                    )
                table[mode][section] = tokens
        return cls(table)

    def cells(self, mode: Mode) -> Cells:
        """Return the tokens of each section, as the table has them."""
        return self.table[mode]

    def total(self, mode: Mode) -> int:
        """Return the tokens of all sections."""
        return sum(self.table[mode].values())

    def shares(self, mode: Mode, total: int) -> dict[SectionName, int]:
        """Return the tokens of each section of a budget of `total`: below the table's, all in proportion."""
        default = max(1, self.total(mode))
        return {
            section: tokens * min(total, default) // default for section, tokens in self.table[mode].items()
        }


def check_total(budget: object) -> int:
    """Return the budget; raise RequestError unless it is a number of tokens."""
    if isinstance(budget, bool) or not isinstance(budget, int) or not 0 <= budget < 2**63:
        raise RequestError(f"a budget is a number of tokens from 0 to 2**63; got {quote(budget)}")
    return budget
