"""What goes wrong while training data is made."""

from __future__ import annotations

from convgate.errors import ConvgateError


class TrainingError(ConvgateError):
    """Training data was asked for that the given texts cannot give."""
