"""Measures policies on relevance sets: metrics, intervals, comparisons, curves and their report."""
