"""The page Context: what a model is sent for a message, by section, and why."""
