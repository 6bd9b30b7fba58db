"""The page Monitor: charts and tables of logged requests, the baseline, and the rollout."""
