"""Decisions as a chart of scores needs them: levels to draw, turn numbers, words on hover, the axis."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from convgate.decisions import Floats, TurnDecisions
from convgate.figures.hover import plain, wrapped
from convgate.figures.layout import MANY, axis, share_range
from convgate.figures.palette import Palette
from convgate.text import format_number


@dataclass(frozen=True, eq=False)
class Chart:
    """Decisions as a chart needs them: levels to draw, turn numbers, words on hover."""

    decisions: TurnDecisions
    labels: Sequence[str]
    flipped: Mapping[int, str]

    def __post_init__(self) -> None:
        if len(self.decisions) and len(self.labels) <= self.decisions.indices[-1]:
            last = int(self.decisions.indices[-1])
            raise ValueError(f"{len(self.labels)} labels cannot name turn {last} (labels go by turn index)")

    @cached_property
    def found(self) -> Floats | None:
        """The scores that there are; None where there is not one."""
        scores = self.decisions.scores
        if scores is None or not len(scores):
            return scores
        found = scores[~np.isnan(scores)]
        return found if len(found) else None

    @property
    def scored(self) -> bool:
        """Whether any turn has a score."""
        return self.found is not None

    @cached_property
    def unscored(self) -> NDArray[np.int64]:
        """Rows without a score where others have one."""
        scores = self.decisions.scores
        return np.flatnonzero(np.isnan(scores)) if scores is not None and self.scored else np.array([], int)

    @cached_property
    def levels(self) -> Floats:
        """(n,) the scores, or 1 for kept and 0 for dropped where the policy has none."""
        scores = self.decisions.scores
        if scores is None or not self.scored:
            return self.decisions.kept.astype(np.float64)
        low, _, room = self.span
        return np.where(np.isnan(scores), low - room / 2, scores) if len(self.unscored) else scores

    @cached_property
    def span(self) -> tuple[float, float, float]:
        """The lowest and highest level that scores ask for, and the room that is left beyond either."""
        if self.decisions.logits is not None:
            low, high = _gate_levels(self.decisions)
            return low, high, 0.06 * (high - low)
        low, high = 0.0, 1.0
        if self.found is not None and len(self.found):
            low, high = float(self.found.min()), float(self.found.max())
        return low, high, 0.08 * (high - low) or 0.1 * (abs(high) or 1.0)

    @property
    def extent(self) -> tuple[int, int]:
        """First and last turn number."""
        indices = self.decisions.indices
        return (int(indices[0]) + 1, int(indices[-1]) + 1) if len(indices) else (1, 1)

    @property
    def forced(self) -> NDArray[np.bool_]:
        """(n,) turns that a later stage decided."""
        return np.isin(self.decisions.indices, list(self.decisions.overrides))

    def row_of(self, index: int) -> int | None:
        """The row of a turn; None when it was not decided about."""
        rows = np.flatnonzero(self.decisions.indices == index)
        return int(rows[0]) if len(rows) else None

    def hover(self, rows: NDArray[np.int64]) -> list[str]:
        """Turn number, who and first words, why; all of it escaped."""
        long = len(self.decisions) > MANY  # then without the reason, to stay quick
        # The rule's `because` is the same for every turn, and a note may tokenize the whole text.
        brief = replace(self.decisions, because="", note=None)
        lines = []
        for row in rows.tolist():
            index = int(brief.indices[row])
            told = [f"<b>Turn {index + 1}</b> {plain(self.labels[index], 60)}"]
            if long and index not in brief.overrides:
                kept = "kept" if brief.kept[row] else "dropped"
                score = brief.value(brief.scores, row)
                told.append(kept if score is None else f"{kept}, {format_number(score)}")
            else:
                told.append(wrapped(brief[row].reason))
            if change := self.flipped.get(index):
                told.append(wrapped(change))
            lines.append("<br>".join(told))
        return lines


def level_axis(chart: Chart, palette: Palette) -> dict[str, object]:
    """0…1 for the gate, the policy's own range otherwise, two lines where there are no scores."""
    if not chart.scored:
        return axis(palette, range=[-0.6, 1.6], tickvals=[0, 1], ticktext=["dropped", "kept"], showgrid=True)
    low, high, room = chart.span
    if chart.decisions.logits is not None:
        step = 0.2 if high - low > 0.6 else 0.1
        return axis(palette, "score", range=[low - room, high + room], tickformat=".1f", dtick=step)
    return axis(palette, "score", range=[low - room, high + room], nticks=6)


def _gate_levels(decisions: TurnDecisions) -> tuple[float, float]:
    """The range of the scores and of both tiers, so that showing the tiers moves nothing."""
    columns = [decisions.scores]
    columns += [expit(tier) for tier in (decisions.tier1, decisions.attention) if tier is not None]
    levels = np.concatenate([column for column in columns if column is not None])
    return share_range(levels[~np.isnan(levels)])
