"""The gate: both tiers, the rules that decide on its scores, and what explains them."""
