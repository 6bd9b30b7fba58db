"""What the classifier reads besides words: the bundled encoder's states after its fourth layer.

The fourth layer represents whether a text is a question, an order or a complaint better than the last.
"""

from __future__ import annotations

import functools
from typing import Any

from convgate.core.bundled_encoder import (
    BUNDLED_MODEL,
    BUNDLED_SHA256,
    bundled_folder,
    verify_bundled_weights,
)
from convgate.core.settings import Settings
from convgate.embedding.base import Encoder
from convgate.embedding.bundled import BundledEncoder
from convgate.embedding.cache import CACHE_FILE, CachedEncoder

LAYERS = 4
"""Of the six that the bundled encoder has."""

_MODEL = f"{BUNDLED_MODEL}, layer {LAYERS}"
_DTYPE = "float32"  # so that modes are the same on every machine
_PIECES = 254  # word pieces that the model reads at once


def _load(device: str) -> Encoder:
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder, load_model

    verify_bundled_weights()
    model = load_model(str(bundled_folder()), device, _DTYPE)
    transformer: Any = model[0]  # the bundled model is a BERT
    layers = transformer.auto_model.encoder.layer
    transformer.auto_model.encoder.layer = layers[:LAYERS]
    return SentenceTransformerEncoder(
        model, name=_MODEL, revision=BUNDLED_SHA256, dtype=_DTYPE, max_pieces=_PIECES
    )


def state_encoder(settings: Settings) -> Encoder:
    """Return the encoder with a cache in the settings' home."""
    return CachedEncoder(_states(settings.device), settings.home / CACHE_FILE)


@functools.cache
def _states(device: str) -> Encoder:
    """Return the encoder that modes and statements share: the mean state, as a unit vector."""
    return BundledEncoder(functools.partial(_load, device), _DTYPE, model=_MODEL, max_pieces=_PIECES)
