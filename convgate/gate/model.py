"""The gate: both tiers, blended by a residual gate, and the learned threshold."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from convgate.embedding.base import Embeddings, check_embeddings
from convgate.errors import GateError
from convgate.gate.attention import AttentionTier
from convgate.gate.bilinear import BilinearTier, positions
from convgate.gate.config import GateConfig

REFERENCE_PARAMETERS = 221_829
CONTEXTUAL = "contextual"

Logits = NDArray[np.float64]


class GateOutput(NamedTuple):
    """What the gate gives for a batch; all logits (B, n)."""

    logit: Tensor
    tier1: Tensor
    attention: Tensor
    activation: Tensor  # () in 0…1


@dataclass(frozen=True, eq=False)
class TurnState:
    """What can be kept of a conversation's turns between messages."""

    embeddings: Tensor  # (n, d)
    projected: Tensor  # (n, 4h) what the attention tier makes of the turns before any situation is known

    def __len__(self) -> int:
        return len(self.embeddings)

    def __getitem__(self, rows: slice | Tensor) -> TurnState:
        return TurnState(self.embeddings[rows], self.projected[rows])


@dataclass(frozen=True, eq=False)
class GateScores:
    """The scores of one history against one situation, oldest turn first."""

    scores: Logits  # (n,) in 0…1, the logistic of `logits`
    logits: Logits  # (n,) the sum of `parts`
    tier1: Logits  # (n,)
    attention: Logits  # (n,)
    parts: dict[str, Logits]  # each (n,): semantic, recency, decay, contextual
    activation: float  # g in 0…1: the share of the attention tier in the logit
    learned_threshold: float  # in 0…1


class Gate(nn.Module):
    """logit = (1 − g)·tier1 + g·attention, g = σ(residual gate); score = σ(logit).

    With one turn there is nothing to attend to, and tier 1 stands. A new gate is untrained: it ranks by
    cosine similarity. `seed` fixes the projections of its attention tier.
    """

    def __init__(self, config: GateConfig | None = None, *, seed: int = 0) -> None:
        super().__init__()
        self.config = config or GateConfig()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            self.bilinear = BilinearTier(self.config.dimension)
            self.attention = AttentionTier(self.config.dimension, self.config.hidden)
        self.threshold_logit = nn.Parameter(torch.zeros(()))

    def forward(self, turns: Tensor, situation: Tensor, mask: Tensor | None = None) -> GateOutput:
        """Scores for a batch of histories, differentiable.

        turns: (B, n, d); situation: (B, d); mask: (B, n), True where a turn is, turns before padding.
        Padded rows and histories of no turn hold finite values without meaning.
        """
        if mask is None:
            mask = torch.ones(turns.shape[:2], dtype=torch.bool, device=turns.device)
        count = mask.sum(dim=1, keepdim=True)
        place = torch.arange(turns.shape[1], device=turns.device) / (count - 1).clamp(min=1)
        place = torch.where(count > 1, place.clamp(max=1), torch.ones_like(place))
        tier1 = torch.stack(list(self.bilinear(turns, situation, place).values())).sum(dim=0)
        attention = torch.where(count > 1, self.attention(turns, tier1, situation, mask), tier1)
        activation = torch.sigmoid(self.attention.residual_gate)
        return GateOutput(tier1 + activation * (attention - tier1), tier1, attention, activation)

    @torch.inference_mode()
    def state(self, embeddings: Embeddings) -> TurnState:
        """What to keep of (n, d) turn embeddings, so that each message costs only what it changes.

        Raises EncoderError for NaN or infinite rows, GateError for another dimension.
        """
        turns = torch.from_numpy(self._checked(embeddings, "a turn"))
        return TurnState(turns, self.attention.project(turns))

    @torch.inference_mode()
    def extended(self, state: TurnState, embeddings: Embeddings) -> TurnState:
        """The state with (m, d) newer turns behind it."""
        new = self.state(embeddings)
        return TurnState(
            torch.cat([state.embeddings, new.embeddings]), torch.cat([state.projected, new.projected])
        )

    @torch.inference_mode()
    def score(self, state: TurnState, situation: Embeddings) -> GateScores:
        """Every turn of the state against the (d,) embedding of the situation."""
        s = torch.from_numpy(self._checked(situation[None], "the situation")[0])
        parts = self.bilinear(state.embeddings, s, positions(len(state)))
        stacked = torch.stack(list(parts.values()))
        tier1 = stacked.sum(dim=0)
        activation = torch.sigmoid(self.attention.residual_gate)
        columns = dict(zip(parts, stacked.double().numpy(), strict=True))
        tier1_column = sum(columns.values(), start=np.zeros(len(state)))
        attention_column = tier1_column
        if len(state) > 1:
            attention_column = self.attention.score(state.projected, tier1, s).double().numpy()
        columns[CONTEXTUAL] = float(activation) * (attention_column - tier1_column)
        logits = tier1_column + columns[CONTEXTUAL]
        return GateScores(
            scores=_sigmoid(logits),
            logits=logits,
            tier1=tier1_column,
            attention=attention_column,
            parts=columns,
            activation=float(activation),
            learned_threshold=self.learned_threshold,
        )

    @property
    def learned_threshold(self) -> float:
        """The absolute threshold that training found, 0…1; 0.5 in an untrained gate."""
        return float(torch.sigmoid(self.threshold_logit.detach()))

    @property
    def parameter_count(self) -> int:
        """How many trainable numbers the gate has."""
        return sum(parameter.numel() for parameter in self.parameters())

    @property
    def fingerprint(self) -> str:
        """A hash of config and weights: what results of this gate may be kept under."""
        digest = hashlib.blake2b(repr(self.config).encode(), digest_size=16)
        for name, tensor in sorted(self.state_dict().items()):
            digest.update(name.encode())
            digest.update(tensor.detach().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    def _checked(self, embeddings: Embeddings, what: str) -> Embeddings:
        if embeddings.ndim != 2 or embeddings.shape[1] != self.config.dimension:
            got = embeddings.shape[-1] if embeddings.ndim else 0
            raise GateError(
                f"the gate reads embeddings of {self.config.dimension} dimensions; {what} has {got}"
                " (was it encoded with another encoder?)"
            )
        vectors = np.ascontiguousarray(embeddings, dtype=np.float32)
        return check_embeddings(vectors, dimension=self.config.dimension, source=f"the embedding of {what}")


def _sigmoid(logits: Logits) -> Logits:
    return np.exp(-np.logaddexp(0, -logits))
