"""Traces of model calls."""
