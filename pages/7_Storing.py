"""Storing: what the gatekeeper keeps and skips, by which words, and rules of one's own."""

from convgate.ui.shared.frame import page
from convgate.ui.storing.page import draw_page

PURPOSE = "Which messages, with their answers, agents store for later, which they skip, and why."

with page("Storing", PURPOSE) as app:
    draw_page(app)
