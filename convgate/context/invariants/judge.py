"""Classify statements: which hold from now on, which report an error, which end something."""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from convgate.context.classifier.model import Floats, TextModel
from convgate.context.classifier.model_file import read_model
from convgate.context.classifier.states import state_encoder
from convgate.context.classifier.words import Runs, excerpt, runs_of
from convgate.context.invariants.reading import read
from convgate.context.invariants.scopes import scope_of
from convgate.context.invariants.statement import KINDS, Kind, Statement
from convgate.embedding.base import Embeddings, Encoder
from convgate.gatekeeper.folding import fold
from convgate.settings import Settings

SHIPPED = Path(__file__).parent / "weights" / "kinds.safetensors"
AGAIN = "python -m tools.statement_kinds --write"

MIN_HOLDS = 0.2
"""Probability of the kinds that hold, together, from which a statement is one."""

MIN_OTHER = 0.15
"""Probability from which a statement reports an error, lifts or resolves."""

REMEMBERED = 50_000
"""Statements whose kinds are kept, so that a growing conversation costs only what is new."""


_HOLDS = slice(1, 4)  # of `KINDS`
_RESOLVED = KINDS.index("resolved")
_WORDS = re.compile(r"[a-z]{4,}|\d+")


@dataclass(frozen=True, slots=True)
class Said:
    """A message of the user's, with the assistant's before it."""

    text: str
    before: str | None = None  # None: nothing was said before; "" for an empty answer


Context = tuple[float, ...]


def context_of(before: str | None, text: str, place: int, count: int) -> Context:
    """Return what a statement's context tells beside its words, as features of the classifier.

    before: the assistant's message before it; place: of the statement among the `count` of its message.
    """
    words = set(_WORDS.findall(text.lower()))
    shared = len(words & _words(before)) / max(1, len(words)) if before else 0.0
    one_hot = (
        (before is None, before is not None, bool(before and before.rstrip().endswith("?"))),
        [before is not None and round(3 * shared) == step for step in range(4)],
        [min(place, 2) == step for step in range(3)],
        [min(count, 8).bit_length() == step for step in range(1, 5)],
        [min(len(text).bit_length(), 7) == step for step in range(1, 8)],
    )
    return tuple(_CONTEXT_SCALE * on for part in one_hot for on in part)


_CONTEXT_SCALE = 0.3  # beside the vector, whose norm is 1
UNKNOWN: Context = (0.0,) * len(context_of(None, "", 0, 1))
"""Of a labelled statement that stands alone."""


@lru_cache(1_024)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.lower()))


class _Reading(NamedTuple):
    """The fields of a statement that the classifier gives."""

    kind: Kind = "none"
    likelihood: float = 0.0
    resolves: bool = False
    signs: tuple[str, ...] = ()
    scope: str = ""


_Key = tuple[str, Context]


class KindJudge:
    """Classifies statements; safe to share between threads."""

    def __init__(self, model: TextModel, encoder: Encoder, *, remembered: int = REMEMBERED) -> None:
        self._model, self._encoder, self._capacity = model, encoder, remembered
        self._memory: OrderedDict[_Key, _Reading] = OrderedDict()
        self._lock = threading.Lock()

    def judged(self, messages: Sequence[Said]) -> list[tuple[Statement, ...]]:
        """Return the statements of each message with their kinds."""
        statements = [read(message.text) for message in messages]
        keys = [
            (excerpt(one.text), context_of(message.before, one.text, place, len(parts)))
            for message, parts in zip(messages, statements, strict=True)
            for place, one in enumerate(parts)
        ]
        readings = self._read(keys)
        return [tuple(_classified(one, next(readings)) for one in parts) for parts in statements]

    def _read(self, keys: Sequence[_Key]) -> Iterator[_Reading]:
        with self._lock:
            known = {key: self._memory[key] for key in keys if key in self._memory}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        if new:
            runs = [runs_of(text) for text, _ in new]
            features = features_of(self._encoder.encode([text for text, _ in new]), [at for _, at in new])
            rows = self._model.probabilities(runs, features)
            for key, said, row in zip(new, runs, rows, strict=True):
                known[key] = self._reading(key[0], said, row)
        with self._lock:
            for key in keys:
                self._memory[key] = known[key]
                self._memory.move_to_end(key)
            while len(self._memory) > self._capacity:
                self._memory.popitem(last=False)
        return (known[key] for key in keys)

    def _reading(self, text: str, runs: Runs, row: Floats) -> _Reading:
        """row: (kinds,) probabilities."""
        kind, likelihood = kind_of(row)
        if kind == "none":
            return _Reading()
        signs = self._model.signs(runs, kind)
        resolves = kind == "resolved" or (kind == "blocking_error" and bool(row[_RESOLVED] >= MIN_OTHER))
        return _Reading(kind, likelihood, resolves, signs, _scope(text, signs))


def _classified(one: Statement, reading: _Reading) -> Statement:
    if reading.kind == "none" or (one.quoted and reading.kind != "blocking_error"):
        return one
    return replace(one, **reading._asdict())


def features_of(vectors: Embeddings, contexts: Sequence[Context]) -> Embeddings:
    """Return (n, d + context): what the classifier reads beside n-grams."""
    return np.hstack([vectors, np.array(contexts, dtype=np.float32)])


def kind_of(row: Floats) -> tuple[Kind, float]:
    """Return the kind of a statement and its probability. row: (kinds,) probabilities."""
    holds = float(row[_HOLDS].sum())
    other = 4 + int(np.argmax(row[4:]))
    if holds >= MIN_HOLDS and holds >= row[other]:
        critical = row[1] >= holds / 2
        return KINDS[1 if critical else 2 + int(np.argmax(row[2:4]))], holds
    if row[other] >= MIN_OTHER:
        return KINDS[other], float(row[other])
    return "none", float(row[0])


def load_judge(settings: Settings) -> KindJudge:
    """Return the judge with the shipped weights; its vectors are cached in the settings' home.

    It reads the bundled encoder's states, whatever encoder the gate has. Raises ContextError when the weights
    are missing or damaged.
    """
    return KindJudge(shipped_model(), state_encoder(settings))


@cache
def shipped_model() -> TextModel:
    """Return the weights that come with convgate."""
    return read_model(SHIPPED, KINDS, AGAIN)


def _scope(text: str, signs: Sequence[str]) -> str:
    """Return the subject before one of the signs, the strongest that has one; else what follows the first."""
    folded = fold(text)
    spans = [
        found.span()
        for sign in signs
        if (found := re.search(r"\W+".join(sign.split()).encode(), folded.text))
    ]
    scopes = [(span, scope_of(folded.text, span)) for span in spans or [(0, 0)]]
    first, last = next((scope for span, scope in scopes if scope[0] < span[0]), scopes[0][1])
    begin, stop = folded.span(first, last)
    return text[begin:stop] if first < last else ""
