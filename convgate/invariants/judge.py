"""Classify statements: those that hold from now on, report an error, or end an earlier statement."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from convgate.core.settings import Settings
from convgate.embedding.base import Embeddings, Encoder
from convgate.embedding.spans import read_spans
from convgate.embedding.states import statement_encoder
from convgate.invariants.statements import (
    KINDS,
    Span,
    Statement,
    StatementKind,
    mark_statements,
    read_statements,
)
from convgate.invariants.topic import STOP_WORDS
from convgate.text.folding import fold
from convgate.text.linear import (
    Floats,
    Ngrams,
    ResultCache,
    TextModel,
    count_ngrams,
    read_model,
)

SHIPPED = Path(__file__).parent / "weights" / "kinds.safetensors"
REFIT_COMMAND = "python -m tools.statement_kinds --write"

MIN_HOLDS = 0.25
"""Probability of the kinds that hold, together, from which a statement is one."""

MIN_OTHER = 0.15
"""Probability from which a statement reports an error, lifts or resolves."""

MAX_CACHED = 20_000
"""Messages whose statements are cached."""

_HOLDS = slice(1, 4)  # of `KINDS`
_RESOLVED = KINDS.index("resolved")
_WORDS = re.compile(r"[a-z]{4,}|\d+")


@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user's, with the assistant's before it."""

    text: str
    before: str | None = None  # None: nothing was said before; "" for an empty answer


Context = tuple[float, ...]


def context_features(before: str | None, text: str, place: int, count: int) -> Context:
    """Return the features of a statement's context.

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
UNKNOWN_CONTEXT: Context = (0.0,) * len(context_features(None, "", 0, 1))
"""Of a labelled statement without its message."""


@lru_cache(1_024)
def _words(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text.lower()))


class _Classification(NamedTuple):
    """The fields of a statement that the classifier gives."""

    kind: StatementKind = "none"
    likelihood: float = 0.0
    resolves: bool = False
    signs: tuple[str, ...] = ()
    scope: str = ""


_Key = tuple[str, tuple[Context, ...]]  # a message, and the context of each of its statements


class KindJudge:
    """Classifies statements; safe to share between threads."""

    def __init__(self, model: TextModel, encoder: Encoder) -> None:
        self._model, self.encoder = model, encoder
        self._statements: ResultCache[_Key, tuple[Statement, ...]] = ResultCache(MAX_CACHED)

    def classify(self, messages: Sequence[UserMessage]) -> list[tuple[Statement, ...]]:
        """Return the statements of each message with their kinds."""
        keys = []
        for message in messages:
            parts = read_statements(message.text)
            contexts = (
                context_features(message.before, statement.text, place, len(parts))
                for place, statement in enumerate(parts)
            )
            keys.append((message.text, tuple(contexts)))
        return self._statements.get_many(keys, self._classify_all)

    def _classify_all(self, keys: Sequence[_Key]) -> list[tuple[Statement, ...]]:
        statements = [read_statements(text) for text, _ in keys]
        texts = [statement.text for parts in statements for statement in parts]
        if not texts:
            return statements
        marked = [mark_statements(text) for text, contexts in keys if contexts]
        runs = [count_ngrams(own) for message in marked for own in read_spans(message)]
        features = features_of(
            np.concatenate(self.encoder.encode_passages(marked)),
            [context for _, contexts in keys for context in contexts],
        )
        rows = self._model.probabilities(runs, features)
        found = map(self._classify, texts, runs, rows)
        return [tuple(_apply(statement, next(found)) for statement in parts) for parts in statements]

    def _classify(self, text: str, runs: Ngrams, row: Floats) -> _Classification:
        """Return the classification of a text. row: (kinds,) probabilities."""
        kind, likelihood = kind_of(row)
        if kind == "none":
            return _Classification()
        signs = self._model.signs(runs, kind)
        resolves = kind == "resolved" or (kind == "blocking_error" and bool(row[_RESOLVED] >= MIN_OTHER))
        return _Classification(kind, likelihood, resolves, signs, _scope(text, signs))


def _apply(statement: Statement, classification: _Classification) -> Statement:
    if classification.kind == "none" or (statement.quoted and classification.kind != "blocking_error"):
        return statement
    return replace(statement, **classification._asdict())


def features_of(vectors: Embeddings, contexts: Sequence[Context]) -> Embeddings:
    """Return (n, d + context) the features of the classifier besides n-grams."""
    return np.hstack([vectors, np.array(contexts, dtype=np.float32)])


def kind_of(row: Floats) -> tuple[StatementKind, float]:
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

    Raises ClassifierError when the weights are missing or damaged.
    """
    return KindJudge(shipped_model(), statement_encoder(settings))


@cache
def shipped_model() -> TextModel:
    """Return the weights that come with convgate."""
    return read_model(SHIPPED, KINDS, REFIT_COMMAND)


def _scope(text: str, signs: Sequence[str]) -> str:
    """Return the subject before one of the signs, the strongest that has one; else what follows the first."""
    folded = fold(text)
    matches = [re.search(r"\W+".join(sign.split()).encode(), folded.text) for sign in signs]
    spans = [match.span() for match in matches if match]
    scopes = [(span, scope_of(folded.text, span)) for span in spans or [(0, 0)]]
    first, last = next((scope for span, scope in scopes if scope[0] < span[0]), scopes[0][1])
    begin, stop = folded.span(first, last)
    return text[begin:stop] if first < last else ""


_MAX_WORDS = 5
_WORD = re.compile(rb"[a-z0-9_][a-z0-9_.'/+-]*[a-z0-9_+]|[a-z0-9_]")
_BREAKS = re.compile(rb"[,;:!?()\n\"]|\s-+\s|\.\s")


def scope_of(text: bytes, sign: Span) -> Span:
    """Return the span of the subject before a sign in a folded statement, else of what follows the sign.

    Empty (both ends the same) when it is about everything.

    >>> text = b"no, the login has to go through ldap"
    >>> text[slice(*scope_of(text, (14, 20)))]
    b'login'
    """
    clause = max((match.end() for match in _BREAKS.finditer(text, 0, sign[0])), default=0)
    subject = _word_spans(text, clause, sign[0])
    if subject:
        return subject[0][0], subject[-1][1]
    last = _BREAKS.search(text, sign[0])
    end = last.start() if last and last.start() > sign[0] else len(text)
    words = _word_spans(text, sign[0], end)[:_MAX_WORDS]
    return (words[0][0], words[-1][1]) if words else (sign[0], sign[0])


def _word_spans(text: bytes, start: int, end: int) -> list[Span]:
    """Return at most five words, from the first to the last that is no stop word."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    while words and text[slice(*words[0])].decode() in STOP_WORDS:
        words.pop(0)
    words = words[:_MAX_WORDS]
    while words and text[slice(*words[-1])].decode() in STOP_WORDS:
        words.pop()
    return words
