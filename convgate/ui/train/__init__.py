"""The page Train: choose the data, start a training, watch it, and read its report."""
