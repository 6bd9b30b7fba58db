"""The page Sessions: where conversations begin and why, moved by hand; and the sessions of running agents."""
