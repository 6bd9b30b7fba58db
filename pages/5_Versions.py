"""Versions: the gate's versions, and which one is active."""

from convgate.ui.shared.frame import page
from convgate.ui.versions.page import draw_page

PURPOSE = "Activate a version of the gate, or roll back to the one before."

with page("Versions", PURPOSE) as app:
    draw_page(app)
