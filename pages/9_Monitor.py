"""Monitor: logged requests, the state of the guardrails, and the rollout."""

from convgate.ui.monitor.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "What needs you in the requests of your agents, and how many tokens they save."

with page("Monitor", PURPOSE) as app:
    draw_page(app)
