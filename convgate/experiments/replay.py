"""Replay labelled conversations: which of the needed turns does each arm send, at which tokens?

With a language model the messages are answered too, and the answers tested or judged.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ExperimentError, TranscriptError
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.evaluation.bootstrap import cluster_sums, difference_interval, draw, interval
from convgate.evaluation.judged_cases import REPORT_EVERY, EvaluationProgress, cases_in_order, silent
from convgate.evaluation.metrics import Bools, Terms, ratios
from convgate.experiments.arms import read_arm
from convgate.experiments.judge import ChatModel, Judge, Messages
from convgate.experiments.selection import ArmMessages, ArmRequest, ArmSelector, ArmSelectors
from convgate.language_model import ModelError
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.policies.base import PreparablePolicy, history_indices
from convgate.store.experiments import Experiments
from convgate.transcripts import to_messages
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.problems import Problems
from convgate.transcripts.source import Source
from convgate.versions.card import Metric

Budget = Literal["free", "matched"] | float
"""What the arm sends by itself; the tokens that the control sent for the request; a share of the history."""

Metrics = Mapping[str, Metric]

RECALL, PASSED, WITHOUT_ERRORS = "recall", "passed", "without_errors"
METRICS = (RECALL, "complete", "tokens", "token_share", "signal", PASSED, WITHOUT_ERRORS)
"""recall: of the needed turns, those sent; complete: requests whose needed turns are all sent; tokens: mean
of a request, without the message to answer; token_share: of the history's, those sent; signal: of the tokens
sent, those of needed turns; passed: answers that pass their test; without_errors: answers in which the judge
finds none."""

AnswerCheck = Callable[[Case, Messages, str], Mapping[str, bool]]
"""Returns `passed`, `without_errors` or nothing for a case, its whole conversation and the answer."""


@dataclass(frozen=True)
class RandomOrder:
    """Ranks turns at random, the same in every run; keeps half of them."""

    name: ClassVar[str] = "random"
    label: ClassVar[str] = "Random"
    ranks: ClassVar[bool] = True
    seed: int = 0

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """Return decisions with random scores."""
        key = f"{self.seed}\0{history.conversation.id}\0{len(history)}\0{current.turn.text}"
        digest = blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        scores = np.random.default_rng(int.from_bytes(digest)).random(len(history))
        indices = history_indices(history)
        return TurnDecisions(self.name, self.name, indices, scores >= 0.5, scores=scores)


@dataclass(frozen=True, eq=False)
class ReplayRequest:
    """A case as a conversation that ends with the message to answer. Indices are of that conversation."""

    case: Case
    conversation: Conversation
    needed: frozenset[int]
    judged: frozenset[int]  # turns whose relevance is known, `needed` among them
    counter: TokenCounter | None = None

    @classmethod
    def of(
        cls, relevance_set: RelevanceSet, case: Case, counter: TokenCounter | None = None
    ) -> ReplayRequest:
        """Return the request of a case of the set."""
        current, history = relevance_set.current(case)
        judged = range(history.start, history.stop) if case.judged is None else case.judged
        return cls(
            case,
            Conversation(case.conversation, (*history.turns, current.turn)),
            frozenset(index - history.start for index in case.must_have),
            frozenset(index - history.start for index in judged),
            counter,
        )

    @cached_property
    def tokens(self) -> list[int]:
        """The tokens of each turn."""
        costs: list[int] = turn_tokens(self.conversation.turns, self.counter).tolist()
        return costs

    @property
    def current_tokens(self) -> int:
        """Tokens of the message to answer."""
        return self.tokens[-1]

    @property
    def history_tokens(self) -> int:
        """Tokens of all turns before it."""
        return sum(self.tokens) - self.current_tokens


@dataclass(frozen=True, slots=True)
class ReplayRow:
    """An arm with a budget."""

    arm: str
    budget: Budget
    measures: Metrics  # by METRICS
    gains: Metrics  # its measures less the control's with the same budget, paired; empty for the control
    requests: int  # that need a turn

    def to_json(self) -> dict[str, Any]:
        """Return values and intervals, null where undefined."""
        return {
            "arm": self.arm,
            "budget": self.budget,
            **{name: metric.value for name, metric in self.measures.items()},
            "ci": {name: metric.interval for name, metric in self.measures.items()},
            "gains": {name: {"value": gain.value, "ci": gain.interval} for name, gain in self.gains.items()},
        }


@dataclass(frozen=True, eq=False)
class Replay:
    """What arms sent for the cases of a set; row i of each array is about one case."""

    name: str  # of the set
    control: str
    clusters: NDArray[np.int64]  # (cases,) number of the conversation
    lengths: NDArray[np.int64]  # (cases,) turns of the history
    terms: Mapping[tuple[str, Budget], Terms]  # by arm and budget: (cases, 2, len(METRICS))
    failed: int = 0  # requests that the model did not answer

    @property
    def outcome(self) -> str:
        """Return which of METRICS says most: of the answers, or without any the recall."""
        known = sum(terms[:, 1].sum(axis=0) for terms in self.terms.values())
        return next((name for name in (PASSED, WITHOUT_ERRORS) if known[METRICS.index(name)]), RECALL)

    def rows(self, cases: Bools | None = None, seed: int = 0) -> list[ReplayRow]:
        """Return the measures of each arm and budget with intervals over conversations.

        cases: (cases,) which of them count; all by default.
        """
        rows = np.flatnonzero(np.ones(len(self.clusters), dtype=bool) if cases is None else cases)
        _, clusters = np.unique(self.clusters[rows], return_inverse=True)
        count = int(clusters.max(initial=-1)) + 1
        draws = draw(count, seed=seed)
        sums = {key: cluster_sums(terms[rows], clusters, count) for key, terms in self.terms.items()}
        result = []
        for (arm, budget), own in sums.items():
            values = ratios(own.sum(axis=0))
            gains: Metrics = {}
            if arm != self.control:
                control = sums[self.control, "free" if budget == "matched" else budget]
                difference = values - ratios(control.sum(axis=0))
                gains = _to_metrics(difference, difference_interval(control, own, draws))
            asked = int(own[:, 1, METRICS.index("complete")].sum())
            result.append(ReplayRow(arm, budget, _to_metrics(values, interval(own, draws)), gains, asked))
        return result

    def to_json(self) -> dict[str, Any]:
        """Return the counts and all rows."""
        return {
            "set": self.name,
            "control": self.control,
            "cases": len(self.clusters),
            "conversations": len(np.unique(self.clusters)),
            "failed": self.failed,
            "rows": [row.to_json() for row in self.rows()],
        }


def load_arms(arms: Mapping[str, str], settings: Settings) -> list[ArmSelector]:
    """Return arms by name and text: `random`, or as for `read_arm`; they share encoders.

    Raises as `read_arm`, and for settings with which an arm cannot be built.
    """
    selectors = ArmSelectors()
    return [
        ArmSelector.of(name, RandomOrder(), settings, alone=True)
        if text.strip() == RandomOrder.name
        else selectors.load(read_arm(name, text, "free", settings))
        for name, text in arms.items()
    ]


def replay(
    relevance_set: RelevanceSet,
    arms: Sequence[ArmSelector],
    budgets: Sequence[Budget] = ("free", "matched"),
    *,
    model: ChatModel | None = None,
    check: AnswerCheck | None = None,
    counter: TokenCounter | None = None,
    progress: EvaluationProgress = silent,
) -> Replay:
    """Return what the arms send for each case of the set; the first arm is the control.

    model: answers what is sent. check: tests or judges the answers. counter: tokens of a text.

    Raises ExperimentError for arms of one name, a share outside 0…1, or a set without cases.
    """
    names = [arm.name for arm in arms]
    if not names or len(set(names)) < len(names):
        raise ExperimentError(f"A replay needs arms with different names; got {names}.")
    if any(isinstance(budget, float) and not 0 < budget <= 1 for budget in budgets):
        raise ExperimentError(f"A budget is free, matched, or a share above 0 and up to 1; got {budgets}.")
    cases = cases_in_order(relevance_set)
    if not cases:
        raise ExperimentError(f"{relevance_set.name} has no case to replay.")
    _prepare(relevance_set, cases, arms, progress)
    arms = [replace(arm, selector=replace(arm.selector, counter=counter, around=())) for arm in arms]
    keys = [
        (arm.name, budget) for budget in budgets for arm in arms if budget != "matched" or arm is not arms[0]
    ]
    if "matched" in budgets and "free" not in budgets:
        keys.insert(0, (arms[0].name, "free"))
    terms = {key: np.zeros((len(cases), 2, len(METRICS))) for key in keys}
    answers = _Answers(model, check)
    lengths = []
    for place, case in enumerate(cases):
        if place % REPORT_EVERY == 0:
            progress(f"{relevance_set.name}: replaying", place, len(cases))
        request = ReplayRequest.of(relevance_set, case, counter)
        lengths.append(len(request.conversation) - 1)
        at_request = {arm.name: ArmRequest(arm, request.conversation) for arm in arms}
        control = at_request[names[0]].send(None) if any(key[1] == "matched" for key in keys) else None
        for arm, budget in keys:
            sent = at_request[arm].send(_to_tokens(budget, request, control))
            terms[arm, budget][place] = _terms(request, sent, answers.check(request, sent))
    _, clusters = np.unique([case.conversation for case in cases], return_inverse=True)
    return Replay(relevance_set.name, names[0], clusters, np.array(lengths), terms, answers.failed)


@dataclass(eq=False)
class _Answers:
    """Asks the model once for equal messages of a case."""

    model: ChatModel | None
    verdict: AnswerCheck | None
    failed: int = 0
    known: dict[tuple[str, frozenset[int], int], Mapping[str, bool]] = field(default_factory=dict)

    def check(self, request: ReplayRequest, sent: ArmMessages) -> Mapping[str, bool]:
        """Return what is found in the answer; nothing without a model or an answer."""
        if self.model is None or self.verdict is None:
            return {}
        key = request.case.id, sent.turns, sent.tokens
        if key not in self.known:
            whole = to_messages(list(request.conversation.turns))
            try:
                answer = self.model.complete(sent.messages, str, temperature=0)
                self.known[key] = self.verdict(request.case, whole, answer)
            except ModelError:
                self.failed += 1
                self.known[key] = {}
        return self.known[key]


def check_by_tests(tests: Mapping[str, str]) -> AnswerCheck:
    """Return the check that an answer contains a text, in any case; tests: the texts by the cases' ids."""

    def check(case: Case, _: Messages, answer: str) -> Mapping[str, bool]:
        expected = tests.get(case.id)
        return {} if expected is None else {PASSED: expected.casefold() in answer.casefold()}

    return check


def check_by_judge(judge: Judge, store: Experiments) -> AnswerCheck:
    """Return the check that the judge finds no error; the store keeps its judgements."""

    def check(_: Case, messages: Messages, answer: str) -> Mapping[str, bool]:
        return {WITHOUT_ERRORS: not judge.judge(messages, answer, store)[0]}

    return check


def read_tests(source: Source, *, skip_bad: bool = False) -> tuple[dict[str, str], Problems]:
    """Return what `check_by_tests` takes, of lines {"case", "contains"}, and what was left out.

    Raises BadLinesError for bad lines unless `skip_bad`, and when there is no good one.
    """
    tests: dict[str, str] = {}
    for value, place in source.need_json("tests, one JSON object a line").lines():
        if not isinstance(value, dict) or {type(value.get(key)) for key in ("case", "contains")} != {str}:
            place.leave_out_all(TranscriptError('a line is {"case": TEXT, "contains": TEXT}'))
        else:
            tests[value["case"]] = value["contains"]
    readable = pluralize(len(tests), "test") if tests else None
    return tests, source.report.close(readable, skip_bad=skip_bad)


def _prepare(
    relevance_set: RelevanceSet,
    cases: Sequence[Case],
    arms: Sequence[ArmSelector],
    progress: EvaluationProgress,
) -> None:
    """Let the policies encode all turns at once."""
    questions = tuple(case.query for case in cases if case.query is not None)
    used = dict.fromkeys(case.conversation for case in cases)
    conversations = [relevance_set.conversations[id] for id in used] + [Conversation("questions", questions)]
    for arm in arms:
        if isinstance(arm.policy, PreparablePolicy):
            arm.policy.prepare(conversations, progress=partial(progress, f"{relevance_set.name}: {arm.name}"))


def _to_tokens(budget: Budget, request: ReplayRequest, control: ArmMessages | None) -> int | None:
    """Return the tokens of everything that is sent, the message to answer included; None: no budget."""
    if isinstance(budget, float):
        return int(budget * request.history_tokens) + request.current_tokens
    return control.tokens if budget == "matched" and control is not None else None


def _terms(request: ReplayRequest, sent: ArmMessages, passes: Mapping[str, bool]) -> Terms:
    """Return (2, len(METRICS)) numerators and denominators that one request adds."""
    hits = request.needed & sent.turns
    tokens = sent.tokens - request.current_tokens
    n_needed = len(request.needed)
    values = {
        "recall": (len(hits), n_needed),
        "complete": (n_needed > 0 and len(hits) == n_needed, n_needed > 0),
        "tokens": (tokens, 1),
        "token_share": (tokens, request.history_tokens),
        "signal": tuple(
            sum(request.tokens[index] for index in turns) for turns in (hits, request.judged & sent.turns)
        ),
        **{name: (has_passed, 1) for name, has_passed in passes.items()},
    }
    return np.array([values.get(name, (0, 0)) for name in METRICS], dtype=np.float64).T


def _to_metrics(values: Terms, bounds: Terms) -> Metrics:
    rows = zip(METRICS, values, bounds, strict=True)
    return {name: Metric.of(value, low, high) for name, value, (low, high) in rows}
