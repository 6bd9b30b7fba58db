"""The named features of a pair: a message, and one of the turns before it.

They describe the pair (its similarity in meaning and words, its distance in turns and time, who speaks and
whom they name), the turn alone, or the message alone (the same for all turns). All are computed without a
model, in float32, and depend on nothing later than the message.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.gate.arrays import Floats
from convgate.gate.columns import FORM, STRANGER, Columns, GrowableArray, MessageFacts
from convgate.gate.facts import TurnFacts

STATISTICS_OVER = 64  # turns before a message over which statistics of the conversation are taken
_MAX_AGE = 128  # turns; older ones have this age
_MAX_BM25 = 30.0  # a higher one comes from a longer message, not a better match


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
    *_features_of("words", "message_share", "turn_share", "bm25_below_best"),
    *_features_of("speaker", "same_speaker", "last_of_speaker", "own_last"),
    *_features_of("addressing", "names_speaker", "named_by_turn", "names_other", "turn_names_other"),
    *_features_of("addressing", "same_named", "last_named", "last_naming"),
    *_features_of("recency", "age", "one_ago", "two_ago", "three_ago", "first_turn", "begun_since"),
    *_features_of("turn", "turn_question", "turn_assistant", "turn_length", "turn_code"),
    *_features_of("turn", "turn_mass", "turn_needs", "turn_instruction"),
    *_features_of("message", "question", "assistant", "length", "code", "typed"),
    *_features_of("message", "mass", "new_words", "cosine_last", "names_anyone"),
    *_features_of("message", "turns", "speakers", "assistant_share", "needs", "continues", "returns"),
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
        """Append the newest turn with the (p, d) vectors of its passages, p > 1."""
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
    width: int,
) -> Floats:
    """Return (F, w) features of a message with the last w ≤ `width` of the first n turns, oldest first."""
    values = message_values(columns, vectors, passages, fact, vector, n, width=width)
    return stack_features(values, NAMES, (min(n, width),))


def message_values(
    columns: Columns,
    vectors: Floats,
    passages: Passages,
    fact: TurnFacts,
    vector: Floats,
    n: int,
    *,
    width: int | None = None,
) -> dict[str, NDArray[Any]]:
    """Return the features by name of a message with the last w = `width` (None: all) of the first n turns.

    Those of a pair or a turn are (1, w), those of the message alone, the part "message", (1, 1).
    vectors: (≥ n, d) unit vectors of the turns; passages: of ≥ n turns; vector: (d,) of the message.
    """
    oldest = 0 if width is None else max(0, n - width)
    message, ids, weights = columns.message(fact, n)
    matches = columns.match_stems(oldest, n, ids, weights)
    cosine = vectors[oldest:n] @ vector
    best = passages.best(vector[None], cosine[None], oldest)
    similarities = (cosine[None], best, *(column[None] for column in matches))
    return _features(columns, message, (None, slice(oldest, n)), *similarities)


def turn_features(
    columns: Columns, vectors: Floats, passages: Passages, start: int, stop: int, *, width: int
) -> Floats:
    """Return (F, stop − start, width) features of turns, each with the turns before it, oldest first.

    Columns before the first turn of the conversation are 0.
    """
    oldest = max(0, start - width)
    message = columns.rows(start, stop)
    turns = message.index[:, None] - np.arange(width, 0, -1, dtype=np.int32)
    is_turn, rows = turns >= 0, np.maximum(turns, 0)
    row, place = np.arange(stop - start)[:, None], np.maximum(turns - oldest, 0)
    cosine = vectors[start:stop] @ vectors[oldest:stop].T
    best = passages.best(vectors[start:stop], cosine, oldest)
    similarities = (np.where(is_turn, matrix[row, place], 0) for matrix in (cosine, best))
    matches = columns.match_stems_of_rows(start, stop, width)
    values = _features(columns, message, (rows,), *similarities, *matches, is_turn=is_turn)
    return stack_features(values, NAMES, turns.shape) * is_turn


def stack_features(
    values: Mapping[str, NDArray[Any]], names: Sequence[str], shape: tuple[int, ...]
) -> Floats:
    """Return (len(names), *shape) the named features."""
    features = np.empty((len(names), *shape), dtype=np.float32)
    for row, name in enumerate(names):
        features[row] = values[name]
    return features


def _features(
    columns: Columns,
    message: MessageFacts,
    rows: tuple[Any, ...],
    cosine: Floats,
    passage: Floats,
    bm25: Floats,
    shared: Floats,
    *,
    is_turn: NDArray[np.bool_] | Literal[True] = True,
) -> dict[str, NDArray[Any]]:
    """Return each feature by its name, as it broadcasts to (m, w), oldest turn first.

    rows: index by which a column becomes (m, w) or (1, w); cosine… are (m, w), 0 where `is_turn` is False.
    """
    index = message.index[:, None]
    stop = int(message.index[-1]) + 1 if len(message.index) else 0
    ago = np.arange(cosine.shape[1], 0, -1, dtype=np.int32)[None]

    def take(column: GrowableArray) -> NDArray[Any]:
        array = column.first(stop)
        return array[rows] if array.ndim == 1 else array.T[:, *rows]

    values: dict[str, NDArray[Any]] = {}
    second, before, after = _neighbours(cosine)
    values["cosine"], values["cosine_below_best"] = cosine, _below_best(cosine, is_turn)
    values["cosine_before"], values["cosine_after"] = before, after
    values["cosine_near"] = (second + before + after) / 3
    values["cosine_last"] = _best(cosine[:, -2:], is_turn if is_turn is True else is_turn[:, -2:])
    values["passage"], values["passage_below_best"] = passage, _below_best(passage, is_turn)
    _, values["passage_before"], values["passage_after"] = _neighbours(passage)
    scaled_bm25 = np.asarray(np.minimum(bm25, _MAX_BM25) / 10, dtype=np.float32)
    values["bm25"], values["bm25_below_best"] = scaled_bm25, _below_best(scaled_bm25, is_turn)
    _, values["bm25_before"], values["bm25_after"] = _neighbours(scaled_bm25)
    turn_mass = take(columns.mass)
    values["message_share"] = np.minimum(shared / np.maximum(1, message.mass)[:, None], 1)
    values["turn_share"] = np.minimum(shared / np.maximum(1, turn_mass), 1)

    is_last = take(columns.next_turn) >= index
    values["last_of_speaker"] = is_last
    values |= _speaker_features(columns, message, take, is_last)

    values["age"] = np.log(np.minimum(ago, np.float32(_MAX_AGE)))
    values["one_ago"], values["two_ago"], values["three_ago"] = ago == 1, ago == 2, ago == 3
    values["first_turn"] = ago == index

    form = take(columns.form)
    values |= {f"turn_{name}": column for name, column in zip(FORM, form, strict=True)}
    values["begun_since"] = _highest_after(values["turn_begins"] * is_turn)
    values["turn_mass"] = _log_of_more(turn_mass)

    values |= dict(zip(FORM, message.form.T[:, :, None], strict=True))
    values["mass"] = np.log1p(message.mass)[:, None]
    values["new_words"] = np.log1p(np.maximum(message.new, 0))[:, None]
    values["turns"] = np.log1p(np.minimum(index, _MAX_AGE))
    recent = slice(-STATISTICS_OVER, None)
    values["speakers"] = np.log1p((is_last & is_turn)[:, recent].sum(axis=1, dtype=np.float32, keepdims=True))
    assistants = (values["turn_assistant"] * is_turn)[:, recent].sum(axis=1, keepdims=True)
    n_turns = np.minimum(index, min(ago.shape[1], STATISTICS_OVER))
    values["assistant_share"] = assistants / np.maximum(1, n_turns)
    return values


def _log_of_more(values: NDArray[Any]) -> Floats:
    """Return ln(1 + x) of x ≥ 0; in float32, numpy's log is ten times as fast as its log1p."""
    return np.log(1 + values.astype(np.float32))


def _neighbours(values: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the values two turns before, one before and one after: each (m, w), 0 outside the turns."""
    padded = np.zeros((len(values), values.shape[1] + 3), dtype=np.float32)
    padded[:, 2:-1] = values
    return padded[:, :-3], padded[:, 1:-2], padded[:, 3:]


def _highest_after(values: Floats) -> Floats:
    """Return for each turn the highest value of the turns after it, 0 at least; values: (m or 1, w)."""
    highest = np.zeros_like(values)
    np.maximum.accumulate(values[:, :0:-1], axis=1, out=highest[:, -2::-1])
    return np.maximum(highest, 0)


def _best(values: Floats, is_turn: NDArray[np.bool_] | Literal[True]) -> Floats:
    return np.asarray(np.max(values, axis=1, where=is_turn, initial=-1.0, keepdims=True))


def _below_best(values: Floats, is_turn: NDArray[np.bool_] | Literal[True]) -> Floats:
    return np.asarray(values - _best(values, is_turn), dtype=np.float32)


def _speaker_features(
    columns: Columns,
    message: MessageFacts,
    take: Callable[[GrowableArray], NDArray[Any]],
    is_last: NDArray[np.bool_],
) -> dict[str, NDArray[Any]]:
    """Return features of speakers and names, each (m, w); is_last: whether a turn is its speaker's newest."""
    index, sender = message.index[:, None], message.speaker[:, None]
    speaker, turn_names = take(columns.speaker), take(columns.names)
    same = speaker == sender
    names_sender = turn_names == sender
    named_by_turn = names_sender.any(axis=0)
    names_anyone = message.names[:, :1] != STRANGER
    names_speaker, same_named = np.zeros(same.shape, dtype=bool), np.zeros(same.shape, dtype=bool)
    for named in message.names.T[:, :, None]:
        if (named == STRANGER).all():
            break
        names_speaker |= speaker == named
        same_named |= (turn_names == named).any(axis=0)
    return {
        "same_speaker": same,
        "own_last": same & is_last,
        "names_anyone": names_anyone,
        "names_speaker": names_speaker,
        "names_other": names_anyone & ~names_speaker,
        "last_named": names_speaker & is_last,
        "same_named": same_named,
        "named_by_turn": named_by_turn,
        "turn_names_other": (take(columns.naming_since) < index) & ~named_by_turn,
        "last_naming": (names_sender & (take(columns.next_naming) >= index)).any(axis=0),
    }
