"""What each part of a turn does to its score, with the rest of the conversation as it is.

A reason contrasts a turn with turns of the other side. The effect of a part on the logit of turn i is

    logit_i − logit_i with the features of the part as in r_i,   r_i = Σ_{j≠i} w_j x_j / (Σ_{j≠i} w_j + 1)

in both tiers. For what raises the score w_j = 1 − p_j, so r is the mean of the turns that are not needed; for
what lowers it w_j = p_j, so r is the mean of those that are. The 1 is a turn with the usual features of
training, which are 0 when standardised. Tier 1 alone would not do: tier 2 takes back much of what it gives.
What a turn has from other turns is held as it is (`Scorer.attend_again`), so all effects of a sign together
cost about two passes of tier 2. The effect of links is taken likewise, compared with none.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from convgate.gate.arrays import Floats, Logits
from convgate.gate.facts import TurnFacts
from convgate.gate.features import FEATURES
from convgate.gate.full import ThreadState
from convgate.gate.links import LinkWindow
from convgate.gate.model import CONTEXTUAL, GateScores, GateState, Message
from convgate.gate.scoring import Attended, Followed, Inputs

KINDS: Mapping[str, tuple[str, ...]] = {
    "content": ("meaning", "passages", "words", "semantic"),
    "neighbours": ("neighbours",),
    "speaker": ("speaker",),
    "addressing": ("addressing",),
    "recency": ("recency", "decay"),
    "turn": ("turn",),
    "links": (CONTEXTUAL,),
}
"""What reasons distinguish, and the parts of the logit that each one is of, of both presets.

Shared words and meaning go together: without one of them the other still says nearly as much.
"""

MIN_SHARE = 0.2  # of a turn's links; a smaller one says little
_USUAL_TURNS = 1.0  # the weight of the usual features of training among those of other turns
_MAX_LINKS = 3  # whose effect is computed, among those to earlier turns and among those from later ones
_IS_OF_TURNS = np.array([feature.part != "message" for feature in FEATURES])
_OF_TURNS = [feature for feature in FEATURES if feature.part != "message"]
_ROWS = {
    kind: [row for row, feature in enumerate(_OF_TURNS) if feature.part in parts]
    for kind, parts in KINDS.items()
}


class LinkEffect(NamedTuple):
    """A link between a turn and another one, and what it does to the turn's logit."""

    other: int  # row
    share: float  # of the later turn's links, 0…1
    effect: float


class Difference(NamedTuple):
    """A feature of a turn that differs from those of the turns that it is compared with."""

    feature: str
    part: str
    value: float  # of the turn, clipped as the gate reads it
    is_higher: bool
    effect: float  # what the difference adds to the logit of tier 1


@dataclass(frozen=True, eq=False)
class Effects:
    """The effects of the parts of turns; of the reference preset, those of the parts themselves."""

    state: GateState
    message: Message
    scores: GateScores

    def by_kind(self, sign: int) -> Mapping[str, Logits]:
        """Return what each kind of parts does to the logits, (n,), compared with turns of the other side."""
        return self._raising if sign > 0 else self._lowering

    @cached_property
    def _raising(self) -> Mapping[str, Logits]:
        return self._compute(1 - self.scores.scores)

    @cached_property
    def _lowering(self) -> Mapping[str, Logits]:
        return self._compute(self.scores.scores)

    def _compute(self, weights: Logits) -> Mapping[str, Logits]:
        parts = {kind: self.part(kind) for kind in KINDS}
        return {
            kind: part - mean_of_others(part, weights) for kind, part in parts.items() if part is not None
        }

    def part(self, kind: str) -> Logits | None:
        """Return (n,) the parts of a kind in sum, as the waterfall shows them; None when there is none."""
        parts = [self.scores.parts[name] for name in KINDS[kind] if name in self.scores.parts]
        return np.sum(parts, axis=0) if parts else None

    def differences(self, kind: str, row: int, sign: int) -> list[Difference]:
        """Return how the turn differs in the features of a kind, what changes its logit most first."""
        return []

    def strongest_link(self, row: int, sign: int) -> LinkEffect | None:
        """Return the link of a turn with the strongest effect of that sign on its logit; None without any."""
        return None

    def linked(self, row: int) -> list[int]:
        """Return the turns of its subject that a turn is linked to, by a fifth of the links or more."""
        return []

    @cached_property
    def stems(self) -> Mapping[str, float]:
        """The stems of the message that earlier turns have, with their weights."""
        return {}

    @property
    def mass(self) -> float:
        """The weight of all stems of the message; infinite where it is not read."""
        return math.inf

    def shared_stems(self, row: int) -> list[str]:
        """Return the stems that a turn shares with the message, those of the highest weight first."""
        return []

    @property
    def facts(self) -> Sequence[TurnFacts] | None:
        """The facts of the turns; None where they are not read."""
        return None

    def has_begun(self, row: int) -> bool:
        """Return whether a user began a subject after a turn, as far as their words tell."""
        return False


@dataclass(frozen=True, eq=False)
class ThreadEffects(Effects):
    """The effects of the full preset, computed when they are first read."""

    state: ThreadState

    def _compute(self, weights: Logits) -> Mapping[str, Logits]:
        turns, start, share = self._inputs.turns, self._start, self.scores.activation
        others, effects = mean_of_others(turns, weights), {}
        for kind, rows in _ROWS.items():
            part = np.asarray(self.part(kind), dtype=np.float64)
            replaced, attended = turns, _without_links(self._attended)
            if rows:
                replaced, attended = turns.copy(), self._attended
                replaced[rows] = others[rows]
            in_window = self._attended.logits - self._again(replaced[:, start:], attended)
            effect = part - mean_of_others(part, weights) if rows else np.zeros(len(part))
            effect[start:] = (1 - share) * effect[start:] + share * in_window
            effects[kind] = effect
        return effects

    def differences(self, kind: str, row: int, sign: int) -> list[Difference]:
        """Return how the turn differs in the features of a kind, what changes its logit most first."""
        rows, scorer = _ROWS[kind], self.state.arrays.tiers.scorer
        turn, score, n = self._inputs.turns[rows, row], self.scores.scores, len(self.state)
        weight, total = (1 - score[row], n - score.sum()) if sign > 0 else (score[row], score.sum())
        others = (self._sums[sign < 0][rows] - weight * turn) / (total - weight + _USUAL_TURNS)
        values = turn * scorer.spread[_IS_OF_TURNS][rows] + scorer.usual[_IS_OF_TURNS][rows]
        effects = (turn - others) * self._weights[rows]
        columns = (values.tolist(), (turn > others).tolist(), effects.tolist())
        differences = [
            Difference(*_OF_TURNS[place], value, is_higher, effect)
            for place, value, is_higher, effect in zip(rows, *columns, strict=True)
        ]
        return sorted(differences, key=lambda each: -sign * each.effect)

    def strongest_link(self, row: int, sign: int) -> LinkEffect | None:
        """Return the link of a turn with the strongest effect of that sign on its logit; None without any."""
        attended, place = self._attended, row - self._start
        if place < 0:
            return None
        shares = self._window.shares
        band, last = shares.shape[2], len(shares) - 1
        before = shares[place].mean(axis=0)
        earlier = [place - band + at for at in np.argsort(-before)[:_MAX_LINKS].tolist() if before[at] > 0]
        following = np.arange(place + 1, min(place + band, last) + 1)
        after = shares[following, :, band - (following - place)].mean(axis=1)
        after = after * attended.second.reach[:, following].mean(axis=0)
        later = following[np.argsort(-after)[:_MAX_LINKS]].tolist()
        others = [other for other in (*earlier, *later) if other >= 0]
        if not others:
            return None
        cut = _without_link(attended, shares, self.state.arrays.tiers.scorer.decay, place, others)
        turns = np.repeat(self._inputs.turns[:, [row]], len(others), axis=1)
        effects = self.scores.activation * (attended.logits[place] - self._again(turns, cut))
        best = int(np.argmax(sign * effects))
        late, early = max(place, others[best]), min(place, others[best])
        share = float(shares[late, :, band - (late - early)].mean())
        return LinkEffect(self._start + others[best], share, float(effects[best]))

    def linked(self, row: int) -> list[int]:
        """Return the turns of its subject that a turn is linked to, by a fifth of the links or more."""
        place = row - self._start
        if place < 0:
            return []
        links, band = self._links, self._links.shape[1]
        following = np.arange(place + 1, min(place + band, len(links) - 1) + 1)
        later = following[links[following, band - (following - place)] >= MIN_SHARE]
        earlier = place - band + np.flatnonzero(links[place] >= MIN_SHARE)
        others = (self._start + int(other) for other in (*earlier, *later) if other >= 0)
        beginnings = bisect_right(self._beginnings, row)
        return [other for other in others if bisect_right(self._beginnings, other) == beginnings]

    @cached_property
    def _links(self) -> Floats:
        """(w, K) the links of each turn of the window, the mean over heads."""
        return np.asarray(self._window.shares.mean(axis=1))

    @cached_property
    def stems(self) -> Mapping[str, float]:
        """The stems of the message that earlier turns have, with their weights."""
        assert self.message.facts is not None
        return self.state.arrays.columns.weigh_stems(self.message.facts, len(self.state))

    @cached_property
    def mass(self) -> float:
        """The weight of all stems of the message."""
        assert self.message.facts is not None
        return float(self.state.arrays.columns.message(self.message.facts, len(self.state))[0].mass[0])

    def shared_stems(self, row: int) -> list[str]:
        """Return the stems that a turn shares with the message, those of the highest weight first."""
        shared = self.stems.keys() & self.facts[row].stems.keys()
        return sorted(shared, key=lambda stem: (-self.stems[stem], stem))

    def has_begun(self, row: int) -> bool:
        """Return whether a user began a subject after a turn, as far as their words tell."""
        assert self.message.facts is not None
        return self.message.facts.cues.begins > 0 or bool(self._beginnings and self._beginnings[-1] > row)

    @cached_property
    def _beginnings(self) -> list[int]:
        """The turns whose words tell that a user began a subject there."""
        return [turn for turn, facts in enumerate(self.facts) if facts.cues.begins > 0]

    @cached_property
    def facts(self) -> Sequence[TurnFacts]:
        """The facts of the turns."""
        return self.state.facts

    @cached_property
    def _inputs(self) -> Inputs:
        return self.state.inputs(self.message.embedding, self.message.facts)

    @cached_property
    def _sums(self) -> tuple[Floats, Floats]:
        """(V,) sums of the features of turns, by 1 − score and by score."""
        turns, scores = self._inputs.turns, self.scores.scores.astype(np.float32)
        return turns @ (1 - scores), turns @ scores

    @cached_property
    def _weights(self) -> Floats:
        """(V,) of tier 1, for the features of pairs and turns."""
        return np.asarray(self.state.arrays.tiers.scorer.weights(self._inputs)[_IS_OF_TURNS])

    @cached_property
    def _window(self) -> LinkWindow:
        return self.state.window

    @cached_property
    def _attended(self) -> Attended:
        return self.state.arrays.tiers.scorer.attend(self._inputs, self._window)

    @property
    def _start(self) -> int:
        """The first row of the window."""
        return len(self.state) - len(self._attended.logits)

    def _again(self, turns: Floats, attended: Attended) -> Logits:
        return self.state.arrays.tiers.scorer.attend_again(turns, self._inputs.message, attended)


def effects_of(state: GateState, message: Message, scores: GateScores) -> Effects:
    """Return the effects of the parts of scores."""
    if isinstance(state, ThreadState):
        return ThreadEffects(state, message, scores)
    return Effects(state, message, scores)


def mean_of_others(columns: NDArray[Any], weights: Logits) -> NDArray[Any]:
    """Return for each turn the mean of (..., n) numbers over the others by (n,) weights, and the usual 0."""
    weighted = columns * weights.astype(columns.dtype)
    total = weights.sum() - weights + _USUAL_TURNS
    return np.asarray((weighted.sum(axis=-1, keepdims=True) - weighted) / total.astype(columns.dtype))


def _without_links(attended: Attended) -> Attended:
    """Return tier 2 as if no turn had links to others."""
    heads = len(attended.best)
    own = np.broadcast_to(attended.values, (heads, *attended.values.shape))

    def cut(followed: Followed) -> Followed:
        return replace(followed, reach=followed.shares, step=np.zeros_like(followed.step))

    return replace(attended, contexts=(own, own), first=cut(attended.first), second=cut(attended.second))


def _without_link(
    attended: Attended, shares: Floats, decay: Floats, place: int, others: Sequence[int]
) -> Attended:
    """Return tier 2 of one turn, once without the link between it and each of the others.

    shares: (w, H, K), as `LinkWindow` has them; place, others: rows of them.
    """
    band, columns = shares.shape[2], [place] * len(others)
    contexts = tuple(sums[..., columns] for sums in attended.contexts)
    passes = [
        replace(
            followed,
            shares=followed.shares[:, columns],
            reach=followed.reach[:, columns],
            step=followed.step[:, columns],
        )
        for followed in (attended.first, attended.second)
    ]
    for column, other in enumerate(others):
        late, early = max(place, other), min(place, other)
        link = shares[late, :, band - (late - early)]
        side = 0 if other < place else 1
        contexts[side][..., column] -= (decay * link)[:, None] * attended.contexts[side][..., other]
        for followed, whole in zip(passes, (attended.first, attended.second), strict=True):
            changed = followed.step if other < place else followed.reach
            changed[:, column] -= link * whole.reach[:, other]
    earlier, later = contexts
    return replace(
        attended,
        values=attended.values[:, columns],
        contexts=(earlier, later),
        first=passes[0],
        second=passes[1],
    )
