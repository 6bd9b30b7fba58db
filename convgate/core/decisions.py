"""Decisions: what was chosen, by which rule, and the sentence that says why.

A set of decisions is columnar, and makes a single record only when one is read.

    >>> decisions = TurnDecisions(
    ...     policy="cosine", rule="absolute", indices=np.array([0, 1]), kept=np.array([True, False]),
    ...     scores=np.array([0.83, 0.44]), threshold=0.61,
    ...     why_kept="{score}, above the threshold {threshold} by {margin}.",
    ...     why_dropped="{score}, below the threshold {threshold}.",
    ... )
    >>> [record.reason for record in decisions]
    ['Kept: 0.83, above the threshold 0.61 by 0.22.', 'Dropped: 0.44, below the threshold 0.61.']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.core.text import format_score, format_share, format_threshold

Floats = NDArray[np.floating[Any]]

KEPT, DROPPED = "kept", "dropped"
SCORE, HOLD, FIT, CACHE, REPAIR = "score", "hold", "fit", "cache", "repair"
"""The stages that decide: the policy, what must hold, a budget, a cached prefix, a valid list."""

LIKELY = 0.5
"""A score of the gate from which a turn is likely needed; what it keeps below that is sent in case."""

NEEDED, IN_CASE = "likely needed", "in case"


def say_likely(score: float) -> str:
    """Return what a score of the gate (0…1) says.

    >>> say_likely(0.37)
    '37% likely to be needed'
    """
    return f"{format_share(score)} likely to be needed"


_NAMES = {
    (HOLD, "superseded"): "corrected",
    (FIT, "rules"): "rule",
    (FIT, "recent"): "recent",
    (FIT, "evidence"): "room in the budget",
    (FIT, "task_state"): "task state",
    (FIT, "decisions"): "decision",
    (FIT, "budget"): "no room",
    (FIT, "mode"): "other mode",
    (FIT, "superseded"): "corrected",
}  # by stage and rule
_BY_AGE = ("last_k", "token_window")  # rules of policies whose scores are places
_JSON_NAMES = (
    "index", "outcome", "rule", "reason", "stage", "score", "threshold", "logit", "parts", "forced", "kept",
    "margin",
)  # fmt: skip


def _join_how(outcome: str, how: str) -> str:
    return f"{outcome}{how}" if how.startswith(",") else f"{outcome} {how}".rstrip()


@dataclass(frozen=True, slots=True)
class Decision:
    """What decisions about turns, exchanges and boundaries say."""

    index: int  # 0-based index of the turn in its conversation
    outcome: str
    rule: str  # which rule decided
    explanation: str  # a sentence for a newcomer, to stand behind the outcome and a colon
    stage: str  # which decided: "score", "hold", "fit", "cache", "repair", or a policy of several

    @property
    def outcome_text(self) -> str:
        """The outcome in words."""
        return self.outcome.capitalize()

    @property
    def reason(self) -> str:
        """The whole sentence: the outcome and its explanation."""
        return f"{self.outcome_text}: {self.explanation}"


@dataclass(frozen=True, slots=True)
class TurnDecision(Decision):
    """Whether one earlier turn is shown to the model, and why."""

    score: float | None  # 0…1 for the gate, the policy's own scale otherwise; None when it does not score
    threshold: float | None  # on the scale of the score; None when the rule has none
    logit: float | None  # sigmoid of it is the score; None for policies other than the gate
    parts: Mapping[str, float]  # logits; they add up to `logit`
    forced: bool  # kept or dropped against the policy's choice, by what `stage` names
    how: str  # stands behind "Kept" or "Dropped": "by the gatekeeper"
    is_probability: bool = False  # whether the score says how likely the turn is needed

    @property
    def outcome_text(self) -> str:
        """The outcome in words, and how it came about."""
        return _join_how(self.outcome.capitalize(), self.how)

    @property
    def outcome_name(self) -> str:
        """The outcome in a few words, by the stage that decided: "in case", "recent", "dropped, no room"."""
        if self.stage == REPAIR:
            return f"{self.outcome} {self.how or 'anyway'}"
        if self.stage == CACHE:
            return f"{self.outcome} {self.how}"
        if self.stage in (HOLD, FIT):
            name = _NAMES.get((self.stage, self.rule), "rule")
        elif self.forced:
            return f"{self.outcome} anyway"
        elif self.rule in _BY_AGE:
            name = "recent" if self.kept else "older"
        elif self.stage != SCORE and not self.kept:
            return f"{self.outcome} {self.how}".rstrip()
        elif self.kept and self.is_probability and self.score is not None:
            return NEEDED if self.score >= LIKELY else IN_CASE
        elif self.threshold is None and self.logit is None:  # a score that does not say what is relevant
            return self.outcome
        else:
            name = "relevant" if self.kept else "low score"
        return name if self.kept else f"{self.outcome}, {name}"

    @property
    def kept(self) -> bool:
        """Whether the turn is shown to the model."""
        return self.outcome == KEPT

    @property
    def margin(self) -> float | None:
        """Score less threshold: positive above it, negative below."""
        if self.score is None or self.threshold is None:
            return None
        return self.score - self.threshold

    def to_json(self) -> dict[str, Any]:
        """Return the record as plain JSON values; the index is the turn's in its conversation, from 0."""
        values = {name: getattr(self, name) for name in _JSON_NAMES}
        return {**values, "parts": dict(self.parts)}


@dataclass(frozen=True, slots=True)
class Reason:
    """What a policy says of one turn, and what it names.

    >>> str(Reason("your word “router”; it answers message {}.", turns=(12,)))
    'your word “router”; it answers message 12.'
    """

    text: str  # clauses; `{}` stands for each of the turns in their order, braces are doubled
    turns: tuple[int, ...] = ()  # those that it names
    words: tuple[tuple[int, int], ...] = ()  # those of the turn that it names: offsets in its scored text

    def __str__(self) -> str:
        return self.text.format(*self.turns)

    def renumber(self, number: Callable[[int], int]) -> Reason:
        """Return the reason with other numbers of the same turns."""
        return replace(self, turns=tuple(map(number, self.turns)))


@dataclass(frozen=True, slots=True)
class Why:
    """How one turn came to its outcome, where not all turns are decided alike.

    >>> Why("checkpoint", "confidence 0.62, every 3rd message.", how="at a checkpoint").sentence(kept=True)
    'Kept at a checkpoint: confidence 0.62, every 3rd message.'
    """

    rule: str
    explanation: str  # a sentence without "Kept:" or "Dropped:" in front
    how: str = ""  # stands behind "Kept" or "Dropped"
    stage: str | None = None  # None: that of all the decisions

    def sentence(self, *, kept: bool) -> str:
        """Return the whole sentence."""
        return f"{_join_how('Kept' if kept else 'Dropped', self.how)}: {self.explanation}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Override(Why):
    """A turn kept or dropped against the rule that decided the others."""

    kept: bool


@dataclass(frozen=True, eq=False)
class TurnDecisions:
    """One decision for each turn of a history, as columns; row i is about turn `indices[i]`.

    Where one rule decides all turns, `rule` and the templates `why_kept` and `why_dropped` explain each,
    after what `reasons` says of it. Where it does not, `explain` returns the rule and the reason of a turn,
    by its index, and the templates are not read. NaN is the score of a turn that was decided without one:
    its record has no score, threshold, logit or parts.
    """

    policy: str
    rule: str
    indices: NDArray[np.int64]  # (n,) 0-based, increasing
    kept: NDArray[np.bool_]  # (n,)
    why_kept: str = ""  # templates over score, threshold, margin, as text
    why_dropped: str = ""
    scores: Floats | None = None  # (n,), NaN where there is none; None when the policy does not score
    threshold: float | None = None
    because: str = ""  # which turns are kept, or how the threshold came about: a sentence about all turns
    logits: Floats | None = None  # (n,)
    parts: Mapping[str, Floats] = field(default_factory=dict)  # each (n,), logits
    tier1: Floats | None = None  # (n,) logits of the bilinear tier alone
    attention: Floats | None = None  # (n,) logits of the attention tier alone
    gate_activation: float | None = None  # 0…1: how much of the final logit the attention tier gives
    overrides: Mapping[int, Override] = field(default_factory=dict)  # by turn index
    chosen: NDArray[np.bool_] | None = None  # (n,) what the policy keeps; None: `kept`
    note: Callable[[int], str | None] | None = None  # by turn index: what else to know about it
    explain: Callable[[int], Why] | None = None  # by turn index: which rule decided it, and why
    reasons: Callable[[int], Reason] | None = None  # by turn index: what the policy says of it
    stage: str = SCORE
    is_probability: bool = False  # whether scores say how likely a turn is needed

    def __post_init__(self) -> None:
        n = len(self.indices)
        columns = {
            "kept": self.kept,
            "chosen": self.chosen,
            "scores": self.scores,
            "logits": self.logits,
            **self.parts,
        }
        for name, column in columns.items():
            if column is not None and len(column) != n:
                raise ValueError(f"{name} has {len(column)} rows for {n} turns")

    def __len__(self) -> int:
        return len(self.indices)

    def __iter__(self) -> Iterator[TurnDecision]:
        return (self[row] for row in range(len(self)))

    def __getitem__(self, row: int) -> TurnDecision:
        index, score = int(self.indices[row]), self.value(self.scores, row)
        unscored = self.scores is not None and score is None
        kept, why = bool(self.kept[row]), self.why(index)
        return TurnDecision(
            index=index,
            outcome=KEPT if kept else DROPPED,
            rule=why.rule,
            explanation=why.explanation,
            stage=self.stage if why.stage is None else why.stage,
            score=score,
            threshold=None if unscored else self.threshold,
            logit=None if unscored else self.value(self.logits, row),
            parts={} if unscored else {name: float(column[row]) for name, column in self.parts.items()},
            forced=self.chosen is not None and bool(self.chosen[row]) != kept,
            how=why.how,
            is_probability=self.is_probability,
        )

    def to_json(self) -> dict[str, Any]:
        """Return policy, rule, threshold, gate activation and one record a turn as plain JSON values."""
        names = ("policy", "rule", "threshold", "because", "gate_activation")
        return {name: getattr(self, name) for name in names} | {"turns": [each.to_json() for each in self]}

    def why(self, index: int) -> Why:
        """Return which rule decided turn `index`, and why; KeyError when it was not in the history."""
        row = self._row(index)
        if index in self.overrides:
            why: Why = self.overrides[index]
        else:
            why = self.explain(index) if self.explain else Why(self.rule, self._sentence(row))
        note = self.note(index) if self.note else None
        return replace(why, explanation=f"{why.explanation} {note}") if note else why

    def words(self, index: int) -> tuple[tuple[int, int], ...]:
        """Return the words of turn `index` that its reason names, as offsets in its scored text.

        Raises KeyError when the turn was not in the history.
        """
        why, reason = self.why(index), self.reasons and self.reasons(index)
        return reason.words if reason and str(reason) in why.explanation else ()

    def of(self, index: int) -> TurnDecision:
        """The decision about turn `index` of the conversation; KeyError when it was not in the history."""
        return self[self._row(index)]

    @staticmethod
    def value(column: Floats | None, row: int) -> float | None:
        """Return the number in that row of a column; None when there is none."""
        return None if column is None or np.isnan(column[row]) else float(column[row])

    @property
    def kept_indices(self) -> list[int]:
        """Turn indices that are kept, in order."""
        return [int(index) for index in self.indices[self.kept]]

    def with_overrides(self, overrides: Mapping[int, Override]) -> TurnDecisions:
        """These decisions with some of them changed by a later stage, each with its reason.

        Raises KeyError for a turn that they are not about.
        """
        if not overrides:
            return self
        kept, indices = self.kept.copy(), np.fromiter(overrides, dtype=np.int64)
        rows = np.searchsorted(self.indices, indices)
        if len(self) == 0 or (self.indices[np.minimum(rows, len(self) - 1)] != indices).any():
            raise KeyError(*set(overrides).difference(self.indices.tolist()))
        kept[rows] = [override.kept for override in overrides.values()]
        chosen = self.kept if self.chosen is None else self.chosen
        return replace(self, kept=kept, chosen=chosen, overrides={**self.overrides, **overrides})

    def _row(self, index: int) -> int:
        row = int(np.searchsorted(self.indices, index))
        if row == len(self) or self.indices[row] != index:
            raise KeyError(index)
        return row

    def _sentence(self, row: int) -> str:
        """Return what the rule of all turns says of this one."""
        score, threshold = self.value(self.scores, row), self.threshold
        margin = 0.0 if score is None or threshold is None else abs(score - threshold)
        sentence = (self.why_kept if self.kept[row] else self.why_dropped).format(
            score="" if score is None else format_threshold(score),
            threshold="" if threshold is None else format_threshold(threshold),
            margin="less than 0.01" if 0 < margin < 0.005 else f"{margin:.2f}",
        )
        if self.reasons is None:
            return sentence
        reason = str(self.reasons(int(self.indices[row])))
        is_said = score is not None and say_likely(score) in reason
        is_alone = score is not None and sentence == f"{format_threshold(score)}."
        if score is not None and is_alone:
            return reason if is_said else f"{reason} Score {format_score(score)}."
        return f"{reason} Score {sentence}"
