"""Kept states: a conversation that grows costs only what it adds, and nothing is ever mixed up."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.conversation import Conversation, Turn
from convgate.gate.model import Gate
from convgate.gate.states import KeptStates
from convgate.policies.gate import GatePolicy
from tests.fakes import FakeEncoder
from tests.gates import trained_gate


def talk(*texts: str) -> Conversation:
    return Conversation(id="t", turns=tuple(Turn.of("user", text) for text in texts))


def test_new_message_encodes_only_the_new_texts():
    policy, encoder = GatePolicy(trained_gate(), FakeEncoder()), FakeEncoder()
    policy = GatePolicy(policy.gate, encoder)
    policy.decide(*talk("a b", "c d", "e f").at(2))
    assert encoder.calls == [["a b", "c d"], ["e f"]]
    policy.decide(*talk("a b", "c d", "e f", "g h").at(3))
    assert encoder.calls[2:] == [["e f"], ["g h"]]


@pytest.mark.parametrize(
    "histories",
    [
        [["a", "b"], ["a", "b", "c"], ["a"], ["a", "b", "c", "d"]],
        [["a", "b"], ["x", "b"], ["a", "y"], []],
        [["a"], ["b"], ["c"], ["d"], ["e"], ["f"], ["a", "b"]],
    ],
)
def test_states_are_those_made_anew(histories: list[list[str]]):
    gate, encoder, kept = trained_gate(), FakeEncoder(), KeptStates()
    for texts in histories:
        state = kept.state(gate, encoder, talk(*texts).turns)
        anew = gate.state(encoder.encode(texts))
        assert np.allclose(state.embeddings, anew.embeddings)
        assert np.allclose(state.projected.numpy(), anew.projected.numpy(), atol=1e-6)


def test_only_the_last_conversations_are_kept():
    kept, gate, encoder = KeptStates(), trained_gate(), FakeEncoder()
    for i in range(20):
        kept.state(gate, encoder, talk(f"conversation {i}").turns)
    assert len(kept._kept) == 4


def test_fingerprint_tells_weights_apart():
    assert Gate(seed=1).fingerprint == Gate(seed=1).fingerprint
    assert Gate(seed=1).fingerprint != Gate(seed=2).fingerprint
