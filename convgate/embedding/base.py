"""What an encoder is: the real one, the cache in front of it and the tests' fake share this shape."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import with_config

from convgate.core.errors import EncoderError
from convgate.core.validation import STORED, Text

Embeddings = NDArray[np.float32]

DTYPES = ("float32", "bfloat16")
"""Number formats that an encoder computes in."""

_INTERCHANGEABLE = frozenset({"float32", "bfloat16"})  # cosine above .995 between vectors of one text


@with_config(STORED)
@dataclass(frozen=True, slots=True)
class EncoderIdentity:
    """Everything besides the text that changes a vector; the cache key and a gate's files hold it."""

    model: Text
    revision: Text  # a hash of the weights, or the revision that a hub gave
    dtype: Text
    chunking: Text  # how text longer than the model reads is split, such as "mean of 256-piece chunks"
    prefix: Text  # text put in front of every input
    dimension: int

    def __str__(self) -> str:
        return f"{self.model}@{self.revision[:12]} ({self.dimension} dimensions)"

    def differences(self, other: EncoderIdentity) -> list[str]:
        """Return the fields for which a gate made for one cannot read the other's vectors; empty if it can.

        float32 and bfloat16 are no difference: each processor computes in what is fast on it, and the
        vectors agree. The cache, which gives back exactly what was put in, keeps them apart all the same.

        >>> one = EncoderIdentity("minilm", "abc", "float32", "none", "", 384)
        >>> one.differences(EncoderIdentity("minilm", "def", "bfloat16", "none", "query: ", 384))
        ['revision', 'prefix']
        """
        ignored = "dtype" if {self.dtype, other.dtype} <= _INTERCHANGEABLE else ""
        names = [field.name for field in fields(self) if field.name != ignored]
        return [name for name in names if getattr(self, name) != getattr(other, name)]


@dataclass(frozen=True, slots=True)
class ChunkCount:
    """How many chunks a text has, and of how many its vector is made."""

    encoded: int
    total: int  # an estimate where the text is too long to be tokenized as a whole


class Progress(Protocol):
    """Called as texts are encoded: how many are done, of how many."""

    def __call__(self, done: int, total: int, /) -> Any:
        """Report progress."""
        ...


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def identity(self) -> EncoderIdentity:
        """What this encoder is, for cache keys and gate files."""
        ...

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), d) float32, rows L2-normalised, in the given order; a zero row for blank text.

        Raises EncoderError when a vector is NaN or infinite.
        """
        ...

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the (p, d) float32 vectors of its passages, p ≥ 1; see `split_passages`.

        The norm of a row is the passage's share of the text, and the sum of the rows points where `encode`
        does. Blank text gives one zero row. Raises EncoderError when a vector is NaN or infinite.
        """
        ...

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        ...

    def count_chunks(self, text: str) -> ChunkCount:
        """Count the chunks of the text: more than one when the model cannot read it at once."""
        ...


def check_embeddings(vectors: Embeddings, *, dimension: int, source: str) -> Embeddings:
    """Return the vectors if finite and (n, dimension); else raise EncoderError naming the first bad row.

    >>> check_embeddings(np.array([[1.0, np.nan]], dtype=np.float32), dimension=2, source="demo")
    Traceback (most recent call last):
    convgate.core.errors.EncoderError: demo gave a NaN or infinite vector for text 0
    """
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise EncoderError(f"{source} gave vectors of shape {vectors.shape}, expected (n, {dimension})")
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise EncoderError(f"{source} gave a NaN or infinite vector for text {int(np.argmin(finite))}")
    return vectors
