"""The promise on missed turns: what it keeps, and that its calibration holds on other conversations."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from convgate.core.errors import EvaluationError, PolicyError
from convgate.evaluation.risk_control import Losses, fit_levels
from convgate.evaluation.tuning import ScoredCase, ScoredCases
from convgate.gate.promise import (
    expected_missed,
    level_of,
    min_conversations,
    promise_of,
    read_levels,
    write_levels,
)
from convgate.gate.thresholds import MaxMissed
from convgate.transcripts import Case

CASE = Case("one", "talk", 0, None, frozenset())
histories = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 500)), min_size=1, max_size=30)


def columns(history: list[tuple[float, int]]) -> tuple[np.ndarray, np.ndarray]:
    scores, tokens = zip(*history, strict=True)
    return np.array(scores), np.array(tokens)


def scored_cases(rng: np.random.Generator, conversations: int) -> ScoredCases:
    """Cases of three messages a conversation, whose scores are the probabilities that turns are needed."""
    cases, clusters = [], []
    for number in range(conversations):
        sharpness = rng.uniform(0.2, 3)
        for _ in range(3):
            scores = rng.beta(0.2 * sharpness, sharpness, size=rng.integers(2, 30))
            needed = rng.random(len(scores)) < scores
            tokens = rng.integers(10, 300, size=len(scores))
            rows = np.arange(len(scores))
            cases.append(ScoredCase("one", CASE, 0, scores, tokens, rows, relevant=needed, needed=needed))
            clusters.append(number)
    return ScoredCases(tuple(cases), np.array(clusters), conversations, 0.5)


def missed(scored: ScoredCases, rule: MaxMissed) -> float:
    """The mean share of needed turns that the rule drops, over conversations."""
    losses: dict[int, list[float]] = {}
    for case, cluster in zip(scored.cases, scored.clusters.tolist(), strict=True):
        if case.needed.any():
            kept = rule.cut(case.scores, learned=0.5, tokens=case.tokens).kept
            losses.setdefault(cluster, []).append(float((case.needed & ~kept).sum() / case.needed.sum()))
    return float(np.mean([np.mean(each) for each in losses.values()]))


@given(histories)
def test_a_promise_of_nothing_lost_keeps_every_turn(history: list[tuple[float, int]]):
    scores, tokens = columns(history)
    assert MaxMissed(0.0).cut(scores, learned=0.5, tokens=tokens).kept.all()


@given(histories, st.floats(0, 0.5), st.floats(0, 0.5))
def test_a_weaker_promise_keeps_a_part_of_what_a_stronger_one_keeps(
    history: list[tuple[float, int]], one: float, other: float
):
    scores, tokens = columns(history)
    strong, weak = (
        MaxMissed(promise).cut(scores, learned=0.5, tokens=tokens).kept for promise in sorted([one, other])
    )
    assert (weak <= strong).all()


def test_long_turns_of_little_use_are_dropped_first():
    scores, tokens = np.array([0.3, 0.3, 0.9]), np.array([1_000, 10, 10])
    assert expected_missed(scores, tokens).argsort().tolist() == [0, 1, 2]
    assert MaxMissed(0.35).cut(scores, learned=0.5, tokens=tokens).kept.tolist() == [False, True, True]


def test_in_a_long_history_a_share_is_put_higher():
    for n in (4, 100):
        shares = np.arange(1, n + 1) / n
        assert np.sort(expected_missed(np.ones(n))) == pytest.approx(1 - (1 - shares) ** np.sqrt(n))


def test_nothing_is_kept_where_the_gate_is_sure_that_nothing_is_needed():
    cut = MaxMissed(0.02).cut(np.full(5, 0.001), learned=0.5, tokens=np.full(5, 20))
    assert not cut.kept.any()
    assert cut.threshold is None


@given(st.lists(st.tuples(st.floats(0.001, 0.5), st.floats(0, 1)), min_size=1, max_size=6), st.floats(0, 0.6))
def test_levels_survive_as_text_and_lead_back_to_their_promise(
    pairs: list[tuple[float, float]], promise: float
):
    promises, levels = (sorted({round(value, 4) for value in column}) for column in zip(*pairs, strict=True))
    known = read_levels(write_levels(list(zip(promises, levels, strict=False))))
    assert known == list(zip(promises, levels, strict=False))
    if levels[0] > 0:
        level = level_of(known, promise)
        assert promise_of(known, np.array([level]))[0] == pytest.approx(promise, abs=1e-6)


@pytest.mark.parametrize("text", ["0.02", "a:b", "0.02:0.1 0.01:0.2", "0.01:0.2 0.02:0.1", "0.02:nan"])
def test_levels_that_are_none_are_refused(text: str):
    with pytest.raises(PolicyError):
        MaxMissed(0.02, levels=text)


def test_the_calibrated_promise_holds_on_other_conversations():
    rng = np.random.default_rng(5)
    promise, rates = 0.05, []
    for _ in range(60):
        levels = fit_levels([Losses(scored_cases(rng, 60))], promise)
        rates.append(missed(scored_cases(rng, 60), MaxMissed(promise, levels=write_levels(levels))))
    assert 0.5 * promise < np.mean(rates) <= promise


def test_what_is_held_is_never_lost():
    scored = scored_cases(np.random.default_rng(5), 60)
    assert Losses(scored).risks(np.array([1.0]))[0] == pytest.approx(1)
    held = [
        replace(case, sent=SimpleNamespace(reach=partial(np.where, case.needed, np.inf)))
        for case in scored.cases
    ]
    assert Losses(replace(scored, cases=tuple(held))).risks(np.array([1.0]))[0] == 0


def test_of_several_kinds_the_worst_counts_as_much_as_the_mean_of_all():
    rng = np.random.default_rng(3)
    usual, worse = Losses(scored_cases(rng, 80)), Losses(scored_cases(rng, 80))
    worse.levels = worse.levels / 4
    levels = {name: dict(fit_levels(kinds, 0.05))[0.05] for name, kinds in {
        "usual": [usual], "worse": [worse], "both": [usual, worse]
    }.items()}  # fmt: skip
    assert levels["worse"] < levels["both"] < levels["usual"]
    risks = [float(losses.risks(np.array([levels["both"]]))[0]) for losses in (usual, worse)]
    assert (np.mean(risks) + max(risks)) / 2 == pytest.approx(0.05, abs=0.01)


def test_a_kind_of_few_conversations_does_not_decide_alone():
    rng = np.random.default_rng(3)
    usual, few, many = (Losses(scored_cases(rng, n)) for n in (80, 4, 80))
    for worse in (few, many):
        worse.levels = worse.levels / 4
    levels = {name: dict(fit_levels([usual, *kinds], 0.05))[0.05] for name, kinds in {
        "alone": [], "few": [few], "many": [many]
    }.items()}  # fmt: skip
    assert levels["many"] < levels["few"] < levels["alone"]
    assert levels["few"] > 1.2 * levels["many"]


def test_too_few_conversations_for_a_promise_are_refused():
    rng = np.random.default_rng(0)
    few = Losses(scored_cases(rng, min_conversations(0.05) - 1))
    with pytest.raises(EvaluationError, match="19 labelled conversations"):
        fit_levels([few], 0.05)
    assert dict(fit_levels([few], 0.1)).keys() >= {0.1}
    assert 0.05 not in dict(fit_levels([few], 0.1))
