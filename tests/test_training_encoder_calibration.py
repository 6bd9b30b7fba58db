"""A version fitted to another encoder: `calibrate_encoder`, and `convgate calibrate --encoder`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from convgate.conversation import Conversation
from convgate.embedding.base import Embeddings, EncoderIdentity, Progress
from convgate.errors import EncoderError, GateError, TrainingError
from convgate.gate.config import GateConfig
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.policies.gate import GatePolicy
from convgate.settings import load_settings
from convgate.training.encoder_calibration import calibrate_encoder, measure_embeddings
from convgate.training.sets import read_unlabelled
from convgate.versions import DataSet, Draft, Version, Versions
from tests.commands import Run
from tests.fakes import FakeEncoder
from tests.gates import trained_full_gate
from tests.planted import planted, planted_file, small_encoder, small_gate

CONVERSATIONS: list[Conversation] = list(planted(signal="word", conversations=16).conversations.values())


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
    gate.config = replace(gate.config, encoder=small_encoder().identity)
    assert isinstance(gate.tiers, FullTiers)
    texts = dict.fromkeys(turn.scored_text for conversation in CONVERSATIONS for turn in conversation.turns)
    with torch.no_grad():
        measure_embeddings(gate.tiers, small_encoder().encode(list(texts)))
    return gate


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
    found = logits_of(calibrate_encoder(gate, small_encoder(), moved, CONVERSATIONS), moved)
    assert found == pytest.approx(expected, abs=0.002)


def test_similarities_stand_where_they_stood_with_the_own_encoder():
    gate, own = whitened_gate(), small_encoder()
    other = FakeEncoder(24, model="other")
    new = calibrate_encoder(gate, own, other, CONVERSATIONS)
    assert (new.config.dimension, new.config.encoder) == (24, other.identity)
    found = [standardised_cosines(one, encoder) for one, encoder in ((gate, own), (new, other))]
    assert found[1].mean() == pytest.approx(found[0].mean(), abs=0.02)
    assert found[1].std() == pytest.approx(found[0].std(), rel=0.02)


def standardised_cosines(gate: Gate, encoder: FakeEncoder) -> np.ndarray:
    """The cosines of all messages in CONVERSATIONS to the turns before them, as the tiers read them."""
    assert isinstance(gate.tiers, FullTiers)
    cosines = []
    for conversation in CONVERSATIONS:
        vectors = gate.tiers.whitening(
            torch.from_numpy(encoder.encode([t.scored_text for t in conversation.turns]))
        )
        cosines.append(
            (vectors @ vectors.T)[torch.ones(len(conversation), len(conversation)).tril(-1).bool()]
        )
    standardise = gate.tiers.standardise
    return ((torch.cat(cosines) - standardise.usual[0]) / standardise.spread[0]).numpy()


def test_what_was_learned_stays_and_the_given_gate_as_a_whole():
    gate = whitened_gate()
    before = {name: value.clone() for name, value in gate.state_dict().items()}
    new = calibrate_encoder(gate, small_encoder(), FakeEncoder(24, model="other"), CONVERSATIONS)
    for name, parameter in gate.named_parameters():
        assert torch.equal(parameter, new.get_parameter(name)), name
    assert all(torch.equal(value, before[name]) for name, value in gate.state_dict().items())


def test_a_gate_of_the_reference_preset_is_refused():
    with pytest.raises(GateError):
        calibrate_encoder(small_gate(preset="reference"), small_encoder(), MovedEncoder(), CONVERSATIONS)


@pytest.mark.parametrize(
    "conversations",
    [
        CONVERSATIONS[:1],
        [
            replace(conversation, turns=conversation.turns[:2])
            for conversation in CONVERSATIONS
            for _ in (1, 2)
        ],
    ],
    ids=["few texts", "short histories"],
)
def test_text_that_shows_too_little_is_refused(conversations: list[Conversation]):
    with pytest.raises(TrainingError):
        calibrate_encoder(whitened_gate(), small_encoder(), MovedEncoder(), conversations)


def test_unlabelled_text_comes_with_convgate_and_from_files(tmp_path: Path):
    packed = {one.source.name: one.source for one in read_unlabelled(())}
    assert set(packed) == {"chats.train", "personal", "topics.train"}
    assert all(one.licence == "MIT" and one.conversations for one in packed.values())
    plain = tmp_path / "pasted.md"
    plain.write_text("You: Is it raining?\n\nChatGPT: I cannot see outside.\n")
    (own,) = read_unlabelled([plain])
    assert (own.source.name, own.source.conversations, own.source.licence) == ("pasted", 1, "")


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_who_uses_another_encoder_is_told_the_command_where_it_helps(tmp_path: Path, preset: str):
    own = small_encoder().identity
    version = Versions(tmp_path).add(Gate(GateConfig(preset, 16, encoder=own)), Draft())
    with pytest.raises(GateError) as refused:
        version.load(encoder=FakeEncoder(8, model="mine").identity)
    assert ("convgate calibrate --encoder mine" in str(refused.value)) == (preset == "full")
    with pytest.raises(GateError) as refused:
        version.load().state(FakeEncoder(8).encode(["one"]))
    assert ("convgate calibrate --encoder" in str(refused.value)) == (preset == "full")


ENCODERS = {"fake-words": small_encoder, "org/Moved": MovedEncoder}


@pytest.fixture
def parent(monkeypatch: pytest.MonkeyPatch) -> Version:
    """The active version, for the encoder `fake-words`."""

    def load(name: str, **options: object) -> FakeEncoder:
        if name not in ENCODERS:
            raise EncoderError(f"the encoder {name} cannot be loaded")
        return ENCODERS[name]()

    monkeypatch.setattr("convgate.building.default_encoder", load)
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
    file = planted_file(tmp_path, signal="word", conversations=16)
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


def test_the_command_says_how_to_use_what_it_made(run: Run, parent: Version, tmp_path: Path):
    file = planted_file(tmp_path, signal="word", conversations=16)
    code, out, _ = run("calibrate", "--encoder", "org/Moved", "--gate", "parent", "--name", "mine", file)
    assert code == 0
    assert "CONVGATE_ENCODER=org/Moved" in out
    assert "convgate versions activate mine" in out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--encoder", "nowhere"], 1),
        (["--encoder", "fake-words"], 2),
        (["--encoder", "org/Moved", "--name", "parent"], 1),
        (["--encoder", "org/Moved", "--name", "No Name"], 1),
        (["--encoder", "org/Moved", "--gate", "reference"], 1),
        (["--encoder", "org/Moved", "--gate", "untied"], 2),
        (["--encoder", "org/Moved", "--gate", "untrained"], 2),
        (["--encoder", "org/Moved", "--precision", "0.9"], 2),
        (["--encoder", "org/Moved", "--pool", "sets"], 2),
        (["--name", "mine"], 2),
    ],
)
def test_what_cannot_be_made_is_refused_before_anything_is_encoded(
    run: Run,
    parent: Version,
    tmp_path: Path,
    words: list[str],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(FakeEncoder, "encode", lambda *args, **options: pytest.fail("encoded"))
    versions = Versions(load_settings().home)
    versions.add(small_gate(preset="reference"), Draft(), name="reference")
    versions.add(trained_full_gate(), Draft(), name="untied")
    before = versions.names()
    file = planted_file(tmp_path, signal="word", conversations=16)
    found, out, err = run("calibrate", *words, file)
    assert (found, out) == (code, "")
    assert err
    assert "Traceback" not in err
    assert versions.names() == before


def test_too_few_conversations_write_nothing(run: Run, parent: Version, tmp_path: Path):
    file = planted_file(tmp_path, conversations=1)
    assert run("calibrate", "--encoder", "org/Moved", file)[:2] == (1, "")
    assert Versions(load_settings().home).names() == ["parent"]


def test_without_an_encoder_a_set_is_needed(run: Run, parent: Version):
    assert run("calibrate")[0] == 2
