"""Compare: policies and versions of the gate, on labelled conversations and on one conversation."""

from convgate.ui.compare.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Which turns does each policy send to the model, and what does it leave out? No model is needed."

with page("Compare", PURPOSE) as app:
    draw_page(app)
