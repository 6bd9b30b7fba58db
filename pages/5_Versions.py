"""Versions: the gate's versions, and which one is active."""

from convgate.ui.shared.frame import page
from convgate.ui.versions.page import draw_page

PURPOSE = "Compare all versions on the same labels, activate one, or roll back."

with page("Versions", PURPOSE) as app:
    draw_page(app)
