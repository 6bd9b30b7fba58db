"""Train: a new training and the list of all, or one of them with its report."""

from __future__ import annotations

from convgate.ui.actions import draw_problem
from convgate.ui.frame import App
from convgate.ui.label_sources import sources
from convgate.ui.page_state import draw_problems
from convgate.ui.train.new import draw_new
from convgate.ui.train.runs import draw_run, draw_runs
from convgate.ui.train.state import page


def train(app: App) -> None:
    """Draw the page."""
    view, problems = page.current()
    known = sources(app)
    view, missing = view.among(data=known)
    page.keep(view)
    draw_problems([*problems, *missing])
    draw_problem()
    if view.run is not None:
        draw_run(app, view.run)
    else:
        draw_new(app, view, known)
        draw_runs(app)
