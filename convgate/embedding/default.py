"""The encoder that is used unless another is named: bundled weights behind the persistent cache."""

from __future__ import annotations

from pathlib import Path

from convgate.core.bundled_encoder import BUNDLED_MODEL
from convgate.embedding.base import Encoder
from convgate.embedding.cache import CACHE_FILE, CachedEncoder
from convgate.embedding.packaged import PACKAGED_VECTORS


def default_encoder(
    name: str = BUNDLED_MODEL, *, home: Path | None = None, device: str = "cpu", dtype: str = "auto"
) -> Encoder:
    """The named encoder (a sentence-transformers model, or its folder) with its cache in `home`.

    `home` None keeps vectors in memory only. `dtype` is "float32", "bfloat16" or "auto", which is the faster
    of both on this device. Raises EncoderError when the model cannot be loaded.
    """
    from convgate.embedding.sentence_transformer import SentenceTransformerEncoder

    encoder = SentenceTransformerEncoder.load(name, device=device, dtype=dtype)
    path = home / CACHE_FILE if home else None
    return CachedEncoder(encoder, path, packaged=PACKAGED_VECTORS)
