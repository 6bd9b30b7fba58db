"""The page Experiments: the list, a new experiment, the report of one, and the queue of its raters."""
