"""Tier 2 of the full preset: turns exchange information along the links between them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from convgate.gate.features import FEATURES
from convgate.gate.links import MASKED_LOGIT, band_to_dense, log_shares, sum_powers

_EVIDENCE = 12  # width of the evidence of a pair of turns
_VALUES = 4  # width of the values that turns exchange
_HIDDEN = 48  # width of the network that reads each turn
_HEAD = 32
MIN_SHARE = 1e-3  # what is added to a share before its logarithm
MIN_LOG_SHARE = -8.0  # lower ones are raised to it
_MASKED_EVIDENCE = -10.0


class Threads(NamedTuple):
    """Links between the turns of one conversation, for training: each (H, n, n)."""

    links: Tensor  # A
    reach: Tensor  # (I − A)⁻¹
    context: Tensor  # (I − λA)⁻¹


class ThreadTier(nn.Module):
    """One logit per turn from the turn, the turns it is linked with, and the message.

    Pairs          a small network maps the features of a pair (x) to evidence (g) and, for each head, to the
                   logit of a link. A turn's links are a softmax over the turns before it and a new topic;
                   they do not depend on any message, and are kept.
    First pass     the message links like any turn (α); r = αᵀ(I − A)⁻¹ is what following links reaches. Turns
                   exchange values of their evidence, in both directions along links that decay by λ.
    Second pass    a network reads all of that for each turn and corrects the message's links; the head reads
                   what these reach.

    The head starts at zero: an untrained tier gives logit 0 to every turn.
    """

    def __init__(self, hidden: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        count = len(FEATURES)
        self.pair = nn.Sequential(
            nn.Linear(count, hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, heads + _EVIDENCE),
        )
        self.fresh = nn.Linear(_EVIDENCE, heads)
        self.value = nn.Linear(_EVIDENCE, _VALUES)
        self.fading = nn.Parameter(torch.full((heads,), 1.5))  # σ of it is λ
        inputs = count + _EVIDENCE + 2 * heads * _VALUES + 4 * heads + 1
        self.reading = nn.Sequential(
            nn.Linear(inputs, _HIDDEN), nn.ReLU(), nn.Linear(_HIDDEN, _HIDDEN), nn.ReLU()
        )
        self.relink = nn.Linear(_HIDDEN, heads)
        self.refresh = nn.Linear(_EVIDENCE, heads)
        output = nn.Linear(_HEAD, 1)
        self.head = nn.Sequential(nn.Linear(_HIDDEN + 3 * heads + 1, _HEAD), nn.ReLU(), output)
        nn.init.zeros_(output.weight)
        nn.init.zeros_(output.bias)

    def pairs(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Return link logits (..., H) and evidence (..., G) of (..., F) features."""
        outputs = self.pair(features)
        return outputs[..., : self.heads], outputs[..., self.heads :]

    def turn_links(self, features: Tensor, mask: Tensor) -> Tensor:
        """Return (m, K, H) links of turns to the K turns before them; features (m, K, F), mask (m, K)."""
        links, evidence = self.pairs(features)
        log_share, _ = log_shares(links, self.fresh(_max_pool(evidence, mask)), mask)
        return log_share.exp() * mask[..., None]

    @property
    def decay(self) -> Tensor:
        """(H,) λ: the share of a value that is left after one link, 0…1."""
        return torch.sigmoid(self.fading)

    def threads(self, features: Tensor, *, start: int = 0) -> Threads:
        """Return the links among the turns of a conversation from turn `start` on.

        features: (n, K, F) of each with the K turns before it, newest first. Links to turns before `start`
        take their share of the softmax, but are not followed.
        """
        n, width = features.shape[:2]
        mask = torch.arange(start, start + n)[:, None] >= torch.arange(1, width + 1)[None]
        links = band_to_dense(self.turn_links(features, mask))
        return Threads(links, sum_powers(links), sum_powers(self.decay[:, None, None] * links))

    def forward(self, threads: Threads, features: Tensor, mask: Tensor) -> Tensor:
        """Return (B, n) logits for B messages of one conversation; features (B, n, F), mask (B, n)."""
        links, evidence = self.pairs(features)
        is_turn = mask.to(features.dtype)
        pooled = _max_pool(evidence, mask)
        log_share, new = log_shares(links, self.fresh(pooled), mask)
        values = self.value(evidence) * is_turn[..., None]
        earlier = torch.einsum("hmn,bnv->bmhv", threads.context, values) / _to_divisor(
            torch.einsum("hmn,bn->bmh", threads.context, is_turn)
        )
        later = torch.einsum("hnm,bnv->bmhv", threads.context, values) / _to_divisor(
            torch.einsum("hnm,bn->bmh", threads.context, is_turn)
        )
        max_link = links.masked_fill(~mask[..., None], MASKED_LOGIT).amax(dim=-2, keepdim=True)
        inputs = [
            features,
            evidence,
            earlier.flatten(-2),
            later.flatten(-2),
            _log(_reach(threads, log_share, is_turn)),
            torch.cat([log_share, links - max_link], dim=-1).clamp(min=MIN_LOG_SHARE),
            _broadcast_mean(new, features),
        ]
        hidden = self.reading(torch.cat(inputs, dim=-1))
        log_share, new = log_shares(
            links + self.relink(hidden), self.fresh(pooled) + self.refresh(pooled), mask
        )
        inputs = [
            hidden,
            _log(_reach(threads, log_share, is_turn)),
            log_share.clamp(min=MIN_LOG_SHARE),
            _broadcast_mean(new, hidden),
        ]
        logits: Tensor = self.head(torch.cat(inputs, dim=-1)).squeeze(-1)
        return logits


def _max_pool(evidence: Tensor, mask: Tensor) -> Tensor:
    """Return (..., G) the max of each number over the turns."""
    return evidence.masked_fill(~mask[..., None], _MASKED_EVIDENCE).amax(dim=-2)


def _log(shares: Tensor) -> Tensor:
    return torch.log(shares.clamp(min=0) + MIN_SHARE)


def _to_divisor(sums: Tensor) -> Tensor:
    return sums.clamp(min=MIN_SHARE).unsqueeze(-1)


def _broadcast_mean(new: Tensor, like: Tensor) -> Tensor:
    """Return (..., n, 1) the mean log share of a new topic, the same for each turn."""
    return new.mean(dim=-1)[..., None, None].expand(*like.shape[:-1], 1)


def _reach(threads: Threads, log_share: Tensor, is_turn: Tensor) -> Tensor:
    """Return (B, n, 2H) what links from a message reach, and each turn's sum of it one link away."""
    is_turn = is_turn[..., None]
    reach = torch.einsum("bnh,hnm->bmh", log_share.exp() * is_turn, threads.reach) * is_turn
    return torch.cat([reach, torch.einsum("hmn,bnh->bmh", threads.links, reach)], dim=-1)
