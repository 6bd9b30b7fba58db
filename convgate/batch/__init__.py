"""Decisions about many conversations with Ray Data: read in parts, decided by stateful workers, resumable."""
