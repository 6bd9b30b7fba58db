"""The real encoder: any sentence-transformers model, by default the bundled MiniLM."""

from __future__ import annotations

import copy
import hashlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from transformers.utils import logging as transformers_logging

from convgate.core.bundled_encoder import BUNDLED_MODEL, bundled_folder, verify_bundled_weights
from convgate.core.errors import EncoderError
from convgate.core.text import truncate
from convgate.embedding import chunks
from convgate.embedding.base import ChunkCount, Embeddings, EncoderIdentity, Progress, check_embeddings
from convgate.embedding.precision import AUTO, resolve_dtype

_CPU_BATCH = 1_024  # word pieces; the states of more than that leave the processor's cache
_GPU_BATCH = 16_384
_REPORT_EVERY = 256  # texts between two progress reports


_LOADING = threading.Lock()  # while transformers loads a model, torch's default number format is the model's


def load_model(source: str, device: str, dtype: str) -> SentenceTransformer:
    """Return the model of that name or folder, from this disk; raises what SentenceTransformer raises."""
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # it loads in a blink
    with _LOADING:
        return SentenceTransformer(
            source, device=device, local_files_only=True, model_kwargs={"dtype": dtype}
        )


class SentenceTransformerEncoder:
    """Encodes text with a sentence-transformers model, passage by passage.

    A passage has whole sentences and at most PASSAGE_PIECES word pieces; the vector of a text is the mean of
    its passages' vectors, weighted by their lengths and normalised. Of a text with more than MAX_CHUNKS
    passages so many are encoded, spread evenly from the first to the last.
    """

    def __init__(
        self, model: SentenceTransformer, *, name: str, revision: str, dtype: str = "float32"
    ) -> None:
        self._model = model
        self._tokenizer = _untruncated(model)
        longest = (model.max_seq_length or 512) - 2  # room for [CLS] and [SEP]; infinite in a static model
        self._max_pieces = int(max(8, min(longest, chunks.PASSAGE_PIECES)))
        self._batch = _CPU_BATCH if model.device.type == "cpu" else _GPU_BATCH
        dimension = model.get_embedding_dimension()
        if dimension is None:
            raise EncoderError(f"the encoder {name} does not say how many dimensions its vectors have")
        self._identity = EncoderIdentity(
            model=name,
            revision=revision,
            dtype=dtype,
            chunking=chunks.describe(self._max_pieces),
            prefix="",
            dimension=int(dimension),
        )

    @classmethod
    def load(
        cls, name: str = BUNDLED_MODEL, *, device: str = "cpu", dtype: str = AUTO
    ) -> SentenceTransformerEncoder:
        """Return the encoder of that name (bundled, on this disk, or in the local hub cache) or folder.

        `dtype` is "float32", "bfloat16" or "auto", which is the faster of both on this device. Nothing is
        downloaded. Raises EncoderError when the model is missing or its weights are damaged.
        """
        bundled = name == BUNDLED_MODEL
        revision = verify_bundled_weights() if bundled else ""
        source = str(bundled_folder()) if bundled else name
        dtype = resolve_dtype(dtype, device)
        try:
            model = load_model(source, device, dtype)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            hint = "" if Path(name).exists() else " (it is not on this machine)"
            reason = truncate(str(error).strip().partition("\n")[0], 200)
            raise EncoderError(f"the encoder {name} cannot be loaded{hint}: {reason}") from error
        return cls(model, name=name, revision=revision or _revision(model, source), dtype=dtype)

    @property
    def identity(self) -> EncoderIdentity:
        """What this encoder is, for cache keys and gate files."""
        return self._identity

    def count_chunks(self, text: str) -> ChunkCount:
        """Count the chunks of the text: more than one when the model cannot read it at once."""
        return chunks.count(text, self._tokenizer, self._max_pieces)

    def split_passages(self, text: str) -> list[str]:
        """Return the passages of a text, in order."""
        return chunks.split([text], self._tokenizer, self._max_pieces).texts

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """Return (len(texts), d) float32, rows L2-normalised, in the given order; a zero row for blank text.

        A text that comes several times is encoded once.
        """
        return chunks.text_vectors(self.encode_passages(texts, progress=progress), self._identity.dimension)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """Return for each text the (p, d) vectors of its passages, as `Encoder` says."""
        # Longest first, so that batches hold texts of like length and an out-of-memory shows at once.
        distinct = sorted(dict.fromkeys(text for text in texts if text.strip()), key=len, reverse=True)
        blank = np.zeros((1, self._identity.dimension), dtype=np.float32)
        passages: dict[str, Embeddings] = {}
        for start in range(0, len(distinct), _REPORT_EVERY):
            some = distinct[start : start + _REPORT_EVERY]
            passages |= zip(some, self._encode_some(some), strict=True)
            if progress:
                progress(start + len(some), len(distinct))
        return [passages.get(text, blank) for text in texts]

    def _encode_some(self, texts: list[str]) -> list[Embeddings]:
        pieces = chunks.split(texts, self._tokenizer, self._max_pieces)
        vectors = np.empty((len(pieces.texts), self._identity.dimension), dtype=np.float32)
        for batch in chunks.batches(pieces, self._batch):
            texts = [pieces.texts[i] for i in batch]
            vectors[batch] = self._model.encode(texts, batch_size=len(texts), show_progress_bar=False)
        check_embeddings(vectors, dimension=self._identity.dimension, source=self._identity.model)
        return chunks.weigh(vectors, pieces)


def _untruncated(model: SentenceTransformer) -> Any:
    tokenizer = getattr(model.tokenizer, "backend_tokenizer", model.tokenizer)
    if not isinstance(tokenizer, Tokenizer):
        raise EncoderError("the encoder has no fast tokenizer, so long text cannot be split for it")
    tokenizer = copy.deepcopy(tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _revision(model: SentenceTransformer, source: str) -> str:
    """Return the hub's commit, or for a folder the hash of its weight files."""
    config = getattr(getattr(model[0], "auto_model", None), "config", None)  # none in a static model
    commit = getattr(config, "_commit_hash", None)
    if commit:
        return str(commit)
    digest = hashlib.sha256()
    folder = Path(source)
    weights = sorted([*folder.rglob("*.safetensors"), *folder.rglob("pytorch_model*.bin")])
    if not weights:
        raise EncoderError(
            f"no weights were found in {os.fspath(folder)}, so its vectors cannot be told apart"
        )
    for path in weights:
        with path.open("rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
