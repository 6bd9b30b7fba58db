"""What the classifier reads besides words: the bundled encoder's states after its fourth layer.

The fourth layer represents whether a text is a question, an order or a complaint better than the last. Its
states come from the pass that gives the vectors of the gate (`encode_together`).
"""

from __future__ import annotations

from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import CACHE_FILE, PACKAGED_STATEMENTS, CachedEncoder


def state_encoder(settings: Settings) -> Encoder:
    """Return the encoder of messages, cached in the settings' home: the mean state, as a unit vector."""
    return CachedEncoder(BundledEncoder("states"), settings.home / CACHE_FILE)


def statement_encoder(settings: Settings) -> Encoder:
    """Return the same for the statements of a message, as spans (`mark_spans`) read within the message."""
    path = settings.home / CACHE_FILE
    return CachedEncoder(BundledEncoder("span states"), path, packaged=PACKAGED_STATEMENTS)
