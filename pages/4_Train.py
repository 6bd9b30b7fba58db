"""Train: a new version of the gate that learns from labelled turns."""

from convgate.ui.shared.frame import page
from convgate.ui.train.page import draw_page

with page("Train", "Train the gate on your labels, and compare it with its parent before you use it.") as app:
    draw_page(app)
