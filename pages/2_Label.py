"""Label: say which earlier turns matter to a message, one key a turn."""

from convgate.ui.label.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Which earlier turns does a message need? Your answers teach the gate; each is stored at once."

with page("Label", PURPOSE) as app:
    draw_page(app)
