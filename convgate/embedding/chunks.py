"""Splitting text that is longer than an encoder reads, without losing any of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from convgate.embedding.base import Embeddings


@dataclass(frozen=True, slots=True)
class Chunks:
    """Pieces of several texts in one flat list; text i owns `texts[starts[i]:starts[i + 1]]`."""

    texts: list[str]
    starts: list[int]  # (number of source texts + 1,)


def is_longer(text: str, tokenizer: Any, max_pieces: int) -> bool:
    """Whether the text has more than `max_pieces` word pieces, which never outnumber its characters."""
    if len(text) <= max_pieces:
        return False
    return len(_offsets(text, tokenizer)) > max_pieces


def split(texts: Sequence[str], tokenizer: Any, max_pieces: int) -> Chunks:
    """Cut every text at word-piece boundaries into chunks of at most `max_pieces` pieces each."""
    chunks, starts = [], [0]
    for text in texts:
        chunks.extend(_split_one(text, tokenizer, max_pieces))
        starts.append(len(chunks))
    return Chunks(chunks, starts)


def merge(vectors: Embeddings, chunks: Chunks) -> Embeddings:
    """(number of source texts, d): the mean of each text's chunk vectors, weighted by chunk length."""
    lengths = np.array([len(text) for text in chunks.texts], dtype=np.float32)
    merged = np.add.reduceat(vectors * lengths[:, None], chunks.starts[:-1], axis=0)
    return np.asarray(merged / np.linalg.norm(merged, axis=1, keepdims=True).clip(1e-12), dtype=np.float32)


def _split_one(text: str, tokenizer: Any, max_pieces: int) -> list[str]:
    if len(text) <= max_pieces:
        return [text]
    offsets = _offsets(text, tokenizer)
    if len(offsets) <= max_pieces:
        return [text]
    # A fraction of the limit is left free: cutting inside a word can add pieces at the seam.
    step = max(1, max_pieces - 4)
    cuts = [offsets[i][0] for i in range(step, len(offsets), step)]
    bounds = [0, *cuts, len(text)]
    return [text[a:b] for a, b in pairwise(bounds) if text[a:b].strip()]


def _offsets(text: str, tokenizer: Any) -> list[tuple[int, int]]:
    offsets: list[tuple[int, int]] = tokenizer.encode(text, add_special_tokens=False).offsets
    return offsets
