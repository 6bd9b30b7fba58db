"""Several policies one after the other: each decides about the turns that those before it kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import Floats, Override, Reason, TurnDecisions, Why
from convgate.core.errors import GateError, PolicyError
from convgate.core.parameters import ParameterSet, text
from convgate.embedding.base import Encoder, Progress
from convgate.policies.base import Policy, PreparablePolicy, WholeHistoryPolicy, encoder_of, history_indices
from convgate.policies.spec import PolicySpec, read_policies

DEFAULT_STAGES = "gatekeeper > session > gate"
_HOW = {"gatekeeper": "by the gatekeeper", "gate": "by the gate"}
_COLUMNS = ("scores", "logits", "tier1", "attention")


@dataclass(frozen=True)
class Pipeline(ParameterSet):
    """Turns pass one stage after the other; what a stage drops, the later ones do not see.

    A `WholeHistoryPolicy` sees all turns. A dropped turn names the stage that dropped it; a kept one has the
    reason of the stage that scores: the gate, else the last with scores, else the last. Scores, parts and
    threshold are that stage's too. The stages together do not rank.
    """

    name: ClassVar[str] = "pipeline"
    label: ClassVar[str] = "Pipeline: several, one after the other"
    ranks: ClassVar[bool] = False
    stages: str = text(
        DEFAULT_STAGES, "Stages",
        help="Policies one after the other, as in gatekeeper > session > gate, or with parameters:"
        " last_k(k=5), gate(rule=top_k, k=5), gate@mine",
    )  # fmt: skip
    policies: tuple[Policy, ...] = field(default=(), repr=False)  # one a stage, in the same order

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder that its stages share; None when none of them needs one."""
        encoders = (encoder_of(policy) for policy in self.policies)
        return next((encoder for encoder in encoders if encoder is not None), None)

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Prepare every stage that needs it."""
        for policy in self.policies:
            if isinstance(policy, PreparablePolicy):
                policy.prepare(conversations, progress=progress)

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return the decisions of all stages in one, each turn's with the stage that decided it."""
        results = self._run(current, history)
        n, scoring = len(history), _scoring_stage(results)
        kept = np.ones(n, dtype=np.bool_)
        decided_by: NDArray[np.int64] = np.full(n, scoring)  # the stage whose reason a turn has
        for place, result in enumerate(results):
            dropped = result.rows[~result.kept]
            kept[dropped], decided_by[dropped] = False, place

        def why(index: int) -> Why:
            row = index - history.start
            return results[int(decided_by[row])].why(row)

        overrides = {}
        for place, result in enumerate(results):
            for row in result.forced_rows[decided_by[result.forced_rows] == place].tolist():
                decided = why(row + history.start)
                overrides[row + history.start] = Override(
                    kept=bool(kept[row]),
                    rule=decided.rule,
                    explanation=decided.explanation,
                    how=decided.how,
                    stage=decided.stage,
                )
        chosen = kept.copy()
        chosen[[index - history.start for index in overrides]] ^= True
        scored = results[scoring]
        return replace(
            scored.decisions,
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=kept,
            chosen=chosen,
            overrides=overrides,
            explain=why,
            reasons=lambda index: results[int(decided_by[index - history.start])].reason(
                index - history.start
            ),
            note=None,
            parts={name: scored.spread(part, n) for name, part in scored.decisions.parts.items()},
            **{name: scored.spread(getattr(scored.decisions, name), n) for name in _COLUMNS},
        )

    def _run(self, current: CurrentMessage, history: History) -> list[_StageResult]:
        """Return each stage's result, in order."""
        results: list[_StageResult] = []
        rows, remaining = np.arange(len(history)), (current, history)
        for policy in self.policies:
            sees_all = isinstance(policy, WholeHistoryPolicy)
            decisions = policy.decide(*((current, history) if sees_all else remaining))
            places = rows if sees_all else np.arange(len(rows))
            decisions = _renumber(decisions, history_indices(history)[... if sees_all else rows])
            result = _StageResult(policy.name, decisions, rows, places)
            results.append(result)
            if not result.kept.all():
                rows = rows[result.kept]
                remaining = _only(current, history, rows)
        return results


@dataclass(frozen=True, eq=False)
class _StageResult:
    """A stage's decisions on the turns that reached it."""

    name: str
    decisions: TurnDecisions  # on every turn that the stage saw
    rows: NDArray[np.int64]  # (m,) of the turns that reached it, in the pipeline's history, increasing
    places: NDArray[np.int64]  # (m,) the same turns as rows of `decisions`

    @property
    def kept(self) -> NDArray[np.bool_]:
        """(m,)"""
        return self.decisions.kept[self.places]

    @property
    def forced_rows(self) -> NDArray[np.int64]:
        """Rows in the pipeline's history that the stage kept or dropped against its own rule."""
        return self.rows[np.isin(self.decisions.indices[self.places], list(self.decisions.overrides))]

    def why(self, row: int) -> Why:
        """Return why the turn in that row of the pipeline's history was kept or dropped here."""
        at = self.places[np.searchsorted(self.rows, row)]
        why = replace(self.decisions.why(int(self.decisions.indices[at])), stage=self.name)
        if self.decisions.kept[at]:
            return why
        return replace(why, how=_HOW.get(self.name, f"by the {self.name} stage"))

    def reason(self, row: int) -> Reason:
        """Return what the stage says of the turn in that row of the pipeline's history; empty for nothing."""
        at = self.places[np.searchsorted(self.rows, row)]
        reasons = self.decisions.reasons
        return Reason("") if reasons is None else reasons(int(self.decisions.indices[at]))

    def spread(self, column: Floats | None, n: int) -> Any:
        """Return (n,) a column of the decisions, NaN where a turn did not reach the stage; None for None."""
        if column is None:
            return None
        values = np.full(n, np.nan)
        values[self.rows] = column[self.places]
        return values


def read_stages(stages: str) -> tuple[PolicySpec, ...]:
    """Return the stages that the text names; PolicyError when it names none, one twice, or a pipeline.

    >>> [stage.name for stage in read_stages("gatekeeper > last_k(k=5)")]
    ['gatekeeper', 'last_k']
    """
    try:
        specs = read_policies(stages)
    except PolicyError as error:
        raise PolicyError(
            f'stages of a pipeline are written as in "gatekeeper > session > gate" or "last_k(k=5)": {error}'
        ) from error
    names = [stage.name for stage in specs]
    if Pipeline.name in names:
        raise PolicyError(f"pipeline, stage {names.index(Pipeline.name) + 1}: a pipeline cannot be a stage")
    for name in names:
        if names.count(name) > 1:
            raise PolicyError(f"pipeline: the stage {name} is repeated; each policy may be a stage once")
    return specs


@contextmanager
def in_stage(number: int, stage: PolicySpec) -> Iterator[None]:
    """Add the stage, counted from 1, to a PolicyError or GateError that is raised within."""
    try:
        yield
    except (PolicyError, GateError) as error:
        raise type(error)(f"pipeline, stage {number}, {stage.to_text()}: {error}") from error


def _renumber(decisions: TurnDecisions, indices: NDArray[np.int64]) -> TurnDecisions:
    """Return a stage's decisions whose reasons name turns by their (n,) indices in the whole conversation."""
    if (reasons := decisions.reasons) is None:
        return decisions
    numbers = dict(zip(decisions.indices.tolist(), indices.tolist(), strict=True))
    return replace(decisions, reasons=lambda index: reasons(index).renumber(numbers.__getitem__))


def _scoring_stage(results: Sequence[_StageResult]) -> int:
    """Return the place of the stage whose scores are shown."""
    gates = [index for index, result in enumerate(results) if result.decisions.logits is not None]
    scored = [index for index, result in enumerate(results) if result.decisions.scores is not None]
    return (gates or scored or [len(results) - 1])[-1]


def _only(
    current: CurrentMessage, history: History, rows: NDArray[np.int64]
) -> tuple[CurrentMessage, History]:
    """Return the same message after those turns of the history alone, as a conversation of their own."""
    turns = tuple(history.turns[row] for row in rows.tolist())
    is_turn = current.index is not None
    conversation = replace(history.conversation, turns=(*turns, current.turn) if is_turn else turns)
    return replace(current, index=len(turns) if is_turn else None), History(conversation, 0, len(turns))
