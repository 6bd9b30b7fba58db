"""The training loop: it learns, is fixed by its seed, goes on after an interruption, and stops in time."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor

from convgate.errors import PolicyError, TrainingError
from convgate.gate.features import FEATURES
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.training import trainer as loop
from convgate.training.comparison import compare_gates
from convgate.training.episodes import Episode, batch, read_episodes
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.report import make_verdict
from convgate.training.trainer import Trainer, drop_parts
from tests.planted import QUICK, planted, small_encoder, small_gate
from tools.pretraining.sets import measure_features

SHORT = replace(QUICK, episodes=6, cases=4)
"""Three steps an epoch: enough where nothing has to be learnt."""


@cache  # training does not change an episode
def episodes(name: str = "own", *, preset: str = "full", **how: object) -> list[Episode]:
    return read_episodes(small_gate(preset=preset), small_encoder(), planted(name, **how))  # type: ignore[arg-type]


def a_trainer(
    settings: TrainingSettings = SHORT, *, preset: str = "full", signal: str = "speaker"
) -> Trainer:
    """A trainer of an untrained gate, which knows the features of its set."""
    training = episodes(signal=signal, preset=preset)
    gate = small_gate(preset=preset)
    if isinstance(gate.tiers, FullTiers):
        measure_features(gate.tiers, [training], seed=0)
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
            loss: Tensor = objective(*words, **named)  # type: ignore[arg-type]
            if not loss.requires_grad:
                return loss
            count += 1
            return change(loss, count)

        monkeypatch.setattr(loop, "training_loss", changed)

    return put


# It learns


@pytest.mark.parametrize("signal", ["speaker", "word"])
def test_a_planted_signal_is_found_in_conversations_never_seen(signal: str) -> None:
    trainer = a_trainer(QUICK, signal=signal)
    untrained = small_gate()
    untrained.load_state_dict(trainer.gate.state_dict())
    best = trainer.run()
    report = compare_gates(untrained, best, {"third": episodes("third", seed=2, signal=signal)})
    assert report is not None
    verdict = make_verdict(report)
    assert verdict is not None
    assert verdict.parent_f1 < 0.7
    assert verdict.child_f1 > 0.95
    assert trainer.history[-1].validation_loss < 0.2 * trainer.history[0].loss


def test_the_reference_preset_learns_its_words() -> None:
    trainer = a_trainer(replace(QUICK, epochs=6, episodes=8), preset="reference", signal="word")
    trainer.run()
    assert trainer.history[-1].loss < 0.8 * trainer.history[0].loss
    assert trainer.history[-1].validation_loss < 0.8 * trainer.history[0].validation_loss


def test_an_epochs_figures_are_those_of_the_averaged_weights_on_validation() -> None:
    trainer = a_trainer(replace(SHORT, cases=QUICK.cases))
    epoch = trainer.epoch()
    found = kept = relevant = 0
    for episode in trainer.validation["own"]:
        cases = batch(trainer.averaged, episode, range(len(episode.questions)))
        with torch.no_grad():
            keep = (trainer.averaged(cases.turns, cases.messages, cases.mask).logit >= 0) & cases.mask
        found += int((keep & (cases.relevant > 0)).sum())
        kept, relevant = kept + int(keep.sum()), relevant + int(cases.relevant.sum())
    assert 0 < found < relevant
    assert (epoch.precision, epoch.recall) == pytest.approx((found / kept, found / relevant))
    assert epoch.activation == pytest.approx(trainer.averaged.tiers.activation.item())
    assert epoch.number == 1
    assert epoch.best


def test_the_threshold_is_not_trained() -> None:
    trainer = a_trainer()
    trainer.epoch()
    assert trainer.gate.learned_threshold == trainer.averaged.learned_threshold == 0.5


# How much of the data an epoch takes


@pytest.mark.parametrize(("conversations", "wanted", "steps"), [(2, 100, 6), (8, 6, 3), (8, 13, 7)])
def test_a_set_gives_so_many_conversations_and_repeats_up_to_six_times(
    conversations: int, wanted: int, steps: int
) -> None:
    told: list[tuple[int, int]] = []
    trainer = Trainer(
        small_gate(), {"own": episodes(conversations=conversations)}, {}, replace(SHORT, episodes=wanted)
    )
    trainer.epoch(lambda done, total: told.append((done, total)))
    assert told == [(step, steps) for step in range(1, steps + 1)]


@pytest.mark.parametrize(("chance", "columns"), [(0.0, 0), (0.9, len(FEATURES))])
def test_dropped_parts_have_their_usual_value(chance: float, columns: int) -> None:
    gate = small_gate()
    assert isinstance(gate.tiers, FullTiers)
    gate.tiers.standardise.usual.fill_(7.0)
    (episode, *_) = episodes()
    cases = batch(gate, episode, [0, 1])
    rng = np.random.default_rng(0)
    while (cases.messages == 7.0).all(dim=0).all(dim=0).sum() < columns:
        drop_parts(gate, cases, chance, rng)
    assert int((cases.messages == 7.0).sum()) == cases.messages.numel() * columns // len(FEATURES)
    assert int((cases.turns == 7.0).sum()) == cases.turns.numel() * columns // len(FEATURES)
    assert not (episode.turns == 7.0).any(), "the episode itself must stay as it is"


# The seed


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_a_seed_fixes_every_bit(preset: str) -> None:
    one, two = a_trainer(preset=preset), a_trainer(preset=preset)
    other = a_trainer(replace(SHORT, seed=1), preset=preset)
    for trainer in (one, two, other):
        trainer.run()
    assert_same(one.state(), two.state())
    assert one.history == two.history
    assert one.history != other.history


# Interruption


@pytest.mark.parametrize("preset", ["full", "reference"])
def test_an_interrupted_training_goes_on_as_if_nothing_had_happened(preset: str) -> None:
    whole = a_trainer(preset=preset)
    states: list[dict[str, Tensor]] = []
    whole.run(lambda epoch: states.append(whole.state()))
    for after, state in enumerate(states[:2], 1):
        second = a_trainer(preset=preset)
        second.restore(state, whole.history[:after])
        assert_same(second.state(), state)
        second.run()
        assert_same(second.state(), whole.state())
        assert second.history == whole.history


def test_a_state_is_a_copy() -> None:
    trainer = a_trainer()
    trainer.epoch()
    state = trainer.state()
    kept = {name: tensor.clone() for name, tensor in state.items()}
    trainer.epoch()
    assert_same(state, kept)
    assert not torch.equal(trainer.state()["gate/tiers.residual_gate"], kept["gate/tiers.residual_gate"])


def test_a_restored_training_does_not_touch_the_state_that_it_came_from() -> None:
    trainer, other = a_trainer(), a_trainer()
    trainer.epoch()
    state = trainer.state()
    kept = {name: tensor.clone() for name, tensor in state.items()}
    other.restore(state, trainer.history)
    other.epoch()
    assert_same(state, kept)


def test_the_state_of_something_else_is_refused() -> None:
    trainer = a_trainer()
    trainer.epoch()
    other = Trainer(small_gate(preset="reference"), {"own": episodes(preset="reference")}, {}, SHORT)
    with pytest.raises(TrainingError, match="is of another gate"):
        other.restore(trainer.state(), trainer.history)
    with pytest.raises(TrainingError, match="ran 1 epochs, but its record has 2"):
        a_trainer().restore(trainer.state(), trainer.history * 2)


# The best epoch, and when it ends


def told(*validation: float) -> list[Epoch]:
    """Epochs with these validation losses."""
    made: list[Epoch] = []
    for number, loss in enumerate(validation, 1):
        best = loss < min((epoch.validation_loss for epoch in made), default=math.inf)
        made.append(Epoch(number, 1.0, loss, 0.5, 0.5, 0.1, best))
    return made


def test_it_is_finished_after_all_epochs_or_too_long_without_a_better_one() -> None:
    trainer = a_trainer(replace(SHORT, epochs=5, patience=2))
    for history, finished in [
        ([], False),
        (told(3, 2, 1), False),
        (told(3, 2, 2.5), False),
        (told(3, 2, 2.5, 2), True),
        (told(5, 4, 3, 2, 1), True),
    ]:
        trainer.history = history
        assert trainer.finished == finished


def test_what_is_kept_are_the_averaged_weights_of_the_best_epoch(
    losses: Callable[[Callable[[Tensor, int], Tensor]], None],
) -> None:
    losses(lambda loss, number: loss if number <= 12 else -loss)  # from the third epoch on it unlearns
    trainer = a_trainer(replace(SHORT, epochs=5, patience=2, averaging=0.7))
    states = []
    best = trainer.run(lambda epoch: states.append(trainer.state()))
    assert [epoch.best for epoch in trainer.history] == [True, True, False, False]
    expected = {name.removeprefix("averaged/"): tensor for name, tensor in states[1].items()}
    for name, tensor in best.state_dict().items():
        assert torch.equal(tensor, expected[name]), name
    assert not torch.equal(best.tiers.residual_gate, trainer.averaged.tiers.residual_gate)


# Losses that are no number


def weights(gate: Gate) -> dict[str, Tensor]:
    return {name: tensor.clone() for name, tensor in gate.state_dict().items()}


def test_a_loss_that_is_no_number_stops_it_and_leaves_the_best_weights(
    losses: Callable[[Callable[[Tensor, int], Tensor]], None],
) -> None:
    losses(lambda loss, number: loss * (math.nan if number == 9 else 1))  # in the second epoch
    trainer = a_trainer()
    trainer.epoch()
    best = weights(trainer.best)
    with pytest.raises(
        TrainingError, match=r"the loss became nan in epoch 2; .* of the 1 before it are kept"
    ):
        trainer.epoch()
    assert_same(weights(trainer.best), best)
    assert len(trainer.history) == 1
    for gate in (trainer.gate, trainer.averaged, trainer.best):
        assert all(tensor.isfinite().all() for tensor in gate.state_dict().values())


def test_a_gradient_that_is_no_number_moves_nothing(
    losses: Callable[[Callable[[Tensor, int], Tensor]], None],
) -> None:
    losses(lambda loss, number: loss + (loss - loss).sqrt())  # its slope at 0 is infinite
    trainer = a_trainer()
    start = weights(trainer.gate)
    with pytest.raises(TrainingError, match=r"the gradient became nan in epoch 1\. A smaller learning rate"):
        trainer.epoch()
    assert_same(weights(trainer.gate), start)


def test_a_validation_loss_that_is_no_number_is_no_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = a_trainer()
    objective = loop.training_loss

    def unsure(*words: object, **named: object) -> Tensor:
        loss: Tensor = objective(*words, **named)  # type: ignore[arg-type]
        return loss if loss.requires_grad else loss * math.nan

    monkeypatch.setattr(loop, "training_loss", unsure)
    with pytest.raises(TrainingError, match="the validation loss became nan in epoch 1"):
        trainer.epoch()
    assert trainer.history == []


# Settings


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"epochs": 0}, "training: epochs must be from 1 to 1000; got 0"),
        ({"learning_rate": math.nan}, "training: learning_rate must be from"),
        ({"cases": 2.5}, "training: cases must be a whole number; got 2.5"),
        ({"seed": -1}, "training: seed must be from 0"),
    ],
)
def test_settings_out_of_range_are_named(wrong: dict[str, float], named: str) -> None:
    with pytest.raises(PolicyError, match=named):
        TrainingSettings(**wrong)  # type: ignore[arg-type]
