"""The bundled encoder, loaded when a text first needs it: what is in the cache needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from convgate.core.bundled_encoder import BUNDLED_MODEL, BUNDLED_SHA256, bundled_folder
from convgate.embedding import chunks
from convgate.embedding.base import ChunkCount, Embeddings, EncoderIdentity, Progress

if TYPE_CHECKING:
    from tokenizers import Tokenizer

STATE_LAYERS = 4
"""Layers below the states, of six."""


class BundledEncoder:
    """The bundled model on the processor; `is_states`: its states after the fourth layer. Thread-safe.

    Methods that need the model raise EncoderError when its weights are missing or damaged.
    """

    def __init__(self, *, is_states: bool = False) -> None:
        self.is_states = is_states
        self.identity = EncoderIdentity(
            model=f"{BUNDLED_MODEL}, layer {STATE_LAYERS}" if is_states else BUNDLED_MODEL,
            revision=BUNDLED_SHA256,
            dtype="float32",
            chunking=chunks.describe(chunks.PASSAGE_PIECES),
            prefix="",
            dimension=384,
        )

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), d) float32, rows L2-normalised; blank text gives a zero row."""
        return chunks.text_vectors(self.encode_passages(texts, progress=progress), self.identity.dimension)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the vectors of its passages, as `Encoder` says."""
        from convgate.embedding.minilm import load_minilm

        if self.is_states:
            return load_minilm().encode((), texts, progress=progress)[1]
        return load_minilm().encode(texts, progress=progress)[0]

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return chunks.split([text], passage_tokenizer(), chunks.PASSAGE_PIECES).texts

    def count_chunks(self, text: str) -> ChunkCount:
        """Return the number of chunks of a text."""
        return chunks.count(text, passage_tokenizer(), chunks.PASSAGE_PIECES)


@cache
def passage_tokenizer() -> Tokenizer:
    """Return the model's tokenizer for text of any length."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
