"""Monitor: whether requests are as usual, and what the guardrails do about it when they are not."""

from convgate.ui.frame import page
from convgate.ui.monitor.page import monitor

PURPOSE = "Are the requests of your programs as usual, and what do the guardrails do when they are not?"

with page("Monitor", PURPOSE) as app:
    monitor(app)
