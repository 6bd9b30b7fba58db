"""The named features of a pair: a message, and one of the turns before it.

They come in three sorts. Of the pair: how near the two are in meaning, words, place and time, who speaks and
whom they name. Of the turn alone. Of the message alone: the same for all turns, they say what kind of message
and conversation it is. All are computed without any model call, in float32, and a pair's features depend on
nothing later than the message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.gate.columns import NOBODY, Columns, Floats, Integers, Present
from convgate.gate.facts import TurnFacts

STATISTICS_OVER = 64  # turns before a message that tell what kind of conversation it is
_FARTHEST = 128  # turns; what is farther is as far as that, for no training shows how far counts there
_MOST_BM25 = 30.0  # more is no better match, only a longer message


@dataclass(frozen=True, slots=True)
class Feature:
    """One column of the features."""

    name: str
    part: str  # the part of the tier-1 logit that it counts to
    says: str


FEATURES = (
    Feature("cosine", "meaning", "cosine of the two embeddings, after whitening"),
    Feature("cosine_before", "neighbours", "the message's cosine to the turn before this one"),
    Feature("cosine_after", "neighbours", "the message's cosine to the turn after this one"),
    Feature("cosine_near", "neighbours", "its mean cosine to the two turns before and the one after"),
    Feature("cosine_below_best", "meaning", "cosine less the best of all earlier turns"),
    Feature("bm25", "words", "BM25 of the message's stems in the turn, in tens, 3 at most"),
    Feature("bm25_before", "neighbours", "the same of the turn before this one"),
    Feature("bm25_after", "neighbours", "the same of the turn after this one"),
    Feature("message_share", "words", "share of the message's stem weight that the turn has"),
    Feature("turn_share", "words", "share of the turn's stem weight that the message has"),
    Feature("bm25_below_best", "words", "bm25 less the best of all earlier turns"),
    Feature("same_speaker", "speaker", "1 when the same person or role speaks"),
    Feature("last_of_speaker", "speaker", "1 for the newest turn of its speaker"),
    Feature("own_last", "speaker", "1 for the newest turn of the message's own speaker"),
    Feature("names_speaker", "addressing", "1 when the message names the turn's speaker"),
    Feature("named_by_turn", "addressing", "1 when the turn names the message's speaker"),
    Feature("names_other", "addressing", "1 when the message names somebody, but not the turn's speaker"),
    Feature(
        "turn_names_other", "addressing", "1 when the turn names somebody, but not the message's speaker"
    ),
    Feature("same_named", "addressing", "1 when both name the same person"),
    Feature("last_named", "addressing", "1 for the newest turn of somebody whom the message names"),
    Feature("last_naming", "addressing", "1 for the newest turn that names the message's speaker"),
    Feature("age", "recency", "ln of how many turns ago, 128 at most; 0 is the turn just before"),
    Feature("one_ago", "recency", "1 for the turn just before"),
    Feature("two_ago", "recency", "1 for the turn before that"),
    Feature("three_ago", "recency", "1 for the third turn back"),
    Feature("first_turn", "recency", "1 for the first turn of the history"),
    Feature("gap", "time", "ln(1 + minutes since the turn); 0 when a time is missing"),
    Feature("no_time", "time", "1 when one of the two has no time"),
    Feature("turn_question", "turn", "1 when the turn has a question mark"),
    Feature("turn_assistant", "turn", "1 when the assistant speaks"),
    Feature("turn_length", "turn", "ln(1 + words)"),
    Feature("turn_code", "turn", "1 when the turn has code or an address of the web"),
    Feature("turn_pointing", "turn", "how many words point to something said before (English)"),
    Feature("turn_mass", "turn", "ln(1 + weight of its stems)"),
    Feature("question", "message", "1 when the message has a question mark"),
    Feature("assistant", "message", "1 when the assistant speaks"),
    Feature("length", "message", "ln(1 + words)"),
    Feature("code", "message", "1 when it has code or an address of the web"),
    Feature("pointing", "message", "how many words point to something said before (English)"),
    Feature("comparing", "message", "how many words compare with something said before (English)"),
    Feature("typed", "message", "1 for a question put from outside the conversation"),
    Feature("mass", "message", "ln(1 + weight of its stems)"),
    Feature("leaning", "message", "pointing words for each unit of stem weight"),
    Feature("names_anyone", "message", "1 when it names somebody who spoke before"),
    Feature("turns", "message", "ln(1 + number of earlier turns, 128 at most)"),
    Feature("speakers", "message", "ln(1 + speakers among the last 64 turns)"),
    Feature("assistant_share", "message", "share of assistant turns among the last 64"),
)
NAMES = tuple(feature.name for feature in FEATURES)
PARTS = tuple(dict.fromkeys(feature.part for feature in FEATURES))


def message_features(
    columns: Columns, vectors: Floats, fact: TurnFacts, vector: Floats, n: int, *, width: int | None = None
) -> Floats:
    """(w, F) features of a message with the last w = `width` of the first n turns (all: None), oldest first.

    vectors: (≥ n, d) unit vectors of the turns; vector: (d,) that of the message.
    """
    oldest = 0 if width is None else max(0, n - width)
    present, stems, weights = columns.message(fact, n)
    bm25, shared = columns.shared(oldest, n, stems, weights)
    cosine = vectors[oldest:n] @ vector
    turns = np.arange(n - 1, oldest - 1, -1, dtype=np.int32)[None]
    return _features(columns, present, turns, cosine[None, ::-1], bm25[None, ::-1], shared[None, ::-1])[
        0, ::-1
    ]


def turn_features(columns: Columns, vectors: Floats, start: int, stop: int, *, width: int) -> Floats:
    """(stop − start, width, F) features of turns as messages, each with the turns before it, newest first.

    Rows before the first turn of the conversation are 0.
    """
    oldest = max(0, start - width)
    present = columns.rows(start, stop)
    turns = present.index[:, None] - np.arange(1, width + 1, dtype=np.int32)[None]
    place = np.maximum(turns - oldest, 0)
    row = np.arange(stop - start)[:, None]
    bm25, shared = columns.shared_rows(start, stop, oldest)
    cosine = vectors[start:stop] @ vectors[oldest:stop].T
    features = _features(columns, present, turns, cosine[row, place], bm25[row, place], shared[row, place])
    features[turns < 0] = 0
    return features


def _features(
    columns: Columns, present: Present, turns: Integers, cosine: Floats, bm25: Floats, shared: Floats
) -> Floats:
    """(m, w, F) for `turns` (m, w), newest first, −1 and less where there is none; cosine… are (m, w)."""
    there = turns >= 0
    at = np.maximum(turns, 0)
    n = int(present.index[-1])
    now = present.index[:, None]
    found: dict[str, NDArray[Any]] = {}

    def before(values: Floats) -> Floats:
        return np.concatenate([values[:, 1:], np.zeros((len(values), 1), np.float32)], axis=1)

    def after(values: Floats) -> Floats:
        return np.concatenate([np.zeros((len(values), 1), np.float32), values[:, :-1]], axis=1)

    def below_best(values: Floats) -> Floats:
        best = np.max(values, axis=1, where=there, initial=-1.0, keepdims=True)
        return np.asarray(values - best, dtype=np.float32)

    cosine = np.where(there, cosine, 0)
    bm25 = np.where(there, np.minimum(bm25, _MOST_BM25) / 10, 0)
    found["cosine"] = cosine
    found["cosine_before"], found["cosine_after"] = before(cosine), after(cosine)
    found["cosine_near"] = (before(before(cosine)) + found["cosine_before"] + found["cosine_after"]) / 3
    found["cosine_below_best"] = below_best(cosine)
    found["bm25"], found["bm25_below_best"] = bm25, below_best(bm25)
    found["bm25_before"], found["bm25_after"] = before(bm25), after(bm25)
    turn_mass = columns.mass.first(n)[at] if n else np.zeros(at.shape, np.float32)
    found["message_share"] = np.minimum(shared / np.maximum(1, present.mass)[:, None], 1)
    found["turn_share"] = np.minimum(shared / np.maximum(1, turn_mass), 1)

    speaker = columns.speaker.first(n)[at] if n else at
    last = (columns.next_turn.first(n)[at] if n else at) >= now
    same = speaker == present.speaker[:, None]
    names_speaker = (present.names[:, None, :] == speaker[:, :, None]).any(axis=2)
    turn_names = columns.names.first(n)[at] if n else np.full((*at.shape, 1), NOBODY)
    names_sender = (turn_names == present.speaker[:, None, None]) & (turn_names != NOBODY)
    newest_naming = names_sender & ((columns.next_naming.first(n)[at] if n else turn_names) >= now[..., None])
    named_by_turn = names_sender.any(axis=2)
    anyone = (present.names != NOBODY).any(axis=1)
    first_turns = columns.first_turn.first(len(columns.first_turn))
    known = (turn_names != NOBODY) & (
        (first_turns[np.maximum(turn_names, 0)] if len(first_turns) else turn_names) < now[..., None]
    )
    both = (turn_names[..., None] == present.names[:, None, None, :]) & (turn_names != NOBODY)[..., None]
    found["same_speaker"], found["last_of_speaker"], found["own_last"] = same, last, same & last
    found["names_speaker"], found["named_by_turn"] = names_speaker, named_by_turn
    found["names_other"] = anyone[:, None] & ~names_speaker
    found["turn_names_other"] = known.any(axis=2) & ~named_by_turn
    found["same_named"] = both.any(axis=(2, 3))
    found["last_named"], found["last_naming"] = names_speaker & last, newest_naming.any(axis=2)

    ago = now - turns
    found["age"] = np.log(np.clip(ago, 1, _FARTHEST)).astype(np.float32)
    found["one_ago"], found["two_ago"], found["three_ago"] = ago == 1, ago == 2, ago == 3
    found["first_turn"] = at == 0
    minutes = present.minutes[:, None] - (columns.minutes.first(n)[at] if n else at)
    no_time = np.isnan(minutes)
    found["gap"] = np.log1p(np.maximum(np.where(no_time, 0, minutes), 0)).astype(np.float32)
    found["no_time"] = no_time

    form = columns.form.first(n)[at] if n else np.zeros((*at.shape, 7), np.float32)
    for place, name in enumerate(("question", "assistant", "length", "code", "pointing")):
        found[f"turn_{name}"] = form[..., place]
    found["turn_mass"] = np.log1p(turn_mass)
    for place, name in enumerate(
        ("question", "assistant", "length", "code", "pointing", "comparing", "typed")
    ):
        found[name] = present.form[:, None, place]
    found["mass"] = np.log1p(present.mass)[:, None]
    found["leaning"] = (present.form[:, 4] / np.maximum(1, present.mass))[:, None]
    found["names_anyone"] = anyone[:, None]
    found["turns"] = np.log1p(np.minimum(present.index, _FARTHEST)).astype(np.float32)[:, None]
    near = there & (ago <= STATISTICS_OVER)
    found["speakers"] = np.log1p((last & near).sum(axis=1, dtype=np.float32))[:, None]
    found["assistant_share"] = (
        np.sum(form[..., 1], axis=1, where=near) / np.maximum(1, near.sum(axis=1))
    ).astype(np.float32)[:, None]

    features = np.empty((*turns.shape, len(FEATURES)), dtype=np.float32)
    for place, name in enumerate(NAMES):
        features[..., place] = found[name]
    return features
