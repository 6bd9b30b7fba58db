"""Errors: the turns that the gate decides wrongly, by what misled it."""

from convgate.ui.errors.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Turns that the gate missed or sent needlessly, by the part of the score that misled it."

with page("Where is it wrong?", PURPOSE) as app:
    draw_page(app)
