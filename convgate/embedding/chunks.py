"""Splitting text that is longer than an encoder reads, without losing any of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from convgate.embedding.base import Embeddings


@dataclass(frozen=True, slots=True)
class Chunks:
    """Pieces of several texts in one flat list; text i owns `texts[starts[i]:starts[i + 1]]`."""

    texts: list[str]
    sizes: list[int]  # word pieces of each, but for one more or less where a word was cut
    starts: list[int]  # (number of source texts + 1,)


def is_longer(text: str, tokenizer: Any, max_pieces: int) -> bool:
    """Whether the text has more than `max_pieces` word pieces, which never outnumber its characters."""
    if len(text) <= max_pieces:
        return False
    return len(tokenizer.encode(text, add_special_tokens=False)) > max_pieces


def split(texts: Sequence[str], tokenizer: Any, max_pieces: int) -> Chunks:
    """Cut every text at word-piece boundaries into chunks of at most `max_pieces` pieces each."""
    chunks = Chunks([], [], [0])
    encoded = tokenizer.encode_batch(list(texts), add_special_tokens=False)
    for text, pieces in zip(texts, encoded, strict=True):
        for part, size in _cut(text, pieces, max_pieces):
            chunks.texts.append(part)
            chunks.sizes.append(size)
        chunks.starts.append(len(chunks.texts))
    return chunks


def batches(chunks: Chunks, most: int) -> Iterator[list[int]]:
    """Indices of chunks to be encoded together, longest first, every chunk once.

    A batch is padded to its longest chunk and then has at most `most` word pieces, unless one chunk alone
    has more.
    """
    order = sorted(range(len(chunks.texts)), key=lambda i: -chunks.sizes[i])
    while order:
        count = max(1, most // max(1, chunks.sizes[order[0]]))
        yield order[:count]
        order = order[count:]


def merge(vectors: Embeddings, chunks: Chunks) -> Embeddings:
    """(number of source texts, d): the mean of each text's chunk vectors, weighted by chunk length."""
    lengths = np.array([len(text) for text in chunks.texts], dtype=np.float32)
    merged = np.add.reduceat(vectors * lengths[:, None], chunks.starts[:-1], axis=0)
    return np.asarray(merged / np.linalg.norm(merged, axis=1, keepdims=True).clip(1e-12), dtype=np.float32)


def _cut(text: str, pieces: Any, max_pieces: int) -> list[tuple[str, int]]:
    """Parts of the text with their sizes."""
    if len(pieces) <= max_pieces:
        return [(text, len(pieces))]
    # A fraction of the limit is left free: cutting inside a word can add pieces at the seam.
    step = max(1, max_pieces - 4)
    offsets, firsts = pieces.offsets, range(0, len(pieces), step)
    bounds = [0, *(offsets[first][0] for first in firsts[1:]), len(text)]
    sizes = [min(step, len(pieces) - first) for first in firsts]
    parts = [(text[start:end], size) for (start, end), size in zip(pairwise(bounds), sizes, strict=True)]
    return [(part, size) for part, size in parts if part.strip()]
