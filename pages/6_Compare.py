"""Compare: policies and versions of the gate, on labelled conversations and on one conversation."""

from convgate.ui.compare.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "See which policy sends every turn that is needed, for fewer tokens."

with page("Compare", PURPOSE) as app:
    draw_page(app)
