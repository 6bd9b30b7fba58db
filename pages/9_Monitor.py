"""Monitor: logged requests, the state of the guardrails, and the rollout."""

from convgate.ui.monitor.page import draw_page
from convgate.ui.shared.frame import page

PURPOSE = "See how requests run, and what the guardrails do when modes drift or fail."

with page("Monitor", PURPOSE) as app:
    draw_page(app)
