"""Errors: the turns that the gate decides wrongly, and the labels that may be wrong."""

from convgate.ui.errors.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Where is the gate wrong, or a label? Each is one click from its correction."

with page("Errors", PURPOSE) as app:
    draw_page(app)
