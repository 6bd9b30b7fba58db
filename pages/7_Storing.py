"""Storing: what the gatekeeper keeps and skips, by which words, and rules of one's own."""

from convgate.ui.shared.frame import page
from convgate.ui.storing.page import draw_page

PURPOSE = (
    "Which exchanges are worth storing for later, which are skipped, and why. Your own rules decide first."
)

with page("Storing", PURPOSE) as app:
    draw_page(app)
