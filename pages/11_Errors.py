"""Errors: the turns that the gate decides wrongly, by what misled it."""

from convgate.ui.errors.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Where is the gate wrong, and what misled it? Turns that it missed or sent needlessly."

with page("Errors", PURPOSE) as app:
    draw_page(app)
