"""How long the server needs when a slider moves, measured on the real page without a browser."""

from __future__ import annotations

import hashlib
import logging
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import numpy as np
from streamlit.testing.v1 import AppTest
from tokenizers import Tokenizer

from convgate.app_files import app_root
from convgate.bundled import bundled_folder
from convgate.conversation import Conversation, Turn
from convgate.embedding.base import Embeddings, EncoderIdentity, Progress
from convgate.embedding.chunks import is_longer
from convgate.errors import ConvgateError
from convgate.gate.thresholds import Stricter
from convgate.settings import load_settings
from convgate.store import Conversations, NewConversation, Store
from convgate.ui import services
from convgate.ui.explore.further import SHOW, VIEWS
from convgate.ui.explore.rules import COMPARE
from convgate.ui.navigation import EXPLORE
from convgate.versions.catalog import Versions

_RULE = Stricter.name
_SLIDER = f"explore.{_RULE}.deviations"
_NO_BROWSER = ("streamlit.runtime.scriptrunner_utils.script_run_context",)
_READ_AT_ONCE = 254  # word pieces, as of the bundled encoder
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


@dataclass(frozen=True, slots=True)
class SliderRerun:
    """Seconds from a slider's move to the end of the page's run."""

    turns: int
    first: float  # the page with everything to be scored, texts already encoded
    median: float
    slowest: float
    views: dict[str, float]  # the median with each of the further views open
    goal: float = 0.3

    @property
    def slowest_view(self) -> str:
        """The further view that a slider waits for longest."""
        return max(self.views, key=lambda name: self.views[name])

    def to_json(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        return asdict(self) | {"slowest_view": self.slowest_view}


def measure_slider_rerun(turns: int = 300, *, rounds: int = 12) -> SliderRerun:
    """Move Explore's slider on a conversation of that many turns, again and again.

    The encoder is a stand-in, for a slider must encode nothing. Raises ConvgateError when the page fails.
    """
    with TemporaryDirectory(prefix="convgate-bench-") as home, _in(Path(home)), _without_warnings():
        (added,) = Conversations(Store(load_settings().database)).add([NewConversation(_talk(turns))])
        versions = Versions(Path(home))
        active = versions.get(versions.active) if versions.active else None
        encoder = _Stand(active.config.encoder if active else None)
        with patch.object(services, "encoder", lambda *_: encoder):
            page = AppTest.from_file(str(app_root() / "app.py"), default_timeout=120).run()
            page.query_params["conversation"] = added.key
            page.query_params["rule"] = _RULE
            page.switch_page(EXPLORE)
            first = _timed(page)
            encoded = encoder.texts
            times = _moves(page, rounds)
            if encoder.texts != encoded:
                raise ConvgateError("moving a slider encoded texts again, which it must not")
            page.selectbox(key=COMPARE).set_value("last_k")
            views = {}
            for name in VIEWS:
                page.button_group(key=SHOW).set_value(name)
                _timed(page)  # what the view makes once
                views[name] = statistics.median(_moves(page, max(2, rounds // 4)))
    return SliderRerun(turns, first, statistics.median(times), max(times), views)


def _moves(page: AppTest, rounds: int) -> list[float]:
    times = []
    for number in range(rounds):
        page.slider(key=_SLIDER).set_value(0.6 + 0.05 * number)
        times.append(_timed(page))
    return times


def _timed(page: AppTest) -> float:
    start = time.perf_counter()
    page.run()
    seconds = time.perf_counter() - start
    if page.exception or page.error:
        raise ConvgateError(f"the page failed: {[*page.exception, *page.error][0].value}")
    return seconds


def _talk(turns: int) -> Conversation:
    random = np.random.default_rng(0)
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


@contextmanager
def _in(home: Path) -> Iterator[None]:
    with patch.dict(os.environ, {"CONVGATE_HOME": str(home)}):
        yield


class _Stand:
    """Random unit vectors, always the same for the same text; long texts cost what they cost."""

    def __init__(self, identity: EncoderIdentity | None) -> None:
        self.identity = identity or EncoderIdentity("stand-in", "1", "float32", "none", "", 384)
        self.texts = 0
        self._tokenizer = Tokenizer.from_file(str(bundled_folder() / "tokenizer.json"))
        self._tokenizer.no_truncation()

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        self.texts += len(texts)
        rows = np.empty((len(texts), self.identity.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
            rows[row] = np.random.default_rng(seed).standard_normal(self.identity.dimension)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)

    def is_chunked(self, text: str) -> bool:
        return is_longer(text, self._tokenizer, _READ_AT_ONCE)
