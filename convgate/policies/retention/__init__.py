"""Confidence-based retention: how long a message stays, by how confident the model was."""

from convgate.policies.retention.bands import Band, band_of
from convgate.policies.retention.code_blocks import CodeBlock, code_blocks
from convgate.policies.retention.confidence import confidences
from convgate.policies.retention.prompt_window import window
from convgate.policies.retention.pruning import prune
from convgate.policies.retention.record import RetainedTurn, records
from convgate.policies.retention.retained import Retained
from convgate.policies.retention.stated import Confidence

__all__ = [
    "Band",
    "CodeBlock",
    "Confidence",
    "Retained",
    "RetainedTurn",
    "band_of",
    "code_blocks",
    "confidences",
    "prune",
    "records",
    "window",
]
