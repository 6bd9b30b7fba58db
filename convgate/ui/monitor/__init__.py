"""The page Monitor: charts and tables of logged requests, the baseline, and a simulation of drift."""
