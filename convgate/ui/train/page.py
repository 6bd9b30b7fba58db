"""Train from top to bottom: a new training and the list of all, or one of them with its report."""

from __future__ import annotations

from convgate.ui.frame import App
from convgate.ui.train import state
from convgate.ui.train.listing import draw_runs
from convgate.ui.train.order import draw_order
from convgate.ui.train.watching import draw_run


def train(app: App) -> None:
    """Draw the page."""
    state.draw_failure()
    chosen = state.chosen_run()
    if chosen is not None:
        draw_run(app, chosen)
    else:
        draw_order(app)
        draw_runs(app)
