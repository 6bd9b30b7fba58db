"""Splitting text into passages of a few sentences, at a bounded cost for each text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from convgate.core.text import writable
from convgate.embedding.base import ChunkCount, Embeddings

PASSAGE_PIECES = 64
"""Word pieces of a passage, at most: two or three sentences."""

MAX_CHUNKS = 128
"""Chunks of a text that are encoded; with 64 word pieces each, about 30,000 characters of prose."""

MAX_CHARACTERS = MAX_CHUNKS * 1_024
"""Characters of a text that are tokenized: longer text is sampled in MAX_CHUNKS places first."""

SENTENCE_END = re.compile(r"[.!?][\"')\]]*\s+|[。？！][」』”)]*\s*|\n+")


@dataclass(frozen=True, slots=True)
class Chunks:
    """Pieces of several texts in one flat list; text i owns `texts[starts[i]:starts[i + 1]]`."""

    texts: list[str]
    sizes: list[int]  # word pieces of each, but for one more or less where a word was cut
    starts: list[int]  # (number of source texts + 1,)


def describe(max_pieces: int) -> str:
    """Return the description of the splitting in an encoder's identity."""
    return f"length-weighted mean of chunks of sentences, {max_pieces} pieces, at most {MAX_CHUNKS}"


def count(text: str, tokenizer: Any, max_pieces: int) -> ChunkCount:
    """Return the chunks that `split` makes of the text, and those that it would have without the limits."""
    if len(text) <= max_pieces:  # word pieces never outnumber characters
        return ChunkCount(1, 1)
    sample = _sample(text)
    (pieces,) = tokenizer.encode_batch([sample], add_special_tokens=False)
    n_chunks = len(_firsts(sample, pieces, max_pieces))
    return ChunkCount(min(n_chunks, MAX_CHUNKS), round(n_chunks * len(text) / len(sample)))


def split(texts: Sequence[str], tokenizer: Any, max_pieces: int) -> Chunks:
    """Cut every text into chunks of at most `max_pieces` pieces each, at the ends of sentences if it can.

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


def batches(chunks: Chunks, max_pieces: int, max_padding: int | None = None) -> Iterator[list[int]]:
    """Yield indices of chunks to be encoded together, longest first, every chunk once.

    A batch is padded to its longest chunk, with `max_padding` word pieces at most, and then has at most
    `max_pieces` word pieces, unless one chunk alone has more.
    """
    batch, padding = list[int](), 0
    for index in sorted(range(len(chunks.texts)), key=lambda i: -chunks.sizes[i]):
        longest = chunks.sizes[batch[0] if batch else index]
        padding += longest - chunks.sizes[index]
        is_full = (len(batch) + 1) * longest > max_pieces
        if batch and (is_full or (max_padding is not None and padding > max_padding)):
            yield batch
            batch, padding = [], 0
        batch.append(index)
    if batch:
        yield batch


def weigh(vectors: Embeddings, chunks: Chunks) -> list[Embeddings]:
    """Return for each text the (p, d) vectors of its chunks, each as long as its share of the characters.

    vectors: (number of chunks, d), of any length.
    """
    vectors = unit_rows(vectors)
    lengths = np.array([len(text) for text in chunks.texts], dtype=np.float32)
    weighed = []
    for start, stop in pairwise(chunks.starts):
        shares = lengths[start:stop] / lengths[start:stop].sum()
        weighed.append(vectors[start:stop] * shares[:, None])
    return weighed


def unit_rows(vectors: Embeddings) -> Embeddings:
    """Return (n, d) vectors with length 1; zero rows stay zero."""
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-12), dtype=np.float32)


def text_vectors(texts: Sequence[Embeddings], dimension: int) -> Embeddings:
    """Return the (n, d) unit vectors of texts from the (p, d) weighted vectors of each one's passages.

    Blank text has a zero row.
    """
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    for row, passages in enumerate(texts):
        vectors[row] = passages[0] if len(passages) == 1 else unit_rows(passages.sum(axis=0, keepdims=True))
    return vectors


def _cut(text: str, pieces: Any, max_pieces: int) -> list[tuple[str, int]]:
    """Return parts of the text with their sizes."""
    firsts = _firsts(text, pieces, max_pieces)
    if len(firsts) == 1:
        return [(text, len(pieces))]
    offsets = pieces.offsets
    bounds = [0, *(offsets[first][0] for first in firsts[1:]), len(text)]
    sizes = [stop - start for start, stop in pairwise([*firsts, len(pieces)])]
    parts = [(text[start:end], size) for (start, end), size in zip(pairwise(bounds), sizes, strict=True)]
    if len(parts) > MAX_CHUNKS:
        parts = [parts[i] for i in _spread(len(parts) - 1)]
    return [(part, size) for part, size in parts if part.strip()]


def _firsts(text: str, pieces: Any, max_pieces: int) -> list[int]:
    """Return the word piece with which each chunk begins."""
    n_pieces = len(pieces)
    if n_pieces <= max_pieces:
        return [0]
    # A fraction of the limit is left free: cutting inside a word can add pieces at the seam.
    step = max(1, max_pieces - 4)
    begins = [start for start, _ in pieces.offsets]
    sentences = [bisect_left(begins, end.end()) for end in SENTENCE_END.finditer(text)]
    firsts, place = [0], 0
    while n_pieces - firsts[-1] > step:
        latest = firsts[-1] + step
        place = bisect_left(sentences, latest + 1, lo=place)
        ended = sentences[place - 1] if place else 0
        firsts.append(ended if ended > firsts[-1] else latest)
    return firsts


def _sample(text: str) -> str:
    """Return the text, or MAX_CHARACTERS of it in MAX_CHUNKS passages that are spread evenly."""
    text = writable(text)
    if len(text) <= MAX_CHARACTERS:
        return text
    size = MAX_CHARACTERS // MAX_CHUNKS
    return " ".join(text[start : start + size] for start in _spread(len(text) - size))


def _spread(last: int) -> list[int]:
    """Return MAX_CHUNKS whole numbers from 0 to `last`, evenly spread."""
    return [i * last // (MAX_CHUNKS - 1) for i in range(MAX_CHUNKS)]
