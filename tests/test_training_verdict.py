"""What is held out, where the threshold is put, and whether a child does better than its parent."""

from __future__ import annotations

import copy

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.gate.thresholds import Anchored
from convgate.training.comparing import compare
from convgate.training.episodes import Episode, Question, read_episodes
from convgate.training.fitting import fit_threshold
from convgate.training.holding_out import hold_out
from convgate.training.verdict import Verdict
from tests.planted import planted, small_encoder, small_gate

SETS = st.dictionaries(
    st.sampled_from(["one", "two", "three"]),
    st.lists(st.integers(0, 30).map("talk-{}".format), min_size=1, max_size=40),
    min_size=1,
)


def bare(conversation: str, said: str = "") -> Episode:
    nothing = np.zeros((0, 2), np.float16), np.zeros((0, 0, 0), np.float16)
    return Episode(conversation, *nothing, (), said=(said.encode(),) if said else ())


def ids(sets: dict[str, list[Episode]]) -> set[str]:
    return {episode.conversation for episodes in sets.values() for episode in episodes}


def scored(*cases: list[tuple[float, bool]], typed: bool = False) -> Episode:
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
                typed=typed,
            )
        )
    return Episode("scored", turns, np.zeros((longest, 0, 0), np.float16), tuple(questions))


def plain_gate() -> Gate:
    """A gate whose logit is the product of turn and message, and nothing else."""
    gate = Gate(GateConfig("reference", 4, hidden=4)).eval()
    with torch.no_grad():
        gate.tiers.bilinear.decay_rate.fill_(-50)  # type: ignore[union-attr]
        gate.tiers.attention.residual_gate.fill_(-50)  # type: ignore[union-attr]
    return gate


# Holding out


@given(SETS, st.sampled_from([0.05, 0.2, 0.35, 0.9]))
def test_no_conversation_is_on_both_sides(talks: dict[str, list[str]], share: float) -> None:
    sets = {name: [bare(id) for id in known] for name, known in talks.items()}
    training, validation = hold_out(sets, share=share)
    assert not ids(training) & ids(validation)
    assert ids(training)
    for name, episodes in sets.items():
        both = [*training[name], *validation[name]]
        assert sorted(map(id, both)) == sorted(map(id, episodes)), "nothing is lost or doubled"
        distinct = len({episode.conversation for episode in episodes})
        if len(sets) == 1:
            assert bool(validation[name]) == (distinct > 1)
            assert training[name]


@pytest.mark.parametrize("share", [0.2, 0.35])
@pytest.mark.parametrize("count", [2, 4, 40])
def test_a_conversation_that_two_sets_call_otherwise_is_on_one_side(count: int, share: float) -> None:
    sets = {name: [bare(f"{name}-{n}", f"talk {n}") for n in range(count)] for name in ("labels", "samples")}
    training, held = hold_out(sets, share=share)
    said = [{episode.said for episodes in part.values() for episode in episodes} for part in (training, held)]
    assert said[0]
    assert said[1]
    assert not said[0] & said[1]


def test_about_the_share_is_held_out_and_ever_the_same() -> None:
    some = {"own": [bare(f"talk-{number}") for number in range(400)]}
    more = {"own": [bare(f"talk-{number}") for number in range(600)], "other": [bare("x")]}
    held = ids(hold_out(some, share=0.2)[1])
    assert len(held) / 400 == pytest.approx(0.2, abs=0.05)
    assert held == ids(hold_out(more, share=0.2)[1]) & ids(some)
    assert held < ids(hold_out(some, share=0.35)[1])


def test_what_is_held_out_twice_is_never_the_same() -> None:
    sets = {"own": [bare(f"talk-{number}") for number in range(400)]}
    rest, compared = hold_out(sets, share=0.2)
    training, validation = hold_out(rest, share=0.35)
    assert len(ids(training)) + len(ids(validation)) + len(ids(compared)) == 400
    assert len(ids(validation)) / 400 == pytest.approx(0.15, abs=0.05)


@pytest.mark.parametrize(("count", "held"), [(1, 0), (2, 1), (3, 1)])
def test_of_few_conversations_one_is_held_out_and_of_one_none(count: int, held: int) -> None:
    training, validation = hold_out({"own": [bare(f"x{n}") for n in range(count)]}, share=1e-9)
    assert (len(validation["own"]), len(training["own"])) == (held, count - held)


# The threshold


def test_the_threshold_is_put_where_the_planted_best_is() -> None:
    gate = plain_gate()
    known = [scored([(0.30, False), (0.45, False), (0.62, True), (0.70, True), (0.64, True)])]
    best = fit_threshold(gate, {"own": known})
    assert best == pytest.approx(0.54, abs=0.011), "the middle between 0.45 and 0.62"
    assert gate.learned_threshold == pytest.approx(best)


def test_a_trade_off_is_settled_by_f1() -> None:
    # At 0.25 it keeps 4 with 3 right: F1 6/7. At 0.5 it keeps 2, both right: F1 4/5.
    known = [scored([(0.25, False), (0.35, True), (0.6, True), (0.7, True), (0.21, False)])]
    assert fit_threshold(plain_gate(), {"own": known}) == pytest.approx(0.3, abs=0.051)


def test_every_set_counts_alike_in_the_threshold() -> None:
    low, high = scored([(0.3, True), (0.31, True)]), scored([(0.28, False), (0.35, False), (0.5, True)])
    few = fit_threshold(plain_gate(), {"low": [low], "high": [high]})
    assert few == fit_threshold(plain_gate(), {"low": [low], "high": [high] * 20})
    assert few == pytest.approx(0.29, abs=0.011)
    assert fit_threshold(plain_gate(), {"high": [high]}) == pytest.approx(0.43, abs=0.011)


def test_sets_of_questions_from_outside_count_only_by_themselves() -> None:
    typed = scored([(0.3, True), (0.22, False)], typed=True)
    flow = scored([(0.5, False), (0.7, True)])
    assert fit_threshold(plain_gate(), {"typed": [typed], "flow": [flow]}) == pytest.approx(0.6, abs=0.011)
    assert fit_threshold(plain_gate(), {"typed": [typed]}) == pytest.approx(0.26, abs=0.011)


def test_nothing_to_fit_on_leaves_the_threshold() -> None:
    gate = plain_gate()
    gate.threshold_logit.data.fill_(1.0)
    before = gate.learned_threshold
    assert fit_threshold(gate, {}) is None
    assert fit_threshold(gate, {"none": [], "empty": [scored([(0.5, False)])]}) is None
    assert gate.learned_threshold == before


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_it_is_fitted_for_either_preset(preset: str) -> None:
    gate = small_gate(preset=preset)
    episodes = read_episodes(gate, small_encoder(), planted())
    assert fit_threshold(gate, {"own": episodes}) is not None


def test_with_an_anchor_a_case_without_any_sure_turn_does_not_count_as_kept() -> None:
    unsure = [(0.45, False)] * 3
    sets = {"own": [scored([(0.9, True), (0.3, True)], unsure)]}
    # Up to 0.3 all five are kept, F1 4/7; above 0.45 only one, F1 2/3. With the anchor the three never are.
    without = fit_threshold(plain_gate(), sets)
    assert without is not None
    assert without > 0.45
    assert fit_threshold(plain_gate(), sets, anchor=0.5) == pytest.approx(0.25, abs=0.011)


# Child and parent


def test_a_verdict_counts_turns_and_takes_each_gates_own_threshold() -> None:
    parent = plain_gate()
    child = copy.deepcopy(parent)
    with torch.no_grad():
        child.threshold_logit.fill_(float(np.log(0.35 / 0.65)))
    sets = {
        "one": [scored([(0.4, True), (0.6, True), (0.1, False)], [(0.7, False), (0.2, True)])],
        "two": [scored([(0.38, False), (0.55, True)])],
    }
    verdict = compare(parent, child, sets)
    # Above 0.5: 0.6 and 0.55 are right, 0.7 is wrong, 0.4 and 0.2 are missed. Above 0.35: 0.4 too, and 0.38.
    assert verdict == Verdict(3, 1, pytest.approx(2 * 2 / (3 + 4)), pytest.approx(2 * 3 / (5 + 4)), 1, 1)
    assert verdict is not None
    assert verdict.better
    back = compare(child, parent, sets)
    assert back is not None
    assert not back.better


def test_only_a_higher_f1_is_better_and_the_sentence_says_so() -> None:
    worse, same, better = (Verdict(7, 2, 0.5, f1, 3, 3, -0.1, 0.15) for f1 in (0.4, 0.5, 0.6))
    assert [verdict.better for verdict in (worse, same, better)] == [False, False, True]
    assert worse.sentence == (
        "On 7 messages of 2 conversations that it did not learn from it is no better than its parent: F1"
        " 0.400 against 0.500, 3 turns fixed, 3 broken. The difference in F1 is between −0.10 and +0.15 (95%"
        " interval), so it may be chance."
    )
    assert "it is better than its parent: F1 0.600 against 0.500" in better.sentence


def test_a_version_that_breaks_more_than_it_mends_is_no_better() -> None:
    assert not Verdict(7, 2, 0.404, 0.412, 2, 6).better


def test_a_verdict_is_by_the_rule_that_decides() -> None:
    gate = plain_gate()
    sets = {"own": [scored([(0.45, True), (0.1, False)])]}
    with torch.no_grad():
        gate.threshold_logit.fill_(float(np.log(0.35 / 0.65)))
    kept, nothing = compare(gate, gate, sets), compare(gate, gate, sets, rule=Anchored())
    assert kept is not None
    assert nothing is not None
    assert (kept.child_f1, nothing.child_f1) == (1.0, 0.0)


def test_without_cases_there_is_no_verdict() -> None:
    assert compare(plain_gate(), plain_gate(), {"own": []}) is None


def test_nothing_relevant_and_nothing_kept_is_right() -> None:
    gate = plain_gate()
    assert compare(gate, gate, {"own": [scored([(0.1, False)])]}) == Verdict(1, 1, 1.0, 1.0, 0, 0)
