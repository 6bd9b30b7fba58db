"""The named features of a pair: a message, and one of the turns before it.

They come in three sorts. Of the pair: how near the two are in meaning, words, place and time, who speaks and
whom they name. Of the turn alone. Of the message alone: the same for all turns, they say what kind of message
and conversation it is. All are computed without any model call, in float32, and a pair's features depend on
nothing later than the message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.gate.arrays import Floats
from convgate.gate.columns import FORM, STRANGER, Columns, GrowableArray, MessageFacts
from convgate.gate.facts import TurnFacts

STATISTICS_OVER = 64  # turns before a message that tell what kind of conversation it is
_FARTHEST = 128  # turns; what is farther is as far as that, for no training shows a difference
_MOST_BM25 = 30.0  # more is no better match, only a longer message


class Feature(NamedTuple):
    """One column of the features; docs/gate.md says what each one is."""

    name: str
    part: str  # the part of the tier-1 logit that it counts to


def _features_of(part: str, *names: str) -> list[Feature]:
    return [Feature(name, part) for name in names]


# The order is that of the trained weights.
FEATURES = (
    *_features_of("meaning", "cosine"),
    *_features_of("neighbours", "cosine_before", "cosine_after", "cosine_near"),
    *_features_of("meaning", "cosine_below_best"),
    *_features_of("passages", "passage", "passage_below_best", "passage_before", "passage_after"),
    *_features_of("words", "bm25"),
    *_features_of("neighbours", "bm25_before", "bm25_after"),
    *_features_of("words", "message_share", "turn_share", "bm25_below_best", "identifiers"),
    *_features_of("speaker", "same_speaker", "last_of_speaker", "own_last"),
    *_features_of("addressing", "names_speaker", "named_by_turn", "names_other", "turn_names_other"),
    *_features_of("addressing", "same_named", "last_named", "last_naming"),
    *_features_of("recency", "age", "one_ago", "two_ago", "three_ago", "first_turn"),
    *_features_of("time", "gap", "no_time"),
    *_features_of("turn", "turn_question", "turn_assistant", "turn_length", "turn_code", "turn_pointing"),
    *_features_of("turn", "turn_mass", "turn_listed", "turn_instruction"),
    *_features_of("message", "question", "assistant", "length", "code", "pointing", "comparing", "typed"),
    *_features_of("message", "mass", "new_words", "leaning", "needs", "ordinal", "cosine_last"),
    *_features_of("message", "names_anyone", "turns", "speakers", "assistant_share"),
)
NAMES = tuple(feature.name for feature in FEATURES)
PARTS = tuple(dict.fromkeys(feature.part for feature in FEATURES))


class Passages:
    """Unit vectors of the passages of turns, growing turn by turn.

    A turn of one passage has the vector of the turn itself, so only the others are kept.
    """

    def __init__(self, dimension: int) -> None:
        self._vectors = GrowableArray(np.float32, dimension)
        self._turns = GrowableArray(np.int64)  # those of several passages
        self._first = GrowableArray(np.int64)  # their first passages, and the number of passages at the end
        self._first.append(0)

    def append(self, turn: int, vectors: Floats) -> None:
        """Add a turn, newer than all others, by the (p, d) vectors of its passages, p > 1."""
        self._vectors.extend(vectors)
        self._turns.append(turn)
        self._first.append(len(self._vectors))

    def best(self, messages: Floats, cosine: Floats, start: int) -> Floats:
        """Return (m, n) the highest cosine of (m, d) messages to a passage of the turns from `start` on.

        cosine: (m, n) those to the turns.
        """
        turns = self._turns.first(len(self._turns))
        low, high = np.searchsorted(turns, [start, start + cosine.shape[1]])
        best = cosine.copy()
        if low < high:
            first = self._first.first(high + 1)[low:]
            vectors = self._vectors.first(int(first[-1]))[int(first[0]) :]
            highest = np.maximum.reduceat(messages @ vectors.T, first[:-1] - first[0], axis=1)
            best[:, turns[low:high] - start] = highest
        return best


def message_features(
    columns: Columns,
    vectors: Floats,
    passages: Passages,
    fact: TurnFacts,
    vector: Floats,
    n: int,
    *,
    width: int | None = None,
) -> Floats:
    """(w, F) features of a message with the last w = `width` of the first n turns (all: None), oldest first.

    vectors: (≥ n, d) unit vectors of the turns; passages: of ≥ n turns; vector: (d,) of the message.
    """
    oldest = 0 if width is None else max(0, n - width)
    present, ids, weights, identifiers = columns.message(fact, n)
    shared = columns.shared(oldest, n, ids, weights, identifiers)
    cosine = vectors[oldest:n] @ vector
    best = passages.best(vector[None], cosine[None], oldest)
    alike = (cosine[None], best, *(column[None] for column in shared))
    values = _features(columns, present, (None, slice(oldest, n)), *alike)
    features = np.empty((len(NAMES), n - oldest), dtype=np.float32)
    for row, name in enumerate(NAMES):
        features[row] = values[name]
    return features.T


def turn_features(
    columns: Columns, vectors: Floats, passages: Passages, start: int, stop: int, *, width: int
) -> Floats:
    """(stop − start, width, F) features of turns as messages, each with the turns before it, newest first.

    Rows before the first turn of the conversation are 0.
    """
    oldest = max(0, start - width)
    present = columns.rows(start, stop)
    turns = present.index[:, None] - np.arange(width, 0, -1, dtype=np.int32)
    is_turn, at = turns >= 0, np.maximum(turns, 0)
    row, place = np.arange(stop - start)[:, None], np.maximum(turns - oldest, 0)
    cosine = vectors[start:stop] @ vectors[oldest:stop].T
    best = passages.best(vectors[start:stop], cosine, oldest)
    alike = (
        np.where(is_turn, matrix[row, place], 0)
        for matrix in (cosine, best, *columns.shared_rows(start, stop, oldest))
    )
    values = _features(columns, present, (at,), *alike, is_turn=is_turn)
    features = np.empty((*turns.shape, len(NAMES)), dtype=np.float32)
    oldest_first = features[:, ::-1]
    for column, name in enumerate(NAMES):
        oldest_first[..., column] = values[name]
    oldest_first[~is_turn] = 0
    return features


def _features(
    columns: Columns,
    present: MessageFacts,
    at: tuple[Any, ...],
    cosine: Floats,
    passage: Floats,
    bm25: Floats,
    shared: Floats,
    identifiers: Floats,
    *,
    is_turn: NDArray[np.bool_] | Literal[True] = True,
) -> dict[str, NDArray[Any]]:
    """Each feature by its name, as it broadcasts to (m, w), oldest turn first.

    at: index by which a column becomes (m, w) or (1, w); cosine… are (m, w), 0 where `is_turn` is False.
    """
    now = present.index[:, None]
    stop = int(present.index[-1]) + 1 if len(present.index) else 0
    ago = np.arange(cosine.shape[1], 0, -1, dtype=np.int32)[None]

    def of(column: GrowableArray) -> NDArray[Any]:
        rows = column.first(stop)
        return rows[at] if rows.ndim == 1 else rows.T[:, *at]

    values: dict[str, NDArray[Any]] = {}
    second, before, after = _neighbours(cosine)
    values["cosine"], values["cosine_below_best"] = cosine, _below_best(cosine, is_turn)
    values["cosine_before"], values["cosine_after"] = before, after
    values["cosine_near"] = (second + before + after) / 3
    values["cosine_last"] = _best(cosine[:, -2:], is_turn if is_turn is True else is_turn[:, -2:])
    values["passage"], values["passage_below_best"] = passage, _below_best(passage, is_turn)
    _, values["passage_before"], values["passage_after"] = _neighbours(passage)
    values["identifiers"] = np.log1p(identifiers)
    tens = np.asarray(np.minimum(bm25, _MOST_BM25) / 10, dtype=np.float32)
    values["bm25"], values["bm25_below_best"] = tens, _below_best(tens, is_turn)
    _, values["bm25_before"], values["bm25_after"] = _neighbours(tens)
    turn_mass = of(columns.mass)
    values["message_share"] = np.minimum(shared / np.maximum(1, present.mass)[:, None], 1)
    values["turn_share"] = np.minimum(shared / np.maximum(1, turn_mass), 1)

    last = of(columns.next_turn) >= now
    values["last_of_speaker"] = last
    values |= _people(columns, present, of, last)

    values["age"] = np.log(np.minimum(ago, _FARTHEST))
    values["one_ago"], values["two_ago"], values["three_ago"] = ago == 1, ago == 2, ago == 3
    values["first_turn"] = ago == now
    minutes = present.minutes[:, None] - of(columns.minutes)
    values["gap"] = np.log1p(np.fmax(minutes, 0))
    values["no_time"] = np.isnan(minutes)

    form = of(columns.form)
    values |= {f"turn_{name}": column for name, column in zip(FORM, form, strict=True)}
    values["turn_mass"] = np.log1p(turn_mass)

    values |= dict(zip(FORM, present.form.T[:, :, None], strict=True))
    values["mass"] = np.log1p(present.mass)[:, None]
    values["new_words"] = np.log1p(np.maximum(present.new, 0))[:, None]
    values["leaning"] = (values["pointing"][:, 0] / np.maximum(1, present.mass))[:, None]
    values["turns"] = np.log1p(np.minimum(now, _FARTHEST))
    recent = slice(-STATISTICS_OVER, None)
    values["speakers"] = np.log1p((last & is_turn)[:, recent].sum(axis=1, dtype=np.float32, keepdims=True))
    assistants = (values["turn_assistant"] * is_turn)[:, recent].sum(axis=1, keepdims=True)
    counted = np.minimum(now, min(ago.shape[1], STATISTICS_OVER))
    values["assistant_share"] = assistants / np.maximum(1, counted)
    return values


def _neighbours(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Values of the turn two before, the one before and the one after: each (m, w), 0 where there is none."""
    wide = np.zeros((len(values), values.shape[1] + 3), dtype=np.float32)
    wide[:, 2:-1] = values
    return wide[:, :-3], wide[:, 1:-2], wide[:, 3:]


def _best(values: Floats, is_turn: NDArray[np.bool_] | Literal[True]) -> Floats:
    return np.asarray(np.max(values, axis=1, where=is_turn, initial=-1.0, keepdims=True))


def _below_best(values: Floats, is_turn: NDArray[np.bool_] | Literal[True]) -> Floats:
    return np.asarray(values - _best(values, is_turn), dtype=np.float32)


def _people(
    columns: Columns,
    present: MessageFacts,
    of: Callable[[GrowableArray], NDArray[Any]],
    last: NDArray[np.bool_],
) -> dict[str, NDArray[Any]]:
    """Who speaks and who is named, each of (m, w); last: whether a turn is the newest of its speaker."""
    now, sender = present.index[:, None], present.speaker[:, None]
    speaker, turn_names = of(columns.speaker), of(columns.names)
    same = speaker == sender
    names_sender = turn_names == sender
    named_by_turn = names_sender.any(axis=0)
    names_anyone = present.names[:, :1] != STRANGER
    names_speaker, same_named = np.zeros(same.shape, dtype=bool), np.zeros(same.shape, dtype=bool)
    for named in present.names.T[:, :, None]:
        if (named == STRANGER).all():
            break
        names_speaker |= speaker == named
        same_named |= (turn_names == named).any(axis=0)
    return {
        "same_speaker": same,
        "own_last": same & last,
        "names_anyone": names_anyone,
        "names_speaker": names_speaker,
        "names_other": names_anyone & ~names_speaker,
        "last_named": names_speaker & last,
        "same_named": same_named,
        "named_by_turn": named_by_turn,
        "turn_names_other": (of(columns.naming_since) < now) & ~named_by_turn,
        "last_naming": (names_sender & (of(columns.next_naming) >= now)).any(axis=0),
    }
