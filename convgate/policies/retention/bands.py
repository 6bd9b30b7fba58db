"""The three borders of confidence, and the four ways of staying between them.

>>> [band_of(value) for value in (0.7, 0.69, 0.6, 0.5, 0.49)]
['unlimited', 'checkpoints', 'checkpoints', 'base_window', 'first_to_go']
"""

from __future__ import annotations

from typing import Literal

UNLIMITED = 0.7
"""From here on a message stays without limit."""

CHECKPOINTS = 0.6
"""From here on a message stays at checkpoints, otherwise while inside the base window."""

BASE = 0.5
"""From here on a message stays while inside the base window; below it, it is also the first to go."""

UNSTATED = 0.5
"""What a message counts as of which nothing says how confident the model was."""

Band = Literal["unlimited", "checkpoints", "base_window", "first_to_go"]

BANDS: tuple[Band, ...] = ("unlimited", "checkpoints", "base_window", "first_to_go")  # longest stay first


def band_of(confidence: float) -> Band:
    """The band of a confidence, 0…1; each border belongs to the band above it."""
    if confidence >= UNLIMITED:
        return "unlimited"
    if confidence >= CHECKPOINTS:
        return "checkpoints"
    return "base_window" if confidence >= BASE else "first_to_go"


def figure(confidence: float) -> str:
    """The number with two decimals, or as many more as it takes to stay on its side of a border.

    >>> figure(0.85), figure(0.6), figure(0.6996)
    ('0.85', '0.60', '0.6996')
    """
    for digits in range(2, 6):
        told = f"{confidence:.{digits}f}"
        if band_of(float(told)) == band_of(confidence):
            return told
    return repr(confidence)
