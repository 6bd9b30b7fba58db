"""The Library, where the app opens: the conversations, and the ways to add some."""

from convgate.ui.library.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = (
    "convgate decides which earlier turns of a conversation a language model should see, and says why. "
    "Open a conversation to see its decisions."
)

with page("Library", PURPOSE) as app:
    draw_page(app)
