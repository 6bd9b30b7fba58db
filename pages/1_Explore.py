"""Explore: what a model would be shown at any point of a conversation, and why."""

from convgate.ui.explore.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Which earlier turns would a model be shown, and why? Ask anything; move the slider; click a turn."

with page("Explore", PURPOSE) as app:
    draw_page(app)
