"""Experiments: compare arms on rated answers, and rate answers without seeing the arm."""

from convgate.ui.experiments.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = (
    "Do answers get better? A real model answers with two selections of turns, people rate its answers, and"
    " the verdict says which selection is better."
)

with page("Experiments", PURPOSE) as app:
    draw_page(app)
