"""Rollouts: a candidate for a growing share of the sessions, advanced, stopped and rolled back by the log."""
