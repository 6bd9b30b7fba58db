"""Tier 2 of the full preset: turns look at each other along the links between them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from convgate.gate.features import FEATURES
from convgate.gate.links import OUT, dense, shares, steps

_EVIDENCE = 12  # numbers that a pair of turns is summed up in
_VALUES = 4  # of them that turns tell each other
_READING = 48  # width of the second look
_HEAD = 32
MIN_SHARE = 1e-3  # what is added to a share before its logarithm
FLOOR = -8.0  # a log share below it says no less than it
_NO_EVIDENCE = -10.0  # of masked turns


class Threads(NamedTuple):
    """Links between the turns of one conversation, for training: each (H, n, n)."""

    links: Tensor  # A
    reach: Tensor  # (I − A)⁻¹
    context: Tensor  # (I − λA)⁻¹


class ThreadTier(nn.Module):
    """One logit per turn from the turn, the turns it is linked with, and the message.

    Pairs          a small network sums up the features of a pair (x) in evidence (g) and, for each head, in
                   the logit of a link. A turn's links to the turns before it are a softmax over them and over
                   "begins something new"; they do not depend on any message, and are kept.
    First look     the message links like any turn (α); r = αᵀ(I − A)⁻¹ is what following links reaches. Turns
                   tell each other a few numbers of their evidence, both ways along links that fade by λ.
    Second look    a network reads all of that for each turn; what it finds moves the message's own links, and
                   what they reach now is read by the head.

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
        seen = count + _EVIDENCE + 2 * heads * _VALUES + 4 * heads + 1
        self.reading = nn.Sequential(
            nn.Linear(seen, _READING), nn.ReLU(), nn.Linear(_READING, _READING), nn.ReLU()
        )
        self.relink = nn.Linear(_READING, heads)
        self.refresh = nn.Linear(_EVIDENCE, heads)
        last = nn.Linear(_HEAD, 1)
        self.head = nn.Sequential(nn.Linear(_READING + 3 * heads + 1, _HEAD), nn.ReLU(), last)
        nn.init.zeros_(last.weight)
        nn.init.zeros_(last.bias)

    def pairs(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """Link logits (..., H) and evidence (..., G) of (..., F) features."""
        outputs = self.pair(features)
        return outputs[..., : self.heads], outputs[..., self.heads :]

    def turn_links(self, features: Tensor, mask: Tensor) -> Tensor:
        """(m, K, H) links of turns to the K turns before them; features (m, K, F), mask (m, K)."""
        links, evidence = self.pairs(features)
        log, _ = shares(links, self.fresh(_best(evidence, mask)), mask)
        return log.exp() * mask[..., None]

    @property
    def lasting(self) -> Tensor:
        """(H,) λ: how much of what a turn tells is left after one link, 0…1."""
        return torch.sigmoid(self.fading)

    def threads(self, features: Tensor, *, start: int = 0) -> Threads:
        """The links among the turns of a conversation from turn `start` on.

        features: (n, K, F) of each with the K turns before it, newest first. Links to turns before `start`
        have their share, and lead nowhere.
        """
        n, width = features.shape[:2]
        mask = torch.arange(start, start + n)[:, None] >= torch.arange(1, width + 1)[None]
        links = dense(self.turn_links(features, mask))
        return Threads(links, steps(links), steps(self.lasting[:, None, None] * links))

    def forward(self, threads: Threads, features: Tensor, mask: Tensor) -> Tensor:
        """(B, n) logits for B messages of one conversation; features (B, n, F), mask (B, n)."""
        links, evidence = self.pairs(features)
        is_turn = mask.to(features.dtype)
        best = _best(evidence, mask)
        log, fresh = shares(links, self.fresh(best), mask)
        values = self.value(evidence) * is_turn[..., None]
        above = torch.einsum("hmn,bnv->bmhv", threads.context, values) / _weight(
            torch.einsum("hmn,bn->bmh", threads.context, is_turn)
        )
        below = torch.einsum("hnm,bnv->bmhv", threads.context, values) / _weight(
            torch.einsum("hnm,bn->bmh", threads.context, is_turn)
        )
        strongest = links.masked_fill(~mask[..., None], OUT).amax(dim=-2, keepdim=True)
        seen = [
            features,
            evidence,
            above.flatten(-2),
            below.flatten(-2),
            _log(_reached(threads, log, is_turn)),
            torch.cat([log, links - strongest], dim=-1).clamp(min=FLOOR),
            _broadcast_mean(fresh, features),
        ]
        read = self.reading(torch.cat(seen, dim=-1))
        log, fresh = shares(links + self.relink(read), self.fresh(best) + self.refresh(best), mask)
        seen = [
            read,
            _log(_reached(threads, log, is_turn)),
            log.clamp(min=FLOOR),
            _broadcast_mean(fresh, read),
        ]
        logits: Tensor = self.head(torch.cat(seen, dim=-1)).squeeze(-1)
        return logits


def _best(evidence: Tensor, mask: Tensor) -> Tensor:
    """(..., G) the largest of each number over the turns."""
    evidence = evidence.masked_fill(~mask[..., None], _NO_EVIDENCE)
    return evidence.amax(dim=-2)


def _log(share: Tensor) -> Tensor:
    return torch.log(share.clamp(min=0) + MIN_SHARE)


def _weight(sums: Tensor) -> Tensor:
    return sums.clamp(min=MIN_SHARE).unsqueeze(-1)


def _broadcast_mean(fresh: Tensor, like: Tensor) -> Tensor:
    """(..., n, 1) the log share of something new, the same for each turn."""
    return fresh.mean(dim=-1)[..., None, None].expand(*like.shape[:-1], 1)


def _reached(threads: Threads, log: Tensor, is_turn: Tensor) -> Tensor:
    """(B, n, 2H) what following links from a message reaches, and what each turn sees of it one link away."""
    is_turn = is_turn[..., None]
    reach = torch.einsum("bnh,hnm->bmh", log.exp() * is_turn, threads.reach) * is_turn
    return torch.cat([reach, torch.einsum("hmn,bnh->bmh", threads.links, reach)], dim=-1)
