"""Encoders turn texts into unit vectors; the cache has the interface of the encoder it wraps."""

from __future__ import annotations

from convgate.embedding.base import ChunkCount, Embeddings, Encoder, EncoderIdentity
from convgate.embedding.cache import default_encoder

__all__ = ["ChunkCount", "Embeddings", "Encoder", "EncoderIdentity", "default_encoder"]
