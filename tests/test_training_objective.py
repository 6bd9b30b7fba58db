"""Training loss, feature statistics of a new gate, and the verdict on a child."""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from convgate.core.conversation import Conversation, ToolCall, Turn
from convgate.embedding.base import Embeddings
from convgate.evaluation.sending import Sending
from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES
from convgate.gate.rule import Rule
from convgate.training.comparison import compare_gates, fit_threshold_on
from convgate.training.encoder_calibration import measure_whitening
from convgate.training.episodes import Episode, Question, read_episodes
from convgate.training.gate_module import GateModule, GateOutput
from convgate.training.report import Misses, TrainingVerdict, make_verdict
from convgate.training.trainer import (
    ANY_WEIGHT,
    TIER1_WEIGHT,
    any_relevant,
    cross_entropy,
    ranking_loss,
    training_loss,
)
from tests.planted_sets import make_relevance_set, small_encoder, small_gate
from tools.pretraining.sets import measure_features


def row(*values: float) -> Tensor:
    return torch.tensor([list(values)], dtype=torch.float32)


def all_true(like: Tensor) -> Tensor:
    return torch.ones_like(like, dtype=torch.bool)


def test_cross_entropy_is_the_sum_over_the_turns_by_the_root_of_their_number() -> None:
    logits, relevant = row(0.0, 2.0, -1.0, 3.0), row(0, 1, 0, 0)
    terms = [math.log(2), math.log1p(math.exp(-2)), math.log1p(math.exp(-1)), 3 + math.log1p(math.exp(-3))]
    loss = cross_entropy(logits, relevant, all_true(logits))
    assert loss.shape == (1,)
    assert float(loss) == pytest.approx(sum(terms) / math.sqrt(4))


def test_ranking_asks_that_each_needed_turn_is_above_all_irrelevant_ones() -> None:
    logits, target = row(2.0, -1.0, 1.0, 0.0, 3.0), row(1, 1, 0, 0, 0.5)
    above = math.exp(1.0) + math.exp(0.0)  # a turn that only helps is neither above nor below
    expected = (math.log1p(above / math.exp(2.0)) + math.log1p(above / math.exp(-1.0))) / 2
    loss = ranking_loss(logits, target, all_true(logits))
    assert loss.shape == (1,)
    assert float(loss) == pytest.approx(expected)


def test_ranking_is_nothing_without_a_needed_or_without_an_irrelevant_turn() -> None:
    logits = row(2.0, -1.0)
    for target in (row(0, 0), row(0.5, 0), row(1, 1), row(1, 0.5)):
        assert float(ranking_loss(logits, target, all_true(logits))) == pytest.approx(0)


def test_masked_places_count_nothing_and_get_no_gradient() -> None:
    logits = torch.tensor([[0.5, 80.0, -1.0], [1e4, -1e4, 0.2]], requires_grad=True)
    relevant = torch.tensor([[1.0, 0, 0], [0, 0, 1.0]])
    mask = torch.tensor([[True, False, True], [False, False, True]])
    losses = cross_entropy(logits, relevant, mask)
    bare = [row(0.5, -1.0), row(1, 0)], [row(0.2), row(1)]
    for loss, (alone, known) in zip(losses.tolist(), bare, strict=True):
        assert loss == pytest.approx(float(cross_entropy(alone, known, all_true(alone))))
    rankings = ranking_loss(logits, relevant, mask)
    assert float(rankings[0].detach()) == pytest.approx(float(ranking_loss(*bare[0], all_true(bare[0][0]))))
    (losses.sum() + rankings.sum()).backward()
    assert logits.grad is not None
    assert torch.equal(logits.grad != 0, mask)


def test_the_loss_of_anything_is_the_cross_entropy_of_one_probability() -> None:
    logits = row(0.0, 0.0)  # nothing is relevant with (1/2 · 1/2)^0.7
    nothing = 0.25**0.7
    assert float(any_relevant(logits, row(0, 1), all_true(logits))) == pytest.approx(-math.log(1 - nothing))
    loss = float(any_relevant(logits, row(0, 0), all_true(logits)))
    assert loss == pytest.approx(8 * math.log1p(-math.log(nothing) / 8))


def test_the_objective_is_both_tiers_anything_and_the_ranking() -> None:
    logit, tier1 = torch.tensor([[0.5, -1.0], [2.0, 0.0]]), torch.tensor([[-0.3, 0.4], [0.0, 1.0]])
    relevant, mask = torch.tensor([[1.0, 0], [0, 1]]), torch.tensor([[True, True], [True, False]])
    output = GateOutput(logit, tier1, torch.full((2, 2), 9.0), torch.tensor(0.5))
    both = cross_entropy(logit, relevant, mask) + TIER1_WEIGHT * cross_entropy(tier1, relevant, mask)
    both = both + ANY_WEIGHT * any_relevant(logit, relevant, mask)
    for weight in (0.0, 2.0):
        expected = float((both + weight * ranking_loss(logit, relevant, mask)).mean())
        assert float(training_loss(output, relevant, mask, ranking_weight=weight)) == pytest.approx(expected)


def drawn(spreads: Sequence[float], *, count: int = 4_000) -> Embeddings:
    """(count, d) with these standard deviations along directions that are no axes, around a mean."""
    rng = np.random.default_rng(0)
    directions = np.linalg.qr(rng.standard_normal((len(spreads), len(spreads))))[0]
    rows = rng.standard_normal((count, len(spreads))) * spreads @ directions.T + 0.7
    return np.asarray(rows, dtype=np.float32)


def test_whitening_takes_the_root_of_every_directions_spread() -> None:
    embeddings = drawn([1.0, 0.25, 0.04])
    W, mean = measure_whitening(embeddings).values()
    whitened = (embeddings - mean) @ W.T  # before it is brought to length 1
    assert whitened.mean(axis=0) == pytest.approx([0, 0, 0], abs=1e-4)
    spreads = np.sqrt(np.linalg.eigvalsh(np.cov(whitened.T)))[::-1]
    assert spreads / spreads[0] == pytest.approx([1.0, 0.5, 0.2], rel=0.05)
    assert np.allclose(W, W.T, atol=1e-5)


def test_features_of_the_measured_set_have_mean_0_and_spread_1() -> None:
    episodes = read_episodes(small_gate(), small_encoder(), make_relevance_set())
    usual, spread = measure_features([episodes], seed=0).values()
    rows = np.concatenate([q.features for episode in episodes for q in episode.questions]).astype(np.float32)
    standard = (rows - usual) / spread
    varies = rows.std(axis=0) > 0.05
    assert 10 < varies.sum() < len(FEATURES)
    assert standard.mean(axis=0) == pytest.approx(np.zeros(len(FEATURES)), abs=1e-3)
    assert standard[:, varies].std(axis=0) == pytest.approx(np.ones(varies.sum()), rel=1e-3)
    assert spread[~varies] == pytest.approx(0.05)


def scored_episode(*cases: list[tuple[float, bool]], typed: bool = False) -> Episode:
    """An episode whose turns score these values with `plain_gate`; whether each matters."""
    longest = max(map(len, cases))
    turns = np.zeros((longest, 4), np.float16)
    questions = []
    for number, case in enumerate(cases):
        assert len(cases) <= 4, "a dimension a case"
        for place, (score, _) in enumerate(case):
            turns[place, number] = np.log(score / (1 - score))
        relevant = np.array([place for place, (_, matters) in enumerate(case) if matters], dtype=np.int64)
        questions.append(
            Question(
                np.eye(4, dtype=np.float16)[number],
                np.zeros((len(case), 0), np.float16),
                len(case),
                relevant,
                relevant,
                typed=typed,
            )
        )
    return Episode("scored", turns, np.zeros((longest, 0, 0), np.float16), tuple(questions))


def plain_gate() -> GateModule:
    """A gate whose logit is the product of turn and message, and nothing else."""
    gate = GateModule(GateConfig("reference", 4, hidden=4)).eval()
    with torch.no_grad():
        gate.tiers.bilinear.decay_rate.fill_(-50)
        gate.tiers.attention.residual_gate.fill_(-50)
    return gate


def compared(
    parent: GateModule, child: GateModule, sets: Any, *, rule: Rule | None = None
) -> TrainingVerdict | None:
    cases = compare_gates(parent, child, sets, rules=rule and (rule, rule))
    return make_verdict(cases)[0] if cases else None


# The threshold


def test_the_threshold_is_put_where_the_planted_best_is() -> None:
    gate = plain_gate()
    known = [scored_episode([(0.30, False), (0.45, False), (0.62, True), (0.70, True), (0.64, True)])]
    best = fit_threshold_on(gate, {"own": known})
    assert best == pytest.approx(0.54, abs=0.011), "the middle between 0.45 and 0.62"
    assert gate.learned_threshold == pytest.approx(best)


# Child and parent


def test_gates_are_compared_by_what_is_sent() -> None:
    call = Turn("assistant", tool_calls=(ToolCall("a", "weather", "{}"),))
    told = (Turn.of("system", "Plan trips."), Turn.of("user", "Hello."), Turn.of("assistant", "Hello."))
    asked = (Turn.of("user", "How warm is Rome?"), call, Turn.of("tool", "31 degrees", tool_call_id="a"))
    episode = scored_episode([(score, score == 0.3) for score in (0.2, 0.1, 0.15, 0.12, 0.3, 0.6)])
    for before in ((), (Turn.of("user", "Hello."), Turn.of("assistant", "Hello."))):  # an episode's stretch
        sent = Sending().at(
            *Conversation("scored", (*before, *told, *asked, Turn.of("user", "And Oslo?"))).find_current()
        )
        (case,) = compare_gates(
            plain_gate(), plain_gate(), {"own": [episode]}, sent=lambda *_, sent=sent: sent
        )
        assert case.parent_kept.tolist() == case.child_kept.tolist() == [True, False, False, True, True, True]
        assert case.child_reach == pytest.approx([np.inf, 0.15, 0.15, 0.12, 0.6, 0.6], abs=0.001)


def test_a_verdict_counts_turns_and_takes_each_gates_own_threshold() -> None:
    parent = plain_gate()
    child = copy.deepcopy(parent)
    with torch.no_grad():
        child.threshold_logit.fill_(float(np.log(0.35 / 0.65)))
    sets = {
        "one": [scored_episode([(0.4, True), (0.6, True), (0.1, False)], [(0.7, False), (0.2, True)])],
        "two": [scored_episode([(0.38, False), (0.55, True)])],
    }
    verdict = compared(parent, child, sets)
    # Above 0.5: 0.6 and 0.55 are right, 0.7 is wrong, 0.4 and 0.2 are missed. Above 0.35: 0.4 too, and 0.38.
    assert verdict == TrainingVerdict(
        3, 1, 1, 1,
        Misses(3, 2, 1, *map(pytest.approx, (1.5 / 3, 1 / 3, 3 / 7, 5 / 7))),
        *map(pytest.approx, (13 / 18, 13 / 18)),  # 2 of 3 tokens, 2 of 2, and 1 of 2
    )  # fmt: skip
    assert not verdict.better, "another threshold puts no turn in another order"
