"""Train: a new training and the list of all, or one of them with its report."""

from __future__ import annotations

from convgate.ui.actions import draw_problem
from convgate.ui.frame import App
from convgate.ui.train import state
from convgate.ui.train.new import draw_new
from convgate.ui.train.runs import draw_run, draw_runs


def train(app: App) -> None:
    """Draw the page."""
    draw_problem()
    id = state.chosen_run()
    if id is not None:
        draw_run(app, id)
    else:
        draw_new(app)
        draw_runs(app)
