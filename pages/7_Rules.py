"""Storing: what the gatekeeper keeps and skips, by which words, and rules of one's own."""

from convgate.ui.rules.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = (
    "Which exchanges are worth storing for later, which are skipped, and why. Your own rules decide first."
)

with page("Storing", PURPOSE) as app:
    draw_page(app)
