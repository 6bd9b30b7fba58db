"""Training loss. A mask is True where a turn is in the history and its relevance is known."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from convgate.gate.model import GateOutput
from convgate.gate.thresholds import TOGETHER

ANY_WEIGHT = 0.5
TIER1_WEIGHT = 0.3  # so that tier 1 is of use by itself, and its parts mean something
_KNEE = 8.0  # nats, where the loss of a case without relevant turns stops being nearly linear


def cross_entropy(logits: Tensor, relevant: Tensor, mask: Tensor) -> Tensor:
    """(B,) binary cross-entropy of each case, summed over its n turns and divided by √n.

    The root lies between the mean, for which one relevant turn among 600 hardly counts, and the sum, for
    which long histories are all that counts.
    """
    losses = F.binary_cross_entropy_with_logits(logits, relevant, reduction="none") * mask
    return losses.sum(dim=1) / mask.sum(dim=1).clamp(min=1).sqrt()


def overlap(logits: Tensor, relevant: Tensor, mask: Tensor) -> Tensor:
    """() 1 − F1 of the selection over all cases, each turn counted by its score instead of kept or not.

    It moves scores to the side of ½ where the F1 is best, whether little or much is relevant.
    """
    kept = torch.sigmoid(logits) * mask
    found = (kept * relevant).sum()
    return 1 - (2 * found + 1) / (kept.sum() + relevant.sum() + 1)


def any_relevant(logits: Tensor, relevant: Tensor, mask: Tensor) -> Tensor:
    """(B,) cross-entropy of whether anything is relevant in each case.

    That nothing is has the probability Π (1 − pᵢ)^0.7, as the rule `expected` has it (`thresholds.TOGETHER`).
    Above 8 nats the loss of a case without relevant turns grows by the logarithm, so that one case in which
    much is kept wrongly is not all that counts.
    """
    none = TOGETHER * (F.softplus(logits) * mask).sum(dim=1)  # −ln Π(1 − pᵢ)^0.7
    found = -torch.log(-torch.expm1(-none.clamp(min=1e-6)))
    return torch.where((relevant * mask).sum(dim=1) > 0, found, _KNEE * torch.log1p(none / _KNEE))


def objective(output: GateOutput, relevant: Tensor, mask: Tensor, *, overlap_weight: float) -> Tensor:
    """() the loss of a batch: cross-entropy of both tiers and of "anything", and the overlap."""
    both = cross_entropy(output.logit, relevant, mask)
    both = both + TIER1_WEIGHT * cross_entropy(output.tier1, relevant, mask)
    both = both + ANY_WEIGHT * any_relevant(output.logit, relevant, mask)
    return both.mean() + overlap_weight * overlap(output.logit, relevant, mask)
