"""Confidence-based retention: how long a message stays, by how confident the model was."""

from convgate.retention.bands import Band, band_of
from convgate.retention.code_blocks import CodeBlock, code_blocks
from convgate.retention.confidence import confidences
from convgate.retention.prompt_window import window
from convgate.retention.pruning import prune
from convgate.retention.record import RetainedTurn, records
from convgate.retention.retained import Retained
from convgate.retention.stated import Confidence

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
