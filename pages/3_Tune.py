"""Tune: where the threshold should stand, by what labels say of it, and which turns flip."""

from convgate.ui.frame import page
from convgate.ui.tune.page import tune

PURPOSE = "Choose the threshold by what it costs you; see which turns flip before anything is used."

with page("Tune", PURPOSE) as app:
    tune(app)
