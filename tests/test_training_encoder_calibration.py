"""A version calibrated to another encoder: `calibrate_encoder`, `convgate calibrate --encoder`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from convgate.core.conversation import Conversation
from convgate.core.errors import EncoderError, GateError
from convgate.core.settings import load_settings
from convgate.embedding.base import Embeddings, EncoderIdentity, Progress
from convgate.gate.config import GateConfig
from convgate.gate.initial_weights import MEASURED
from convgate.gate.model import Gate
from convgate.policies.gate import GatePolicy
from convgate.training.encoder_calibration import calibrate_encoder, measure_whitening
from convgate.versions import DataSet, Draft, Version, Versions
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.gates import trained_full_gate
from tests.planted_sets import make_relevance_set, small_encoder, write_planted_set

CONVERSATIONS: list[Conversation] = list(
    make_relevance_set(signal="word", conversations=16).conversations.values()
)


class MovedEncoder(FakeEncoder):
    """The vectors of `small_encoder`, rotated and shifted."""

    def __init__(self) -> None:
        super().__init__(16)
        rng = np.random.default_rng(0)
        self._rotation = np.linalg.qr(rng.standard_normal((16, 16)))[0].astype(np.float32)
        self._shift = rng.standard_normal(16).astype(np.float32)

    @property
    def identity(self) -> EncoderIdentity:
        return replace(super().identity, model="moved")

    def encode(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        return small_encoder().encode(texts, progress=progress) @ self._rotation + self._shift


def whitened_gate() -> Gate:
    """A gate for `small_encoder` with weights that do something, its whitening measured on CONVERSATIONS."""
    gate = trained_full_gate()
    texts = dict.fromkeys(turn.scored_text for conversation in CONVERSATIONS for turn in conversation.turns)
    whitening = measure_whitening(small_encoder().encode(list(texts)))
    config = replace(gate.config, encoder=small_encoder().identity)
    return Gate(config, {**gate.weights, **whitening})


def logits_of(gate: Gate, encoder: FakeEncoder) -> np.ndarray:
    return np.array(
        [
            one.logit
            for conversation in CONVERSATIONS
            for one in GatePolicy(gate=gate, encoder=encoder).decide(*conversation.at(13))
        ]
    )


def test_an_encoder_that_is_the_same_but_rotated_and_shifted_gives_the_same_scores():
    gate, moved = whitened_gate(), MovedEncoder()
    expected = logits_of(gate, small_encoder())
    assert np.abs(logits_of(gate, moved) - expected).max() > 0.1
    logits = logits_of(calibrate_encoder(gate, small_encoder(), moved, CONVERSATIONS), moved)
    assert logits == pytest.approx(expected, abs=0.002)


def test_what_was_learned_stays_and_the_given_gate_as_a_whole():
    gate = whitened_gate()
    before = {name: array.copy() for name, array in gate.weights.items()}
    new = calibrate_encoder(gate, small_encoder(), FakeEncoder(24, model="other"), CONVERSATIONS)
    for name, array in before.items():
        assert np.array_equal(gate.weights[name], array), name
        assert name.startswith(MEASURED) or np.array_equal(new.weights[name], array), name


def test_an_untrained_gate_stays_untrained():
    gate = Gate(GateConfig(preset="full", dimension=16, encoder=small_encoder().identity))
    assert not calibrate_encoder(gate, small_encoder(), MovedEncoder(), CONVERSATIONS).is_trained
    assert calibrate_encoder(whitened_gate(), small_encoder(), MovedEncoder(), CONVERSATIONS).is_trained


ENCODERS = {"fake-words": small_encoder, "org/Moved": MovedEncoder}


@pytest.fixture
def parent(monkeypatch: pytest.MonkeyPatch) -> Version:
    """The active version, for the encoder `fake-words`."""

    def load(name: str, **options: object) -> FakeEncoder:
        if name not in ENCODERS:
            raise EncoderError(f"the encoder {name} cannot be loaded")
        return ENCODERS[name]()

    monkeypatch.setattr("convgate.policies.build.default_encoder", load)
    monkeypatch.setenv("CONVGATE_ENCODER", "fake-words")
    versions = Versions(load_settings().home)
    data = (DataSet("taught", "a" * 64, {"cases": 9}, "MIT", ""),)
    draft = Draft(threshold_rule="top_k", threshold_parameters={"k": 2}, data=data, limits=("English only.",))
    version = versions.add(whitened_gate(), draft, name="parent")
    versions.activate("parent", who="Ada")
    return version


def test_the_command_makes_a_version_for_the_new_encoder_and_no_other(
    run: Run, parent: Version, tmp_path: Path
):
    file = write_planted_set(tmp_path, signal="word", conversations=16)
    code, out, err = run("calibrate", "--encoder", "org/Moved", file, "--json")
    assert (code, err) == (0, "")
    printed = json.loads(out)
    assert (printed["name"], printed["parent"]["name"]) == ("moved", "parent")
    versions = Versions(load_settings().home)
    version = versions.get("moved")
    assert version.load(encoder=MovedEncoder().identity).config.encoder == MovedEncoder().identity
    with pytest.raises(GateError):
        version.load(encoder=small_encoder().identity)
    card = version.card
    assert (card.parent, card.rule, card.limits) == (parent.as_parent(), parent.card.rule, parent.card.limits)
    assert [data.name for data in card.data] == ["taught", "own"]
    assert card.data[1].counts == {"conversations": 16, "messages": 224}
    assert str(MovedEncoder().identity) in card.note
    assert versions.active == "parent"
