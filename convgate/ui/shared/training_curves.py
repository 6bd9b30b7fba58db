"""The curves of a training."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.figures.training import Curve, describe_epochs, epochs_figure, losses_and_shares
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.theme import current_palette


def draw_epochs(curves: Mapping[str, Curve], *, best: int | None = None, max_epochs: int = 1) -> None:
    """Draw losses and shares by epoch, side by side."""
    losses, shares = losses_and_shares(curves)
    for column, (name, values) in zip(st.columns(2), (("losses", losses), ("shares", shares)), strict=True):
        figure = epochs_figure(
            values, current_palette(), shares=name == "shares", best=best, max_epochs=max_epochs
        )
        with column:
            draw_figure(figure, f"train.{name}", describe_epochs(values))
