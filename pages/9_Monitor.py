"""Monitor: logged requests, the state of the guardrails, and the rollout."""

from convgate.ui.monitor.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "See how many tokens your agents save, and when the guardrails step in."

with page("Monitor", PURPOSE) as app:
    draw_page(app)
