"""Monitor: whether requests are as usual, what the guardrails do about it, and drift to watch."""
