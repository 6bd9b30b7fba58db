"""Results that Explore caches belong to the weights and rule that made them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from convgate.core.conversation import Conversation, Turn
from convgate.core.settings import Settings
from convgate.gate.thresholds import TopK
from convgate.policies.build import build_policy
from convgate.policies.gate import GatePolicy
from convgate.policies.pipeline import Pipeline
from convgate.policies.sessions import BoundaryRules
from convgate.policies.sessions.policy import SessionPolicy
from convgate.policies.window import LastK
from convgate.ui.explore import matrix
from convgate.ui.shared import scoring
from convgate.ui.shared.results_cache import digest
from convgate.ui.shared.scoring import OpenMessage
from convgate.versions.card import Draft
from convgate.versions.catalog import Versions
from tests.fakes import FakeEncoder
from tests.gates import trained_gate


@pytest.fixture
def message() -> OpenMessage:
    turns = tuple(Turn.of("user", text) for text in ("nan loss", "fibonacci", "empty batch", "loss is nan"))
    conversation = Conversation("talk", turns)
    return OpenMessage("a key", *conversation.at(3))


@pytest.fixture
def gates() -> tuple[GatePolicy, GatePolicy]:
    """Two gates whose folders have the same name."""
    encoder = FakeEncoder()
    return (
        GatePolicy(trained_gate(seed=1), encoder, version="mine"),
        GatePolicy(trained_gate(seed=2), encoder, version="mine"),
    )


def test_scores_of_one_gate_are_not_taken_for_those_of_another(
    message: OpenMessage, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    one, other = (scoring.score_history(gate, message).scores.scores for gate in gates)
    assert not np.allclose(one, other)
    assert scoring.score_history(gates[0], message).scores.scores is one, "kept"
    first, second = (scoring.measure_words(gate, message, 0) for gate in gates)
    assert first != second
    first_links, second_links = (scoring.measure_links(gate, message, 0) for gate in gates)
    assert first_links != second_links


def test_matrix_of_one_gate_is_not_taken_for_that_of_another(
    message: OpenMessage, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    one, other = (matrix.compute_scores(gate, message, 0) for gate in gates)
    assert not np.allclose(one, other, equal_nan=True)
    assert matrix.compute_scores(gates[0], message, 0) is one, "kept"


def test_decisions_of_one_rule_or_parameter_are_not_taken_for_those_of_another(
    message: OpenMessage, gates: tuple[GatePolicy, GatePolicy]
) -> None:
    for policies in ([replace(gates[0], rule=TopK(k)) for k in (1, 2)], [LastK(1), LastK(2)]):
        one, two = (scoring.decide(policy, message) for policy in policies)
        assert (one.kept.sum(), two.kept.sum()) == (1, 2)


def test_a_policy_is_told_from_another_by_what_settings_add_to_it_and_by_its_stages(
    gates: tuple[GatePolicy, GatePolicy],
) -> None:
    sooner = SessionPolicy(rules=BoundaryRules(idle_gap_seconds=60.0))
    assert digest(sooner) != digest(SessionPolicy())
    assert digest(SessionPolicy()) == digest(SessionPolicy())
    one, other = (Pipeline("last_k > gate", (LastK(3), gate)) for gate in gates)
    assert digest(one) != digest(other), "the same stages, another gate"


def test_edited_rules_of_the_gatekeeper_give_no_stale_decisions(message: OpenMessage, tmp_path: Path) -> None:
    policy = build_policy("gatekeeper", Settings(home=tmp_path), FakeEncoder())
    before = scoring.decide(policy, message)
    assert scoring.decide(policy, message) is before, "kept"
    (tmp_path / "gatekeeper.yaml").write_text("keep_patterns: [{pattern: 'fibonacci'}]")
    after = scoring.decide(policy, message)
    assert (before.kept[1], after.kept[1]) == (False, True)


def test_a_pipelines_gate_is_the_active_version_or_the_one_that_is_written(tmp_path: Path) -> None:
    versions = Versions(tmp_path)
    for seed, name in ((1, "one"), (2, "two")):
        versions.add(trained_gate(seed=seed), Draft(), name=name)
    versions.activate("one", who="me")
    app: Any = SimpleNamespace(settings=Settings(home=tmp_path), encoder=FakeEncoder)

    def gate(option: str = "pipeline") -> str:
        return next(one.version for one in scoring.load_policy(app, option).policies[::-1])

    assert gate() == "one"
    versions.activate("two", who="me")
    assert gate() == "two"
    assert gate('pipeline(stages="last_k > gate@one")') == "one"
    app.encoder = None
    assert scoring.load_policy(app, 'pipeline(stages="last_k > bm25")').encoder is None
