"""The page Errors: turns that are decided wrongly, each a click from a label or a wish that is held."""
