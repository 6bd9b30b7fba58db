"""Session boundaries: where one conversation ends and the next begins, from events alone."""
