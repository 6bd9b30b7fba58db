"""Timing a real page without a browser: a library and an encoder that stand for a person's."""

from __future__ import annotations

import hashlib
import logging
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer

from convgate.app_files import app_root
from convgate.bundled import bundled_folder
from convgate.conversation import Conversation, Turn
from convgate.embedding.base import ChunkCount, Embeddings, EncoderIdentity, Progress
from convgate.embedding.chunks import PASSAGE_PIECES, count
from convgate.errors import ConvgateError
from convgate.settings import load_settings
from convgate.store import Store
from convgate.ui import services
from convgate.versions.catalog import Versions

_NO_BROWSER = ("streamlit.runtime.scriptrunner_utils.script_run_context",)
_WORDS = (
    "invoice",
    "router",
    "parcel",
    "the",
    "is",
    "late",
    "again",
    "why",
    "refund",
    "on",
    "Monday",
    "thanks",
)


@dataclass(frozen=True)
class Bench:
    """A library of its own, and the app's first page."""

    store: Store
    encoder: StandIn
    page: AppTest


@contextmanager
def bench() -> Iterator[Bench]:
    """A place to time pages in; nothing of it is left afterwards."""
    with (
        TemporaryDirectory(prefix="convgate-bench-") as home,
        patch.dict(os.environ, {"CONVGATE_HOME": home}),
        _without_warnings(),
    ):
        versions = Versions(Path(home))
        active = versions.get(versions.active) if versions.active else None
        encoder = StandIn(active.config.encoder if active else None)
        with patch.object(services, "encoder", lambda *_: encoder):
            page = AppTest.from_file(str(app_root() / "app.py"), default_timeout=120).run()
            yield Bench(Store(load_settings().database), encoder, page)


def timed(page: AppTest) -> float:
    """Seconds of the page's next run; ConvgateError when it fails."""
    start = time.perf_counter()
    page.run()
    seconds = time.perf_counter() - start
    if page.exception or page.error:
        raise ConvgateError(f"the page failed: {[*page.exception, *page.error][0].value}")
    return seconds


def long_talk(turns: int, seed: int = 0) -> Conversation:
    """A conversation of that many turns of usual lengths; another seed gives other texts."""
    random = np.random.default_rng(seed)
    lengths = [int(random.integers(5, 60) if i % 10 else random.integers(200, 600)) for i in range(turns)]
    texts = [" ".join(random.choice(_WORDS, length)) for length in lengths]
    said = [Turn.of("assistant" if i % 2 else "user", f"{i}: {text}") for i, text in enumerate(texts)]
    return Conversation(id="bench", turns=tuple(said))


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Streamlit warns on stderr, many times, that there is no browser; that is how it is meant here."""
    levels = {name: logging.getLogger(name).level for name in _NO_BROWSER}
    try:
        for name in levels:
            logging.getLogger(name).setLevel(logging.ERROR)
        yield
    finally:
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class StandIn:
    """An encoder that gives random unit vectors, always the same for the same text, and counts its texts.

    Reading long texts costs what it costs.
    """

    def __init__(self, identity: EncoderIdentity | None) -> None:
        self.identity = identity or EncoderIdentity("stand-in", "1", "float32", "none", "", 384)
        self.texts = 0
        self._tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
        self._tokenizer.no_truncation()

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        """One vector a text."""
        self.texts += len(texts)
        rows = np.empty((len(texts), self.identity.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            rows[row] = np.random.default_rng(seed).standard_normal(self.identity.dimension)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def encode_passages(self, texts: Sequence[str], *, progress: Progress | None = None) -> list[Embeddings]:
        """One passage a text."""
        return [row[None] for row in self.encode(texts, progress=progress)]

    def split_passages(self, text: str) -> list[str]:
        """The text alone."""
        return [text]

    def count_chunks(self, text: str) -> ChunkCount:
        """The chunks that the bundled encoder would split it into."""
        return count(text, self._tokenizer, PASSAGE_PIECES)
