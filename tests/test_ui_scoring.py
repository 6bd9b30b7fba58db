"""What Explore keeps between runs belongs to the weights and the rule that made it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.gate.thresholds import TopK
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.session import SessionPolicy
from convgate.policies.window import LastK
from convgate.sessions import BoundaryRules
from convgate.ui import scoring
from convgate.ui.explore import matrix
from convgate.ui.judging import digest
from convgate.ui.scoring import Moment
from tests.fakes import FakeEncoder
from tests.gates import trained_gate


@pytest.fixture
def moment() -> Moment:
    turns = tuple(Turn.of("user", text) for text in ("nan loss", "fibonacci", "empty batch", "loss is nan"))
    conversation = Conversation("talk", turns)
    return Moment("a key", *conversation.at(3))


@pytest.fixture
def gates() -> tuple[GatePolicy, GatePolicy]:
    """Two gates whose folders have the same name."""
    encoder = FakeEncoder()
    return (
        GatePolicy(trained_gate(seed=1), encoder, version="mine"),
        GatePolicy(trained_gate(seed=2), encoder, version="mine"),
    )


def test_scores_of_one_gate_are_not_taken_for_those_of_another(
    moment: Moment, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    one, other = (scoring.scored(gate, moment).scores.scores for gate in gates)
    assert not np.allclose(one, other)
    assert scoring.scored(gates[0], moment).scores.scores is one, "kept"
    first, second = (scoring.words(gate, moment, 0) for gate in gates)
    assert first != second
    first_links, second_links = (scoring.links(gate, moment, 0) for gate in gates)
    assert first_links != second_links


def test_matrix_of_one_gate_is_not_taken_for_that_of_another(
    moment: Moment, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    one, other = (matrix.scores(gate, moment, 0) for gate in gates)
    assert not np.allclose(one, other, equal_nan=True)
    assert matrix.scores(gates[0], moment, 0) is one, "kept"


def test_decisions_of_one_rule_are_not_taken_for_those_of_another(
    moment: Moment, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    one, two = (scoring.decided(replace(gates[0], rule=TopK(k)), moment) for k in (1, 2))
    assert (one.kept.sum(), two.kept.sum()) == (1, 2)


def test_decisions_with_one_parameter_are_not_taken_for_those_with_another(moment: Moment) -> None:
    one, two = (scoring.decided(LastK(k), moment) for k in (1, 2))
    assert (one.kept.sum(), two.kept.sum()) == (1, 2)


def test_a_policy_is_told_from_another_by_what_settings_add_to_it_and_by_its_stages(
    gates: tuple[GatePolicy, GatePolicy],
) -> None:
    sooner = SessionPolicy(rules=BoundaryRules(idle_gap=60.0))
    assert digest(sooner) != digest(SessionPolicy())
    assert digest(SessionPolicy()) == digest(SessionPolicy())
    one, other = (Pipeline("last_k > gate", (LastK(3), gate)) for gate in gates)
    assert digest(one) != digest(other), "the same stages, another gate"
