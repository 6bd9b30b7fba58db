"""The training loop: it learns, is reproducible, resumes and stops in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
import torch
from torch import Tensor

from convgate.gate.model import Gate
from convgate.training import trainer as loop
from convgate.training.comparison import compare_gates
from convgate.training.episodes import Episode, batch, read_episodes
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.gate_module import GateModule
from convgate.training.report import make_verdict
from convgate.training.trainer import Trainer
from tests.planted_sets import QUICK, make_relevance_set, small_encoder, small_gate
from tools.pretraining.sets import measure_features

SHORT = replace(QUICK, episodes=6, cases=4)
"""Three steps an epoch: enough where nothing has to be learnt."""


@cache  # training does not change an episode
def episodes(name: str = "own", *, preset: str = "full", **how: object) -> list[Episode]:
    return read_episodes(small_gate(preset=preset), small_encoder(), make_relevance_set(name, **how))


def make_trainer(
    settings: TrainingSettings = SHORT, *, preset: str = "full", signal: str = "speaker"
) -> Trainer:
    """A trainer of an untrained gate, which knows the features of its set."""
    training = episodes(signal=signal, preset=preset)
    gate = small_gate(preset=preset)
    if preset == "full":
        gate = Gate(gate.config, {**gate.weights, **measure_features([training], seed=0)})
    unseen = episodes("unseen", conversations=4, seed=1, signal=signal, preset=preset)
    return Trainer(gate, {"own": training}, {"own": unseen}, settings)


def assert_same(a: dict[str, Tensor], b: dict[str, Tensor]) -> None:
    """Bit by bit, in number format and shape too."""
    assert a.keys() == b.keys()
    for name, tensor in a.items():
        assert tensor.dtype == b[name].dtype, name
        assert torch.equal(tensor, b[name]), name


@pytest.fixture
def losses(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Tensor, int], Tensor]], None]:
    """Puts something in place of the loss of a batch in training: a function of it and its number, from 1."""

    def put(change: Callable[[Tensor, int], Tensor]) -> None:
        count = 0
        objective = loop.training_loss

        def changed(*words: object, **named: object) -> Tensor:
            nonlocal count
            loss: Tensor = objective(*words, **named)
            if not loss.requires_grad:
                return loss
            count += 1
            return change(loss, count)

        monkeypatch.setattr(loop, "training_loss", changed)

    return put


# It learns


@pytest.mark.parametrize("signal", ["speaker", "word"])
def test_a_planted_signal_is_found_in_conversations_never_seen(signal: str) -> None:
    trainer = make_trainer(QUICK, signal=signal)
    untrained = GateModule.of(trainer.gate.to_gate())
    best = trainer.run()
    decisions = compare_gates(untrained, best, {"third": episodes("third", seed=2, signal=signal)})
    _, measured = make_verdict(decisions)
    assert measured.parent["f1"].value < 0.7
    assert measured.metrics["f1"].value > 0.95
    assert trainer.history[-1].validation_loss < 0.2 * trainer.history[0].loss


def test_an_epochs_figures_are_those_of_the_averaged_weights_on_validation() -> None:
    trainer = make_trainer(replace(SHORT, cases=QUICK.cases))
    epoch = trainer.epoch()
    hits = kept = relevant = 0
    for episode in trainer.validation["own"]:
        cases = batch(trainer.averaged, episode, range(len(episode.questions)))
        with torch.no_grad():
            keep = (trainer.averaged(cases.turns, cases.messages, cases.mask).logit >= 0) & cases.mask
        hits += int((keep & (cases.relevant > 0)).sum())
        kept, relevant = kept + int(keep.sum()), relevant + int(cases.relevant.sum())
    assert 0 < hits < relevant
    assert (epoch.precision, epoch.recall) == pytest.approx((hits / kept, hits / relevant))
    assert epoch.activation == pytest.approx(trainer.averaged.tiers.activation.item())
    assert epoch.number == 1
    assert epoch.best


# The seed


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_a_seed_fixes_every_bit(preset: str) -> None:
    one, two = make_trainer(preset=preset), make_trainer(preset=preset)
    other = make_trainer(replace(SHORT, seed=1), preset=preset)
    for trainer in (one, two, other):
        trainer.run()
    assert_same(one.state(), two.state())
    assert one.history == two.history
    assert one.history != other.history


# The best epoch, and when it ends


def make_epochs(*validation: float) -> list[Epoch]:
    """Epochs with these validation losses."""
    epochs: list[Epoch] = []
    for number, loss in enumerate(validation, 1):
        best = loss < min((epoch.validation_loss for epoch in epochs), default=math.inf)
        epochs.append(Epoch(number, 1.0, loss, 0.5, 0.5, 0.1, best))
    return epochs


def test_it_is_finished_after_all_epochs_or_too_long_without_a_better_one() -> None:
    trainer = make_trainer(replace(SHORT, epochs=5, patience=2))
    for history, finished in [
        ([], False),
        (make_epochs(3, 2, 1), False),
        (make_epochs(3, 2, 2.5), False),
        (make_epochs(3, 2, 2.5, 2), True),
        (make_epochs(5, 4, 3, 2, 1), True),
    ]:
        trainer.history = history
        assert trainer.finished == finished


def test_what_is_kept_are_the_averaged_weights_of_the_best_epoch(
    losses: Callable[[Callable[[Tensor, int], Tensor]], None],
) -> None:
    losses(lambda loss, number: loss if number <= 12 else -loss)  # from the third epoch on it unlearns
    trainer = make_trainer(replace(SHORT, epochs=5, patience=2, averaging=0.7))
    states = []
    best = trainer.run(lambda epoch: states.append(trainer.state()))
    assert [epoch.best for epoch in trainer.history] == [True, True, False, False]
    expected = {name.removeprefix("averaged/"): tensor for name, tensor in states[1].items()}
    for name, tensor in best.state_dict().items():
        assert torch.equal(tensor, expected[name]), name
    assert not torch.equal(best.tiers.residual_gate, trainer.averaged.tiers.residual_gate)
