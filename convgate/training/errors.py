"""What goes wrong in training."""

from __future__ import annotations

from convgate.errors import ConvgateError


class TrainingError(ConvgateError):
    """Training data cannot be had or learned from, or a run cannot go on."""

    code = "training"
