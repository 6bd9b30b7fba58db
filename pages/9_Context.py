"""Context: what a model is sent for a message, by section and within a budget, and why."""

from convgate.ui.context.page import context_page
from convgate.ui.frame import page

PURPOSE = "See what a model is sent for a message, by section and within a budget, and why."

with page("Context", PURPOSE) as app:
    context_page(app)
