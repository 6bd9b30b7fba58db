"""Fake encoders that record their calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from convgate.embedding.base import ChunkCount, Embeddings, EncoderIdentity, Progress
from convgate.embedding.chunks import MAX_CHUNKS
from convgate.embedding.spans import unmark_spans


class FakeEncoder:
    """Texts that share words get similar vectors; the same text always gets the same one.

    A text is the sum of one random direction for each of its words, so that the cosine of two texts is
    close to the share of words they have in common. `calls` and `texts` tell what was asked for.
    """

    def __init__(
        self, dimension: int = 384, *, model: str = "fake-words", revision: str = "1", longest: int = 256
    ) -> None:
        self._identity = EncoderIdentity(model, revision, "float32", "none", "", dimension)
        self._longest = longest  # words
        self.calls: list[list[str]] = []

    @property
    def identity(self) -> EncoderIdentity:
        return self._identity

    @property
    def texts(self) -> list[str]:
        """Every text that was encoded, in order, repeats included."""
        return [text for call in self.calls for text in call]

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        self.calls.append(list(texts))
        rows = np.zeros((len(texts), self.identity.dimension), dtype=np.float32)
        for index, text in enumerate(texts):
            rows[index] = self._vector(text)
            if progress:
                progress(index + 1, len(texts))
        return rows

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        return [row[None] for row in self.encode(texts, progress=progress)]

    def split_passages(self, text: str) -> list[str]:
        return [text]

    def count_chunks(self, text: str) -> ChunkCount:
        total = max(1, -(-len(_words(text)) // self._longest))
        return ChunkCount(min(total, MAX_CHUNKS), total)

    def _vector(self, text: str) -> NDArray[np.float32]:
        key = f"{self.identity.model}@{self.identity.revision}"
        total = np.zeros(self.identity.dimension, dtype=np.float32)
        for word in _words(text):
            total += _direction(key, word, self.identity.dimension)
        length = float(np.linalg.norm(total))
        return total / length if length else total


class FakeSpanEncoder(FakeEncoder):
    """The same for the spans of texts (`mark_spans`), all in one call."""

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        parts = [[text[slice(*span)] for span in spans] for text, spans in map(unmark_spans, texts)]
        rows = iter(self.encode([part for spans in parts for part in spans], progress=progress))
        return [np.array([next(rows) for _ in spans]) for spans in parts]


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower()) or ([text] if text.strip() else [])


@lru_cache(maxsize=20_000)
def _direction(key: str, word: str, dimension: int) -> NDArray[np.float32]:
    seed = int.from_bytes(hashlib.sha256(f"{key}\0{word}".encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(dimension).astype(np.float32)
    return np.asarray(vector / np.linalg.norm(vector), dtype=np.float32)
