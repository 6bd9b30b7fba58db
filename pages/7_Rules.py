"""Rules: what the gatekeeper keeps and skips, by which words, and rules of one's own."""

from convgate.ui.rules.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "What is worth storing: what the gatekeeper keeps and skips, by which words, and rules of your own."

with page("Rules", PURPOSE) as app:
    draw_page(app)
