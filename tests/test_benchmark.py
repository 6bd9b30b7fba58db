"""The bench measures what it says; its figures are reported, never asserted."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from convgate.gate.model import Message
from tests.fakes import FakeEncoder
from tests.gates import unit_vectors
from tools.benchmark.encoding import measure_encoder, mixed_texts, worst_cosine
from tools.benchmark.full import time_full_scoring, time_growth
from tools.benchmark.memory import scoring_memory
from tools.benchmark.naive import naive_logits
from tools.benchmark.speed import compare, largest_difference, perturbed_gate, time_rescoring, time_scoring


def test_naive_gate_computes_the_same_logits():
    gate, turns, situation = perturbed_gate(), unit_vectors(200), unit_vectors(1, seed=5)[0]
    naive = naive_logits(gate, torch.from_numpy(turns), torch.from_numpy(situation))
    scores = gate.score(gate.state(turns), Message(situation))
    assert scores.logits == pytest.approx(naive.numpy(), abs=1e-5)
    assert np.abs(scores.attention - scores.tier1).max() > 0.01
    assert largest_difference(100) < 1e-5


def test_comparison_takes_both_in_turns_and_divides_the_fastest_rounds():
    order = []
    result = compare(lambda: order.append("a"), lambda: order.append("b"), rounds=3, warm_up=1)
    assert order == ["a", "b"] * 4
    assert result.ratio == pytest.approx(result.baseline_ms / result.ours_ms)


@pytest.mark.slow
@pytest.mark.xdist_group("encoder")
def test_encoder_is_timed_and_compared_with_itself_in_float32(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tools.benchmark.encoding.mixed_texts", lambda: ["one text", "another text"])
    measured = measure_encoder(rounds=1).to_json()
    assert measured["texts"] == 2
    assert measured["corpus"]["ours_ms"] > 0
    assert measured["message"]["baseline_ms"] > 0
    assert 0.995 < measured["worst_cosine"] < 1.0001
    assert measured["goal"] == {"bfloat16": 2.0, "float32": None}[measured["dtype"]]


def test_worst_cosine_is_that_of_the_one_text_that_differs():
    class Turned(FakeEncoder):
        def _vector(self, text: str):
            return super()._vector("other" if text == "bad" else text)

    cosine = float(FakeEncoder().encode(["bad"])[0] @ FakeEncoder().encode(["other"])[0])
    assert worst_cosine(Turned(), FakeEncoder(), ["good", "bad", "fine"]) == pytest.approx(cosine, abs=1e-6)
    assert worst_cosine(FakeEncoder(), FakeEncoder(), ["good", "bad"]) == pytest.approx(1)


def test_worst_cosine_is_looked_for_in_texts_alone_too():
    class WrongAlone(FakeEncoder):
        def encode(self, texts, *, progress=None):
            return super().encode(texts if len(texts) > 1 else ["other"])

    assert worst_cosine(WrongAlone(), FakeEncoder(), ["good", "fine"]) < 0.5


def test_mixed_texts_are_always_the_same_short_and_long():
    texts = mixed_texts()
    assert texts == mixed_texts()
    assert len(texts) == len(set(texts)) > 200
    lengths = sorted(len(text.split()) for text in texts)
    assert lengths[0] < 5
    assert lengths[-1] > 200


def test_scoring_and_rescoring_are_timed():
    assert time_scoring(50, rounds=2).ours_ms > 0
    assert time_rescoring(FakeEncoder(), n=20, rounds=2).ours_ms > 0
    assert time_full_scoring(50, rounds=2).ours_ms > 0
    assert time_growth(20, 3, rounds=2).ratio > 0


def test_memory_does_not_grow_with_the_square_of_n():
    large = scoring_memory(10_000)
    if large is None:
        pytest.skip("this system does not tell a process's peak memory")
    assert large < 80, "10,000 × 10,000 are 400 MB of floats, and 100 MB of anything"
