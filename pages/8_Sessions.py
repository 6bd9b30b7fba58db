"""Sessions: where one conversation ends and the next begins."""

from convgate.ui.sessions.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = (
    "After a pause or a new subject, the policy Session sends none of the turns before it to the model,"
    " except those that state what must hold."
)

with page("Sessions", PURPOSE) as app:
    draw_page(app)
