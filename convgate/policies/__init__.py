"""Policies: everything that chooses turns."""
