"""Compare: any number of ways to choose turns, side by side."""

from convgate.ui.compare.page import compare
from convgate.ui.frame import page

PURPOSE = "Put any number of ways to choose side by side, on one conversation or on labelled ones."

with page("Compare", PURPOSE) as app:
    compare(app)
