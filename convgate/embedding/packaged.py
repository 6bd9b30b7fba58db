"""Vectors that ship with convgate: those of the sample conversations, so that they open at once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from convgate.embedding.base import Embeddings, EncoderIdentity

PACKAGED_VECTORS = Path(__file__).with_name("sample_vectors.npz")


def write_vectors(path: Path, identity: EncoderIdentity, vectors: Mapping[bytes, Embeddings]) -> None:
    """Write the (p, d) vectors of the passages of each text, by its content hash, as float16."""
    np.savez_compressed(
        path,
        encoder=np.array([identity.model, identity.revision, identity.chunking, identity.prefix]),
        hashes=np.frombuffer(b"".join(vectors), np.uint8).reshape(-1, 16),
        n_passages=np.array([len(rows) for rows in vectors.values()]),
        vectors=np.concatenate(list(vectors.values())).astype(np.float16),
    )


def read_vectors(path: Path, identity: EncoderIdentity) -> dict[bytes, Embeddings]:
    """Return the (p, d) float32 vectors by content hash; empty when another encoder made them.

    Raises OSError when the file cannot be read.
    """
    with np.load(path) as arrays:
        encoder = [identity.model, identity.revision, identity.chunking, identity.prefix]
        if arrays["encoder"].tolist() != encoder:
            return {}
        ends = np.cumsum(arrays["n_passages"])[:-1]
        parts = np.split(arrays["vectors"].astype(np.float32), ends)
        return {hash.tobytes(): rows for hash, rows in zip(arrays["hashes"], parts, strict=True)}
