"""The bundled encoder, loaded when a text first needs it: what is in the cache needs no model."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import cache

from tokenizers import Tokenizer

from convgate.core.bundled_encoder import (
    BUNDLED_MODEL,
    BUNDLED_SHA256,
    bundled_folder,
    verify_bundled_weights,
)
from convgate.embedding import chunks
from convgate.embedding.base import ChunkCount, Embeddings, Encoder, EncoderIdentity, Progress


class BundledEncoder:
    """The bundled model, or a part of it that `model` names, which `load` returns. Thread-safe.

    Methods that need the model raise the errors of loading.
    """

    def __init__(
        self,
        load: Callable[[], Encoder],
        dtype: str,
        *,
        model: str = BUNDLED_MODEL,
        max_pieces: int = chunks.PASSAGE_PIECES,
    ) -> None:
        chunking = chunks.describe(max_pieces)
        self.identity = EncoderIdentity(model, BUNDLED_SHA256, dtype, chunking, prefix="", dimension=384)
        self._load, self._max_pieces = load, max_pieces
        self._loaded: Encoder | None = None
        self._lock = threading.Lock()

    def load(self) -> Encoder:
        """Return the loaded encoder."""
        with self._lock:
            self._loaded = self._loaded or self._load()
            return self._loaded

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), d) float32, rows L2-normalised; blank text gives a zero row."""
        return self.load().encode(texts, progress=progress)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the vectors of its passages, as `Encoder` says."""
        return self.load().encode_passages(texts, progress=progress)

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return chunks.split([text], _tokenizer(), self._max_pieces).texts

    def count_chunks(self, text: str) -> ChunkCount:
        """Return the number of chunks of a text."""
        return chunks.count(text, _tokenizer(), self._max_pieces)


@cache
def _tokenizer() -> Tokenizer:
    verify_bundled_weights()
    tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
