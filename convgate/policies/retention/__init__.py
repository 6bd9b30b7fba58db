"""Confidence-based retention: how long a message stays, by how confident the model was."""

from convgate.policies.retention.confidence import Band, Confidence, band_of, confidences
from convgate.policies.retention.hedging import CodeBlock, code_blocks
from convgate.policies.retention.windows import Retained, prune, window

__all__ = [
    "Band",
    "CodeBlock",
    "Confidence",
    "Retained",
    "band_of",
    "code_blocks",
    "confidences",
    "prune",
    "window",
]
