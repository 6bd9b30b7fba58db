"""Confidence-based retention: how long a message stays, by how confident the model was."""
