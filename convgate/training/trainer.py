"""The training loop: batched over cases, seeded, resumable, with the averaged weights of the best epoch."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from convgate.core.errors import TrainingError
from convgate.gate.features import FEATURES, PARTS
from convgate.gate.model import Gate
from convgate.gate.promise import CORRELATION_EXPONENT
from convgate.gate.scoring import MASKED_LOGIT
from convgate.training.episodes import Batch, Episode, batch
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.full_tiers import FullTiersModule
from convgate.training.gate_module import GateModule, GateOutput

ANY_WEIGHT = 0.5
TIER1_WEIGHT = 0.3  # so that tier 1 is of use by itself, and its parts mean something
_KNEE = 8.0  # nats, where the loss of a case without relevant turns stops being nearly linear
_WARM_UP = 0.1  # share of the steps in which the step size rises
_MAX_GRADIENT = 1.0
_MAX_COUNTED, _COUNTED = 12, 0.25
"""A conversation's cases resemble each other: k of them weigh as much as ∜k of different ones, 12 at most."""
_VALIDATED = 40  # conversations of a set that are validated with at most


class Trainer:
    """Trains a gate on episodes, epoch by epoch.

    sets: the episodes of each set by its name, for training and for validation. replayed: names of sets
    against forgetting; together they give as many conversations an epoch as all others, or 40. `state()` and
    `restore()` carry everything from one process to another between epochs.
    """

    def __init__(
        self,
        gate: Gate,
        training: Mapping[str, Sequence[Episode]],
        validation: Mapping[str, Sequence[Episode]],
        settings: TrainingSettings,
        *,
        replayed: Collection[str] = (),
    ) -> None:
        if not any(training.values()):
            raise TrainingError("there is nothing to train on")
        self.training, self.validation, self.settings = training, validation, settings
        self._replayed = frozenset(replayed) & training.keys()
        self.gate, self.averaged, self.best = (GateModule.of(gate) for _ in range(3))
        self.history: list[Epoch] = []
        self._parameters = [p for name, p in self.gate.named_parameters() if name != "threshold_logit"]
        self._optimiser = torch.optim.AdamW(
            self._parameters, lr=settings.learning_rate, weight_decay=settings.weight_decay
        )

    @property
    def draws(self) -> dict[str, int]:
        """How many conversations each set gives an epoch."""
        sizes = {name: len(episodes) for name, episodes in self.training.items()}
        return self.settings.draws(sizes, self._replayed)

    @property
    def finished(self) -> bool:
        """Whether all epochs ran, or none got better for long enough."""
        done = len(self.history)
        best = max((epoch.number for epoch in self.history if epoch.best), default=0)
        return done >= self.settings.epochs or done - best >= self.settings.patience

    def run(self, on_epoch: Callable[[Epoch], object] | None = None) -> GateModule:
        """Run the remaining epochs and return the averaged weights of the best one."""
        while not self.finished:
            epoch = self.epoch()
            if on_epoch:
                on_epoch(epoch)
        return self.best

    def epoch(self, on_progress: Callable[[int, int], object] | None = None) -> Epoch:
        """Run one pass over the data.

        A loss or gradient that is no number raises TrainingError; `best` is kept as it was.
        """
        number = len(self.history) + 1
        rng = np.random.default_rng([self.settings.seed, number])
        order = self._order(rng)
        groups = [order[i : i + self.settings.together] for i in range(0, len(order), self.settings.together)]
        losses = []
        self.gate.train()
        for done, group in enumerate(groups):
            rate = self._rate((number - 1) + done / len(groups))
            losses.append(self._step([self._loss(self.gate, episode, rng) for episode in group], rate))
            if on_progress:
                on_progress(done + 1, len(groups))
        self.gate.eval()
        epoch = self._validated(number, float(np.mean(losses)))
        self.history.append(epoch)
        if epoch.best:
            self.best.load_state_dict(self.averaged.state_dict())
        return epoch

    def state(self) -> dict[str, Tensor]:
        """Return all tensors that the next epoch depends on."""
        tensors = {"epochs": torch.tensor(len(self.history))}
        for name, gate in (("gate", self.gate), ("averaged", self.averaged), ("best", self.best)):
            tensors |= {f"{name}/{key}": value.clone() for key, value in gate.state_dict().items()}
        for place, parameter in enumerate(self._parameters):
            for key, value in self._optimiser.state.get(parameter, {}).items():
                tensors[f"optimiser/{place}/{key}"] = torch.as_tensor(value).clone()
        return tensors

    def restore(self, tensors: Mapping[str, Tensor], history: Sequence[Epoch]) -> None:
        """Load a `state()` and its history; TrainingError when they do not fit."""
        ran = int(tensors.get("epochs", len(history)))
        if ran != len(history):
            raise TrainingError(
                f"the interrupted training ran {ran} epochs, but its record has {len(history)}"
            )
        try:
            for name, gate in (("gate", self.gate), ("averaged", self.averaged), ("best", self.best)):
                part = {k.split("/", 1)[1]: v for k, v in tensors.items() if k.startswith(f"{name}/")}
                gate.load_state_dict(part)
        except RuntimeError as error:
            raise TrainingError(f"the interrupted training is of another gate: {error}") from error
        for place, parameter in enumerate(self._parameters):
            prefix = f"optimiser/{place}/"
            state = {k.removeprefix(prefix): v.clone() for k, v in tensors.items() if k.startswith(prefix)}
            if state:
                self._optimiser.state[parameter] = state
        self.history = list(history)

    def _order(self, rng: np.random.Generator) -> list[Episode]:
        order: list[Episode] = []
        for name, wanted in self.draws.items():
            episodes = self.training[name]
            rounds = [
                rng.permutation(len(episodes)) for _ in range(math.ceil(wanted / max(1, len(episodes))))
            ]
            order += [episodes[place] for turn in rounds for place in turn][:wanted]
        return [order[place] for place in rng.permutation(len(order))]

    def _loss(self, gate: GateModule, episode: Episode, rng: np.random.Generator) -> Tensor:
        count = len(episode.questions)
        chosen = (
            rng.permutation(count)[: self.settings.cases] if count > self.settings.cases else range(count)
        )
        cases = batch(gate, episode, list(chosen))
        add_noise(gate, cases, self.settings.noise, rng)
        drop_parts(gate, cases, self.settings.dropped_parts, rng)
        output = gate(cases.turns, cases.messages, cases.mask)
        weight = min(len(chosen), _MAX_COUNTED) ** _COUNTED
        loss = training_loss(output, cases.target, cases.judged, ranking_weight=self.settings.ranking)
        return loss * float(weight)

    def _step(self, losses: list[Tensor], rate: float) -> float:
        loss = torch.stack(losses).mean()
        self._check_finite("loss", loss)
        for group in self._optimiser.param_groups:
            group["lr"] = rate
        self._optimiser.zero_grad()
        torch.autograd.backward(loss)
        self._check_finite("gradient", torch.nn.utils.clip_grad_norm_(self._parameters, _MAX_GRADIENT))
        self._optimiser.step()
        with torch.no_grad():
            for mean, now in zip(self.averaged.parameters(), self.gate.parameters(), strict=True):
                mean.lerp_(now, self.settings.averaging)
        return float(loss.detach())

    def _check_finite(self, what: str, value: Tensor) -> None:
        if torch.isfinite(value):
            return
        done = len(self.history)
        kept = f"; the best weights of the {done} before it are kept" if done else ""
        raise TrainingError(
            f"the {what} became {float(value.detach())} in epoch {done + 1}{kept}."
            " A smaller learning rate may help, or fewer epochs."
        )

    def _rate(self, epochs: float) -> float:
        """Return the learning rate: up in a straight line, then down along a cosine."""
        done = epochs / self.settings.epochs
        if done < _WARM_UP:
            return self.settings.learning_rate * (0.05 + 0.95 * done / _WARM_UP)
        return self.settings.learning_rate * (
            0.5 + 0.5 * math.cos(math.pi * (done - _WARM_UP) / (1 - _WARM_UP))
        )

    @torch.no_grad()
    def _validated(self, number: int, loss: float) -> Epoch:
        rng = np.random.default_rng(self.settings.seed)
        sets, hits, kept, relevant = [], 0.0, 0.0, 0.0
        for episodes in self.validation.values():
            losses = []
            for episode in episodes[:_VALIDATED]:
                count = len(episode.questions)
                chosen = rng.permutation(count)[: self.settings.cases]
                cases = batch(self.averaged, episode, list(chosen))
                output = self.averaged(cases.turns, cases.messages, cases.mask)
                loss_weight = self.settings.ranking
                each = training_loss(output, cases.target, cases.judged, ranking_weight=loss_weight)
                losses.append(float(each))
                keep = (output.logit >= 0) & cases.judged
                hits += float((keep * cases.relevant).sum())
                kept += float(keep.sum())
                relevant += float(cases.relevant.sum())
            if losses:
                sets.append(float(np.mean(losses)))
        validation = float(np.mean(sets)) if sets else loss
        self._check_finite("validation loss", torch.tensor(validation))
        lowest = min((epoch.validation_loss for epoch in self.history), default=math.inf)
        return Epoch(
            number=number,
            loss=loss,
            validation_loss=validation,
            precision=hits / kept if kept else 0.0,
            recall=hits / relevant if relevant else 0.0,
            activation=float(self.averaged.tiers.activation),
            best=validation < lowest,
        )


def add_noise(gate: GateModule, cases: Batch, deviations: float, rng: np.random.Generator) -> None:
    """Move each feature of the messages at random, by so many of its spreads."""
    if not isinstance(gate.tiers, FullTiersModule) or not deviations:
        return
    noise = torch.from_numpy(rng.standard_normal(cases.messages.shape, dtype=np.float32))
    cases.messages.add_(noise * gate.tiers.standardise.spread, alpha=deviations)


def drop_parts(gate: GateModule, cases: Batch, chance: float, rng: np.random.Generator) -> None:
    """Put each part of the features at its usual value with this chance, so that none is relied on alone."""
    if not isinstance(gate.tiers, FullTiersModule) or not chance:
        return
    dropped = {part for part in PARTS if rng.random() < chance}
    columns = [place for place, feature in enumerate(FEATURES) if feature.part in dropped]
    usual = gate.tiers.standardise.usual[columns]
    cases.turns[..., columns] = usual
    cases.messages[..., columns] = usual


def cross_entropy(logits: Tensor, relevant: Tensor, mask: Tensor) -> Tensor:
    """Return (B,) binary cross-entropy of each case, summed over its n turns and divided by √n.

    The root lies between the mean and the sum, so that neither long nor short histories dominate.
    """
    losses = F.binary_cross_entropy_with_logits(logits, relevant, reduction="none") * mask
    return losses.sum(dim=1) / mask.sum(dim=1).clamp(min=1).sqrt()


def ranking_loss(logits: Tensor, target: Tensor, mask: Tensor) -> Tensor:
    """Return (B,) how far needed turns are from ranking above all that are not relevant, the mean over them.

    For a needed turn with logit l it is ln(1 + Σ exp(l_j − l)) over the irrelevant turns j. An answer is
    wrong when one needed turn is missing, so each counts alike, however many turns the history has.
    """
    is_needed, is_other = (target >= 1) & mask, (target <= 0) & mask
    others = torch.logsumexp(logits.masked_fill(~is_other, MASKED_LOGIT), dim=1, keepdim=True)
    losses = F.softplus(others - logits) * is_needed
    return losses.sum(dim=1) / is_needed.sum(dim=1).clamp(min=1)


def any_relevant(logits: Tensor, relevant: Tensor, mask: Tensor) -> Tensor:
    """Return (B,) cross-entropy of whether anything is relevant in each case.

    That nothing is has the probability Π (1 − pᵢ)^0.7, as in the rule `expected`. Above 8 nats the loss of a
    case without relevant turns grows by the logarithm.
    """
    none = CORRELATION_EXPONENT * (F.softplus(logits) * mask).sum(dim=1)  # −ln Π(1 − pᵢ)^0.7
    losses_of_any = -torch.log(-torch.expm1(-none.clamp(min=1e-6)))
    return torch.where((relevant * mask).sum(dim=1) > 0, losses_of_any, _KNEE * torch.log1p(none / _KNEE))


def training_loss(output: GateOutput, target: Tensor, mask: Tensor, *, ranking_weight: float) -> Tensor:
    """Return () the loss of a batch: cross-entropy of both tiers and of "anything", and the ranking.

    target: (B, n) 1 where a turn is needed, less where it only helps.
    """
    losses = cross_entropy(output.logit, target, mask)
    losses = losses + TIER1_WEIGHT * cross_entropy(output.tier1, target, mask)
    losses = losses + ANY_WEIGHT * any_relevant(output.logit, target, mask)
    losses = losses + ranking_weight * ranking_loss(output.logit, target, mask)
    return losses.mean()
