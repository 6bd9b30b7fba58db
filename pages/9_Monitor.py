"""Monitor: logged requests, the state of the guardrails, and the rollout."""

from convgate.ui.frame import page
from convgate.ui.monitor.page import monitor

PURPOSE = "See how requests run, and what the guardrails do when modes drift or fail."

with page("Monitor", PURPOSE) as app:
    monitor(app)
