"""Costs: what requests cost under a provider's prompt cache, by dated list prices."""
