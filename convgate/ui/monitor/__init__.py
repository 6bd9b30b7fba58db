"""The page Monitor: charts and tables of logged requests, and the baseline."""
