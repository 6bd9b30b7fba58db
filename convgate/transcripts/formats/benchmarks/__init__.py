"""Benchmarks whose evidence becomes relevance cases."""
