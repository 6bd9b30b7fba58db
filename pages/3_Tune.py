"""Tune: choose the threshold by what it does on labelled turns."""

from convgate.ui.shared.frame import page
from convgate.ui.tune.page import draw_page

with page("Tune", "Choose what may be missed and what it costs in tokens, on labelled turns.") as app:
    draw_page(app)
