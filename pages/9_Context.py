"""Context: what a model is given for a message, by section and within a budget, and why."""

from convgate.ui.context.page import context_page
from convgate.ui.frame import page

PURPOSE = "What a model is given for a message: by section, within a budget, with what must hold; and why."

with page("Context", PURPOSE) as app:
    context_page(app)
