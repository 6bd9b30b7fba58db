"""Experiments: compare arms on rated answers, and rate answers without seeing the arm."""

from convgate.ui.experiments.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Does another selection of turns give better answers? Compare, rate answers, read the verdict."

with page("Experiments", PURPOSE) as app:
    draw_page(app)
