"""Sessions: where one conversation ends and the next begins."""

from convgate.ui.sessions.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = (
    "What the policy Session sends to a model: the turns since the last pause, finished task or “new topic”,"
    " and those that state what must hold."
)

with page("Sessions", PURPOSE) as app:
    draw_page(app)
