"""Splitting text that is longer than an encoder reads, at a bounded cost for each text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from convgate.embedding.base import ChunkCount, Embeddings

MAX_CHUNKS = 32
"""Chunks of a text that are encoded; with 256 word pieces each, about 30,000 characters of prose."""

MAX_CHARACTERS = MAX_CHUNKS * 4_096
"""Characters of a text that are tokenized: longer text is sampled in MAX_CHUNKS places first."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """Pieces of several texts in one flat list; text i owns `texts[starts[i]:starts[i + 1]]`."""

    texts: list[str]
    sizes: list[int]  # word pieces of each, but for one more or less where a word was cut
    starts: list[int]  # (number of source texts + 1,)


def describe(max_pieces: int) -> str:
    """What an encoder's identity says of the splitting."""
    return f"length-weighted mean of {max_pieces}-piece chunks, at most {MAX_CHUNKS}"


def count(text: str, tokenizer: Any, max_pieces: int) -> ChunkCount:
    """The chunks that `split` makes of the text, and those that it would have without the limits."""
    if len(text) <= max_pieces:  # word pieces never outnumber characters
        return ChunkCount(1, 1)
    sample = _sample(text)
    (pieces,) = tokenizer.encode_batch([sample], add_special_tokens=False)
    found = len(_firsts(len(pieces), max_pieces))
    return ChunkCount(min(found, MAX_CHUNKS), round(found * len(text) / len(sample)))


def split(texts: Sequence[str], tokenizer: Any, max_pieces: int) -> Chunks:
    """Cut every text at word-piece boundaries into chunks of at most `max_pieces` pieces each.

    Of more than MAX_CHUNKS chunks those are given that are spread evenly, the first and the last included.
    """
    chunks = Chunks([], [], [0])
    texts = [_sample(text) for text in texts]
    encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
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
    firsts = _firsts(len(pieces), max_pieces)
    if len(firsts) == 1:
        return [(text, len(pieces))]
    offsets = pieces.offsets
    bounds = [0, *(offsets[first][0] for first in firsts[1:]), len(text)]
    sizes = [min(firsts.step, len(pieces) - first) for first in firsts]
    parts = [(text[start:end], size) for (start, end), size in zip(pairwise(bounds), sizes, strict=True)]
    if len(parts) > MAX_CHUNKS:
        parts = [parts[i] for i in _spread(len(parts) - 1)]
    return [(part, size) for part, size in parts if part.strip()]


def _firsts(n_pieces: int, max_pieces: int) -> range:
    """The word piece with which each chunk begins."""
    if n_pieces <= max_pieces:
        return range(1)
    # A fraction of the limit is left free: cutting inside a word can add pieces at the seam.
    return range(0, n_pieces, max(1, max_pieces - 4))


def _sample(text: str) -> str:
    """The text, or MAX_CHARACTERS of it in MAX_CHUNKS passages that are spread evenly."""
    if len(text) <= MAX_CHARACTERS:
        return text
    size = MAX_CHARACTERS // MAX_CHUNKS
    return " ".join(text[start : start + size] for start in _spread(len(text) - size))


def _spread(last: int) -> list[int]:
    """MAX_CHUNKS whole numbers from 0 to `last`, evenly spread."""
    return [i * last // (MAX_CHUNKS - 1) for i in range(MAX_CHUNKS)]
