"""The bundled encoder, loaded when a text first needs it: what is in the cache needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from convgate.core.bundled_encoder import BUNDLED_MODEL, BUNDLED_SHA256
from convgate.embedding import chunks
from convgate.embedding.base import ChunkCount, Embeddings, EncoderIdentity, Progress
from convgate.embedding.spans import STATE_LAYERS, passage_tokenizer

Output = Literal["vectors", "states", "span states"]
_STATES = f"{BUNDLED_MODEL}, layer {STATE_LAYERS}"
_MODELS: dict[Output, str] = {
    "vectors": BUNDLED_MODEL, "states": _STATES, "span states": f"{_STATES}, of spans"
}  # fmt: skip

OUTPUTS = tuple(_MODELS)
"""What the model gives of a text, in the order of `MiniLM.encode`."""


class BundledEncoder:
    """The bundled model on the processor, or its states after the fourth layer. Thread-safe.

    For "span states" texts are given with spans (`mark_spans`), which take the place of passages: each has
    the mean state of its word pieces, read as part of the text, with norm 1.

    Methods that need the model raise EncoderError when its weights are missing or damaged.
    """

    def __init__(self, output: Output = "vectors") -> None:
        self.output = output
        self.identity = EncoderIdentity(
            model=_MODELS[output],
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

        asked = [texts if output == self.output else () for output in OUTPUTS]
        return load_minilm().encode(*asked, progress=progress)[OUTPUTS.index(self.output)]

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return chunks.split([text], passage_tokenizer(), chunks.PASSAGE_PIECES).texts

    def count_chunks(self, text: str) -> ChunkCount:
        """Return the number of chunks of a text."""
        return chunks.count(text, passage_tokenizer(), chunks.PASSAGE_PIECES)
