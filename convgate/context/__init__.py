"""From scores to a context that a model can safely be given: modes, budgets, invariants, guardrails."""
