"""Policies: everything that chooses turns, one file each."""
