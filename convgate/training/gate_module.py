"""The gate as a torch module, for training alone; scoring uses `convgate.gate.model.Gate`."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from convgate.gate.config import GateConfig
from convgate.gate.model import Gate
from convgate.training.full_tiers import FullTiersModule
from convgate.training.reference_tiers import ReferenceTiersModule

_TIERS: dict[str, type[ReferenceTiersModule | FullTiersModule]] = {
    "reference": ReferenceTiersModule,
    "full": FullTiersModule,
}


class GateOutput(NamedTuple):
    """The gate's output for a batch; all logits (B, n)."""

    logit: Tensor
    tier1: Tensor
    attention: Tensor
    activation: Tensor  # () in 0…1


class GateModule(nn.Module):
    """The gate of a config with weights that can be trained; `seed` initialises them."""

    def __init__(self, config: GateConfig, *, seed: int = 0) -> None:
        super().__init__()
        self.config = config
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.tiers: ReferenceTiersModule | FullTiersModule = _TIERS[config.preset](config)
        self.threshold_logit = nn.Parameter(torch.zeros(()))
        self.float()  # another thread may change torch's default number format for a moment

    @classmethod
    def of(cls, gate: Gate) -> GateModule:
        """Return the module with a copy of the gate's weights, in evaluation mode."""
        module = cls(gate.config)
        module.load_state_dict({name: torch.from_numpy(array.copy()) for name, array in gate.weights.items()})
        return module.eval()

    def to_gate(self) -> Gate:
        """Return the gate with a copy of these weights."""
        weights = {name: tensor.cpu().numpy().copy() for name, tensor in self.state_dict().items()}
        return Gate(self.config, weights)

    def forward(self, turns: Tensor, messages: Tensor, mask: Tensor) -> GateOutput:
        """Return the scores of a batch, differentiable; turns and messages as in the tiers' `forward`.

        mask: (B, n), True where a turn is. Masked places hold finite values without meaning.
        """
        tier1, attention = self.tiers(turns, messages, mask)
        activation = self.tiers.activation
        return GateOutput(tier1 + activation * (attention - tier1), tier1, attention, activation)

    @property
    def learned_threshold(self) -> float:
        """The absolute threshold that training found, 0…1."""
        return float(torch.sigmoid(self.threshold_logit.detach()))
