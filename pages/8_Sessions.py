"""Sessions: where one conversation ends and the next begins."""

from convgate.ui.sessions.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "Where one conversation ends and the next begins, and why; move what is wrong."

with page("Sessions", PURPOSE) as app:
    draw_page(app)
