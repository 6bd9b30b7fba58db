"""The page Train: choose what to learn from, watch it, and see turn by turn what came of it."""
