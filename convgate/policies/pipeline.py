"""Several policies one after the other: each decides about the turns that those before it left."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, History, Situation
from convgate.core.decisions import Floats, Override, TurnDecisions, Why
from convgate.core.errors import GateError, PolicyError
from convgate.core.parameters import Checked, text
from convgate.embedding.base import Encoder, Progress
from convgate.policies.base import Policy, Prepares, SeesAll, history_indices
from convgate.policies.spec import PolicySpec, read_policies, to_text

DEFAULT_STAGES = "gatekeeper > session > gate"
_HOW = {"gatekeeper": "by the gatekeeper", "gate": "by the gate"}


@dataclass(frozen=True)
class Pipeline(Checked):
    """Turns pass one stage after the other; what a stage drops, the later ones do not see.

    Only what decides by the conversation as it happened (`SeesAll`: sessions, the gatekeeper) sees all of it,
    and so decides as it does alone.

    A dropped turn names the stage that dropped it. A kept one has the reason of the stage that scores: the
    gate if there is one, else the last that has scores, else the last. Scores, parts and threshold are that
    stage's too, and turns that did not reach it have none. The stages together do not rank.
    """

    name: ClassVar[str] = "pipeline"
    needs_encoder: ClassVar[bool] = False  # its stages may: `registry.needs_encoder` looks at them
    label: ClassVar[str] = "Pipeline: several, one after the other"
    ranks: ClassVar[bool] = False
    stages: str = text(
        DEFAULT_STAGES, "Stages",
        help="Policies one after the other, as in gatekeeper > session > gate, or with what is set of them:"
        " last_k(k=5), gate(rule=top_k, k=5), gate@mine",
    )  # fmt: skip
    policies: tuple[Policy, ...] = field(default=(), repr=False)  # one a stage, in the same order

    def __post_init__(self) -> None:
        Checked.__post_init__(self)
        if len(self.policies) != len(read_stages(self.stages)):
            raise PolicyError(f"pipeline: {len(self.policies)} policies are given for {self.stages!r}")

    @classmethod
    def of(cls, stages: str, make: Callable[[PolicySpec], Policy]) -> Pipeline:
        """Return the pipeline whose stages `make` makes; PolicyError names the stage that cannot be."""
        made = []
        for place, stage in enumerate(read_stages(stages), start=1):
            with in_stage(place, stage):
                made.append(make(stage))
        return cls(to_text(read_stages(stages)), tuple(made))

    @cached_property
    def encoder(self) -> Encoder | None:
        """The encoder that its stages share; None when none of them needs one."""
        found = (getattr(policy, "encoder", None) for policy in self.policies)
        return next((encoder for encoder in found if encoder is not None), None)

    def prepare(self, conversations: Sequence[Conversation], *, progress: Progress | None = None) -> None:
        """Have every stage prepare that does so."""
        for policy in self.policies:
            if isinstance(policy, Prepares):
                policy.prepare(conversations, progress=progress)

    def decide(self, situation: Situation, history: History) -> TurnDecisions:
        """Return every stage's decisions in one, each turn's with the stage that decided it."""
        passed = self.passed(situation, history)
        n, scoring = len(history), _scoring(passed)
        decided_by: NDArray[np.int64] = np.full(n, scoring)  # the stage that says why
        for place, one in enumerate(passed):
            decided_by[one.rows[~one.kept]] = place
        kept = np.zeros(n, dtype=np.bool_)
        kept[passed[-1].left] = True

        def told(index: int) -> Why:
            row = index - history.start
            return passed[int(decided_by[row])].why(row)

        forced = [
            int(row) for place, one in enumerate(passed) for row in one.forced if decided_by[row] == place
        ]
        return replace(
            passed[scoring].spread(n),
            policy=self.name,
            rule=self.name,
            indices=history_indices(history),
            kept=kept,
            overrides={row + history.start: _forced(kept[row], told(row + history.start)) for row in forced},
            told=told,
        )

    def passed(self, situation: Situation, history: History) -> list[Passed]:
        """Return what each stage decided, in order, about the turns that reached it."""
        passed: list[Passed] = []
        rows, left = np.arange(len(history)), (situation, history)
        for policy in self.policies:
            seen = (situation, history) if isinstance(policy, SeesAll) else left
            one = Passed(policy, *seen, rows, policy.decide(*seen))
            passed.append(one)
            if len(one.left) < len(rows):
                rows = one.left
                left = _without(situation, history, rows)
        return passed


@dataclass(frozen=True, eq=False)
class Passed:
    """One stage: what reached it, and what it made of that."""

    policy: Policy
    situation: Situation  # as the stage saw it
    history: History  # likewise: all of the pipeline's, or what was left of it as a conversation of its own
    rows: NDArray[np.int64]  # (m,) of the turns that reached it, in the pipeline's history, increasing
    decisions: TurnDecisions  # on every turn of `history`

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """(m,) the turns that reached it, as rows of its decisions."""
        return self.rows if len(self.decisions) > len(self.rows) else np.arange(len(self.rows))

    @cached_property
    def kept(self) -> NDArray[np.bool_]:
        """(m,)"""
        return self.decisions.kept[self.places]

    @property
    def left(self) -> NDArray[np.int64]:
        """Rows in the pipeline's history of what the stage kept."""
        return self.rows[self.kept]

    @property
    def forced(self) -> NDArray[np.int64]:
        """Rows in the pipeline's history that the stage kept or dropped against its own rule."""
        return self.rows[np.isin(self.decisions.indices[self.places], list(self.decisions.overrides))]

    def why(self, row: int) -> Why:
        """Why the turn in that row of the pipeline's history was kept or dropped here, with the stage."""
        at, name = self.places[np.searchsorted(self.rows, row)], self.policy.name
        why = self.decisions.why(int(self.decisions.indices[at]))
        if self.decisions.kept[at]:
            return replace(why, stage=name)
        return replace(why, how=_HOW.get(name, f"by the {name} stage"), stage=name)

    def spread(self, n: int) -> TurnDecisions:
        """Return the decisions with the columns of all n turns, NaN where a turn did not reach the stage."""
        found = self.decisions

        def over(column: Floats | None) -> Floats | None:
            if column is None:
                return None
            wide = np.full(n, np.nan)
            wide[self.rows] = column[self.places]
            return wide

        return TurnDecisions(
            policy=found.policy,
            rule=found.rule,
            indices=np.arange(n),
            kept=np.zeros(n, dtype=np.bool_),
            scores=over(found.scores),
            threshold=found.threshold,
            logits=over(found.logits),
            parts={name: wide for name, column in found.parts.items() if (wide := over(column)) is not None},
            tier1=over(found.tier1),
            attention=over(found.attention),
            gate_activation=found.gate_activation,
        )


def read_stages(stages: str) -> tuple[PolicySpec, ...]:
    """Return the stages that the text names; PolicyError when it names none, one twice, or a pipeline.

    >>> [stage.name for stage in read_stages("gatekeeper > last_k(k=5)")]
    ['gatekeeper', 'last_k']
    """
    try:
        read = read_policies(stages)
    except PolicyError as error:
        raise PolicyError(
            f'stages of a pipeline are written as in "gatekeeper > session > gate" or "last_k(k=5)": {error}'
        ) from error
    names = [stage.name for stage in read]
    if Pipeline.name in names:
        raise PolicyError(
            f"pipeline, stage {names.index(Pipeline.name) + 1}: a pipeline cannot stand in another"
        )
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise PolicyError(f"pipeline: the stage {twice[0]} stands twice; each policy may stand once")
    return read


@contextmanager
def in_stage(place: int, stage: PolicySpec) -> Iterator[None]:
    """Have a PolicyError or GateError from within name the stage, counted from 1."""
    try:
        yield
    except (PolicyError, GateError) as error:
        raise type(error)(f"pipeline, stage {place}, {stage.to_text()}: {error}") from error


def _scoring(passed: Sequence[Passed]) -> int:
    """Return the place of the stage whose scores are shown."""
    gates = [place for place, one in enumerate(passed) if one.decisions.logits is not None]
    scored = [place for place, one in enumerate(passed) if one.decisions.scores is not None]
    return (gates or scored or [len(passed) - 1])[-1]


def _forced(kept: np.bool_, why: Why) -> Override:
    return Override(why.rule, why.reason, why.how, why.stage, kept=bool(kept))


def _without(situation: Situation, history: History, rows: NDArray[np.int64]) -> tuple[Situation, History]:
    """Return the same message after those turns of the history alone, as a conversation of their own."""
    turns = tuple(history.turns[row] for row in rows.tolist())
    here = situation.index is not None
    talk = replace(history.conversation, turns=(*turns, situation.turn) if here else turns)
    return replace(situation, index=len(turns) if here else None), History(talk, 0, len(turns))
