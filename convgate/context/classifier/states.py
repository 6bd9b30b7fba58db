"""What the classifier reads besides words: the bundled encoder's states after its fourth layer.

The fourth layer represents whether a text is a question, an order or a complaint better than the last. Its
states come from the pass that gives the vectors of the gate (`encode_together`).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import CACHE_FILE, CachedEncoder


def state_encoder(settings: Settings) -> Encoder:
    """Return the encoder with its cache in the settings' home: the mean state, as a unit vector."""
    return _open(settings.home / CACHE_FILE)


@lru_cache(4)
def _open(path: Path) -> Encoder:
    """Return the encoder that modes and statements share."""
    return CachedEncoder(BundledEncoder(is_states=True), path)
