"""One policy's decisions on the cases of a relevance set, with what is relevant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation
from convgate.core.decisions import Floats, TurnDecisions
from convgate.core.errors import PolicyError
from convgate.core.filling import use_per_token
from convgate.evaluation.metrics import BUDGETS, METRICS, Bools, Terms, attainable_shares, case_terms
from convgate.evaluation.sending import Sending, SentTurns
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.policies.base import Policy, PreparablePolicy

if TYPE_CHECKING:
    from convgate.transcripts import Case, RelevanceSet

TokenCounts = NDArray[np.int64]

REPORT_EVERY = 32  # cases between two reports of progress


class EvaluationProgress(Protocol):
    """Called as work goes on: what is being done, how much of it, of how much."""

    def __call__(self, stage: str, done: int, total: int, /) -> Any:
        """Report progress."""
        ...


def silent(stage: str, done: int, total: int, /) -> None:
    """Report nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class JudgedCase:
    """One case with a policy's decisions; row i of each column is about turn `indices[i]`.

    The columns are of the n turns that are judged: the whole history, unless the case says otherwise.
    """

    case: Case
    relevant: Bools  # (n,)
    needed: Bools  # (n,) without which the answer is wrong
    decisions: TurnDecisions  # on every turn of the history, before any message repair
    kept: Bools  # (n,) with a `Sending`: that are sent
    scores: Floats | None  # (n,), None when the policy does not rank
    tokens: TokenCounts  # (n,)
    indices: NDArray[np.int64]  # (n,) of the turns in the conversation
    sent: SentTurns | None = None  # of the whole history, with a `Sending`

    @property
    def values(self) -> Floats | None:
        """(n,) by which a budget is filled: the gate's use per token, the scores of other policies."""
        if self.scores is None or self.decisions.logits is None:
            return self.scores
        return use_per_token(self.scores, self.tokens)


@dataclass(frozen=True, eq=False)
class JudgedSet:
    """What one policy decided about every judged turn of a set; row i of each column is about one turn."""

    name: str  # of the set
    cases: tuple[Case, ...]  # in the order of `cases_in_order`
    case: NDArray[np.int64]  # (n,) row of the turn's case in `cases`
    turns: NDArray[np.int64]  # (n,) index of the turn in its conversation
    relevant: Bools  # (n,)
    needed: Bools  # (n,)
    kept: Bools  # (n,)
    scores: Floats | None  # (n,); None from a policy that does not rank
    tokens: TokenCounts  # (n,)
    terms: Terms  # (cases, 2, len(METRICS)), what each case adds to each metric

    @cached_property
    def clusters(self) -> NDArray[np.int64]:
        """(cases,) number of each case's conversation, from 0."""
        _, clusters = np.unique([case.conversation for case in self.cases], return_inverse=True)
        return clusters.astype(np.int64)

    @property
    def conversations(self) -> int:
        """How many conversations the cases come from."""
        return int(self.clusters.max(initial=-1)) + 1

    @property
    def attainable(self) -> dict[str, float | None]:
        """By budget, the share of cases whose needed turns fit at all, of those that need one."""
        fits, is_asked = np.zeros((len(self.cases), len(BUDGETS))), np.zeros(len(self.cases), dtype=np.bool_)
        for row in range(len(self.cases)):
            of_case = slice(*np.searchsorted(self.case, [row, row + 1]))
            is_asked[row] = self.needed[of_case].any()
            fits[row] = attainable_shares(self.needed[of_case], self.tokens[of_case])
        means = fits[is_asked].mean(axis=0).tolist() if is_asked.any() else [None] * len(BUDGETS)
        return {f"{budget:.0%}": mean for budget, mean in zip(BUDGETS, means, strict=True)}


def judge(
    relevance_set: RelevanceSet,
    policy: Policy,
    *,
    tokens: Mapping[str, TokenCounts],
    sending: Sending | None = None,
    progress: EvaluationProgress = silent,
) -> Iterator[JudgedCase]:
    """Return each case with the policy's decisions on its history, in the order of `cases_in_order`.

    Turns that are not judged are in the history that the policy decides about, and in none of the columns.

    tokens: (turns,) counts by conversation id, as `count_tokens` makes them. sending: finds what is sent
    beside what the policy keeps; None: nothing. A policy that has `prepare(conversations, progress=)` is
    given all it will see beforehand, to encode it in batches.

    Raises PolicyError when the policy's decisions do not cover the history or its scores are unusable.
    """
    _prepare(relevance_set, policy, progress)
    cases = cases_in_order(relevance_set)
    stage = f"{relevance_set.name}: {policy.name}"
    for done, case in enumerate(cases):
        if done % REPORT_EVERY == 0:
            progress(stage, done, len(cases))
        current, history = relevance_set.current(case)
        decisions = policy.decide(current, history)
        _check(decisions, policy, case, history.start, history.stop)
        sent = sending.at(current, history) if sending else None
        counts = tokens[case.conversation][history.start : history.stop]
        yield judge_case(case, decisions, counts, ranks=policy.ranks, sent=sent)
    progress(stage, len(cases), len(cases))


def judge_case(
    case: Case,
    decisions: TurnDecisions,
    tokens: TokenCounts,
    *,
    ranks: bool = True,
    sent: SentTurns | None = None,
) -> JudgedCase:
    """Return a case with decisions on its whole history; tokens: (turns of the history,)."""
    start = int(decisions.indices[0]) if len(decisions) else 0
    stop = start + len(decisions)
    rows: slice | Bools = slice(None)
    if case.judged is not None:
        rows = _mask(case.judged, start, stop)
    return JudgedCase(
        case=case,
        relevant=_mask(case.relevant, start, stop)[rows],
        needed=_mask(case.must_have, start, stop)[rows],
        decisions=decisions,
        kept=(sent.of(decisions.kept) if sent else decisions.kept)[rows],
        scores=decisions.scores[rows] if ranks and decisions.scores is not None else None,
        tokens=tokens[rows],
        indices=decisions.indices[rows],
        sent=sent,
    )


def judge_all(
    relevance_set: RelevanceSet,
    policies: Mapping[str, Policy],
    counter: TokenCounter | None = None,
    *,
    progress: EvaluationProgress = silent,
) -> dict[str, JudgedSet]:
    """Return the decisions of each policy, by name; arguments and errors as in `count_tokens` and `judge`."""
    tokens = count_tokens(relevance_set, counter, progress=progress)
    return {
        name: judge_set(relevance_set, policy, tokens=tokens, progress=progress)
        for name, policy in policies.items()
    }


def judge_set(
    relevance_set: RelevanceSet,
    policy: Policy,
    *,
    tokens: Mapping[str, TokenCounts],
    sending: Sending | None = None,
    progress: EvaluationProgress = silent,
) -> JudgedSet:
    """Return the policy's decisions on every case; arguments and errors as in `judge`."""
    judged = list(judge(relevance_set, policy, tokens=tokens, sending=sending, progress=progress))
    terms = [
        case_terms(each.relevant, each.kept, each.scores, each.tokens, needed=each.needed, values=each.values)
        for each in judged
    ]
    scores = [np.zeros(0) if each.scores is None else each.scores for each in judged]
    return JudgedSet(
        name=relevance_set.name,
        cases=tuple(each.case for each in judged),
        case=np.repeat(np.arange(len(judged)), [len(each.relevant) for each in judged]),
        turns=join_columns([each.indices for each in judged], np.int64),
        relevant=join_columns([each.relevant for each in judged], np.bool_),
        needed=join_columns([each.needed for each in judged], np.bool_),
        kept=join_columns([each.kept for each in judged], np.bool_),
        scores=join_columns(scores, np.float64) if policy.ranks else None,
        tokens=join_columns([each.tokens for each in judged], np.int64),
        terms=np.array(terms).reshape(-1, 2, len(METRICS)),
    )


def join_sets(parts: Sequence[JudgedSet]) -> JudgedSet:
    """Return the set whose cases were judged in parts, at least one, in the order of `cases_in_order`."""
    first_cases = np.cumsum([0, *(len(part.cases) for part in parts)])

    def join(name: str) -> Any:
        columns = [getattr(part, name) for part in parts]
        return None if columns[0] is None else np.concatenate(columns)

    columns = ("turns", "relevant", "needed", "kept", "scores", "tokens", "terms")
    return JudgedSet(
        name=parts[0].name,
        cases=tuple(case for part in parts for case in part.cases),
        case=np.concatenate([part.case + first for part, first in zip(parts, first_cases, strict=False)]),
        **{name: join(name) for name in columns},
    )


def join_columns(parts: Sequence[NDArray[Any]], kind: type[Any]) -> NDArray[Any]:
    """Return (n,) the columns one after the other; empty without any."""
    return np.concatenate([*parts, np.zeros(0, dtype=kind)]).astype(kind)


def cases_in_order(relevance_set: RelevanceSet) -> list[Case]:
    """Return the cases with a judged turn by conversation and id: the order of a file changes no figure."""
    judged = [case for case in relevance_set.cases if case.says_something]
    return sorted(judged, key=lambda case: (case.conversation, case.id))


def count_tokens(
    relevance_set: RelevanceSet, counter: TokenCounter | None = None, *, progress: EvaluationProgress = silent
) -> dict[str, TokenCounts]:
    """Return (turns,) tokens of each turn, by conversation id, for every conversation that has a case.

    counter: tokens of a text; the word pieces of the bundled encoder by default.
    """
    needed = _conversations(relevance_set)
    stage = f"{relevance_set.name}: counting tokens"
    counts = {}
    for done, conversation in enumerate(needed):
        progress(stage, done, len(needed))
        counts[conversation.id] = turn_tokens(conversation.turns, counter)
    progress(stage, len(needed), len(needed))
    return counts


def _conversations(relevance_set: RelevanceSet) -> list[Conversation]:
    return [
        relevance_set.conversations[id]
        for id in sorted({case.conversation for case in cases_in_order(relevance_set)})
    ]


def _prepare(relevance_set: RelevanceSet, policy: Policy, progress: EvaluationProgress) -> None:
    if not isinstance(policy, PreparablePolicy):
        return
    # Typed questions are in no conversation; as one of their own they are encoded in the same batches.
    questions = tuple(case.query for case in cases_in_order(relevance_set) if case.query is not None)
    asked = [Conversation(id=f"questions of {relevance_set.name}", turns=questions)] if questions else []

    conversations = [*_conversations(relevance_set), *asked]
    stage = f"{relevance_set.name}: preparing {policy.name}"
    total = sum(len(conversation) for conversation in conversations)
    # A policy that finds all of them in its cache, or loads its encoder first, reports nothing for a while.
    progress(stage, 0, total)
    policy.prepare(conversations, progress=partial(progress, stage))
    progress(stage, total, total)


def _mask(turns: frozenset[int], start: int, stop: int) -> Bools:
    """Return (stop - start,) which turns of the history are in the set; none before the window."""
    mask = np.zeros(stop - start, dtype=np.bool_)
    mask[[index - start for index in turns if start <= index < stop]] = True
    return mask


def _check(decisions: TurnDecisions, policy: Policy, case: Case, start: int, stop: int) -> None:
    def fault(problem: str) -> PolicyError:
        return PolicyError(f"policy {policy.name!r} cannot be evaluated: in case {case.id!r} {problem}")

    indices = decisions.indices
    if len(indices) != stop - start or (len(indices) and (indices[0] != start or indices[-1] != stop - 1)):
        raise fault(
            f"it decided about {len(indices)} turns, but the history is the {stop - start} turns from {start}"
        )
    if policy.ranks and len(indices):
        if decisions.scores is None:
            raise fault("it gave no scores, though it says that it ranks")
        if np.isnan(decisions.scores).any():
            row = int(np.flatnonzero(np.isnan(decisions.scores))[0])
            raise fault(f"the score of turn {indices[row]} is not a number")
