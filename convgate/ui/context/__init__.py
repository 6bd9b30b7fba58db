"""The page Context: what a model is given for a message, by section, and why."""
