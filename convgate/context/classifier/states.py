"""What the classifier reads besides words: the bundled encoder's states after its fourth layer.

The fourth layer represents whether a text is a question, an order or a complaint better than the last.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

from convgate.core.bundled_encoder import (
    BUNDLED_MODEL,
    BUNDLED_SHA256,
    bundled_folder,
    verify_bundled_weights,
)
from convgate.core.settings import Settings
from convgate.embedding.base import ChunkCount, Embeddings, Encoder, EncoderIdentity, Progress
from convgate.embedding.cache import CACHE_FILE, CachedEncoder
from convgate.embedding.chunks import describe

LAYERS = 4
"""Of the six that the bundled encoder has."""

_PIECES = 254  # word pieces that the model reads at once


class StateEncoder:
    """Mean state after the fourth layer, as a unit vector; the model is loaded when a text first needs it."""

    def __init__(self, *, device: str = "cpu") -> None:
        self._device = device
        self._loaded: Encoder | None = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> EncoderIdentity:
        """The bundled model, cut off; always in float32, so that modes are the same on every machine."""
        return EncoderIdentity(
            model=f"{BUNDLED_MODEL}, layer {LAYERS}",
            revision=BUNDLED_SHA256,
            dtype="float32",
            chunking=describe(_PIECES),
            prefix="",
            dimension=384,
        )

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), 384) float32, rows L2-normalised; blank text gives a zero row."""
        return self._encoder().encode(texts, progress=progress)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the vectors of its passages, as `Encoder` says."""
        return self._encoder().encode_passages(texts, progress=progress)

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return self._encoder().split_passages(text)

    def count_chunks(self, text: str) -> ChunkCount:
        """Return the number of chunks of a text."""
        return self._encoder().count_chunks(text)

    def _encoder(self) -> Encoder:
        with self._lock:
            self._loaded = self._loaded or self._load()
            return self._loaded

    def _load(self) -> Encoder:
        from convgate.embedding.sentence_transformer import SentenceTransformerEncoder, load_model

        identity = self.identity
        verify_bundled_weights()
        model = load_model(str(bundled_folder()), self._device, identity.dtype)
        transformer: Any = model[0]  # the bundled model is a BERT
        layers = transformer.auto_model.encoder.layer
        transformer.auto_model.encoder.layer = layers[:LAYERS]
        return SentenceTransformerEncoder(
            model, name=identity.model, revision=identity.revision, dtype=identity.dtype, max_pieces=_PIECES
        )


def state_encoder(settings: Settings) -> Encoder:
    """Return the encoder with a cache in the settings' home."""
    return CachedEncoder(_states(settings.device), settings.home / CACHE_FILE)


@functools.cache
def _states(device: str) -> StateEncoder:
    """Return the encoder that modes and statements share, so that the model is loaded once."""
    return StateEncoder(device=device)
