"""The tiers of the full preset in torch, for training; `convgate.gate.scoring` scores with their weights."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from convgate.gate.config import GateConfig
from convgate.gate.features import FEATURES
from convgate.gate.initial_weights import EVIDENCE, HEAD, KINDS, READING, VALUES
from convgate.gate.scoring import MASKED_EVIDENCE, MASKED_LOGIT, MAX_SPREADS, MIN_LOG_SHARE, MIN_SHARE


class Standardise(nn.Module):
    """Features less their usual value, in units of their usual spread; both are measured before training."""

    usual: Tensor
    spread: Tensor

    def __init__(self, count: int) -> None:
        super().__init__()
        self.register_buffer("usual", torch.zeros(count))
        self.register_buffer("spread", torch.ones(count))

    def forward(self, features: Tensor) -> Tensor:
        """(..., F) to (..., F)."""
        return (features - self.usual).div_(self.spread).clamp_(-MAX_SPREADS, MAX_SPREADS)


class Whitening(nn.Module):
    """Holds the whitening of embeddings, which is measured before training; no forward pass uses it."""

    W: Tensor
    mean: Tensor

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.register_buffer("W", torch.eye(dimension))
        self.register_buffer("mean", torch.zeros(dimension))


class FeatureTier(nn.Module):
    """Tier 1: each turn alone, a weighted sum of its features.

    logit_i = Σ_k w_k(m)·x_ik + b, where x are the standardised features. The weights depend on the kind of
    message: w(m) = w + U tanh(V x̄ + v), x̄ the mean features of the history.
    """

    def __init__(self) -> None:
        super().__init__()
        count = len(FEATURES)
        self.weight = nn.Parameter(torch.zeros(count))
        self.bias = nn.Parameter(torch.zeros(()))
        self.kind = nn.Linear(count, KINDS)  # V, v
        self.by_kind = nn.Linear(KINDS, count, bias=False)  # U
        nn.init.zeros_(self.by_kind.weight)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        """Return (..., n) logits of (..., n, F) features; mask (..., n)."""
        is_turn = mask[..., None].to(features.dtype)
        mean = (features * is_turn).sum(dim=-2) / is_turn.sum(dim=-2).clamp(min=1)
        weights = self.weight + self.by_kind(torch.tanh(self.kind(mean)))
        logits: Tensor = (features @ weights.unsqueeze(-1)).squeeze(-1) + self.bias
        return logits


class Threads(NamedTuple):
    """Links between the turns of one conversation, for training: each (H, n, n)."""

    links: Tensor  # A
    reach: Tensor  # (I − A)⁻¹
    context: Tensor  # (I − λA)⁻¹


class ThreadTier(nn.Module):
    """Tier 2: one logit per turn from the turn, the turns it is linked with, and the message.

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
            nn.Linear(hidden, heads + EVIDENCE),
        )
        self.fresh = nn.Linear(EVIDENCE, heads)
        self.value = nn.Linear(EVIDENCE, VALUES)
        self.fading = nn.Parameter(torch.full((heads,), 1.5))  # σ of it is λ
        inputs = count + EVIDENCE + 2 * heads * VALUES + 4 * heads + 1
        self.reading = nn.Sequential(
            nn.Linear(inputs, READING), nn.ReLU(), nn.Linear(READING, READING), nn.ReLU()
        )
        self.relink = nn.Linear(READING, heads)
        self.refresh = nn.Linear(EVIDENCE, heads)
        output = nn.Linear(HEAD, 1)
        self.head = nn.Sequential(nn.Linear(READING + 3 * heads + 1, HEAD), nn.ReLU(), output)
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


class FullTiersModule(nn.Module):
    """Features, the feature tier and the thread tier, blended by a residual gate.

    The thread tier scores the newest turns, as many as the config's window has, the feature tier all others.
    """

    def __init__(self, config: GateConfig) -> None:
        super().__init__()
        self.config = config
        self.whitening = Whitening(config.dimension)
        self.standardise = Standardise(len(FEATURES))
        self.bilinear = FeatureTier()
        self.attention = ThreadTier(config.hidden, config.heads)
        self.residual_gate = nn.Parameter(torch.tensor(-1.0))
        with torch.no_grad():
            self.bilinear.weight[0] = 1.0  # an untrained gate ranks by cosine

    @property
    def activation(self) -> Tensor:
        """() g, the share of the attention tier in the logit, 0…1."""
        return torch.sigmoid(self.residual_gate)

    def forward(self, turns: Tensor, messages: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return (B, n) logits of tier 1 and tier 2 for B messages of one conversation, differentiable.

        turns: (n, K, F) features of the turns with the turns before them, newest first, K the band;
        messages: (B, n, F) features of the messages with all turns, oldest first; mask: (B, n), True where a
        turn is before the message.
        """
        x = self.standardise(messages)
        tier1 = self.bilinear(x, mask)
        stop = mask.shape[1] - mask.flip(1).to(torch.uint8).argmax(dim=1)  # after the newest turn of each
        in_window = mask & (torch.arange(mask.shape[1]) >= (stop - self.config.window)[:, None])
        first = int(in_window.any(dim=0).to(torch.uint8).argmax())
        threads: Threads = self.attention.threads(self.standardise(turns[first:]), start=first)
        attention = self.attention(threads, x[:, first:], in_window[:, first:])
        attention = torch.where(in_window, F.pad(attention, (first, 0)), tier1)
        return tier1, attention


def log_shares(links: Tensor, new: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log softmax over the turns that a message may continue and a new topic.

    links: (..., n, H) logits; new: (..., H) the logit of a new topic; mask: (..., n). Returns log shares
    (..., n, H), and the log share (..., H) of a new topic. Masked turns have the share 0.
    """
    logits = torch.cat([links.masked_fill(~mask[..., None], MASKED_LOGIT), new.unsqueeze(-2)], dim=-2)
    log_softmax = torch.log_softmax(logits, dim=-2)
    return log_softmax[..., :-1, :], log_softmax[..., -1, :]


def band_to_dense(band: Tensor) -> Tensor:
    """Return (H, n, n) lower triangular links from (n, K, H), newest earlier turn first."""
    n, width, heads = band.shape
    turns = torch.arange(n)[:, None] - torch.arange(1, width + 1)[None]
    column = torch.where(turns >= 0, turns, n)  # column n takes links before the first turn
    zeros = band.new_zeros(heads, n, n + 1)
    return zeros.scatter(2, column.expand(heads, n, width), band.permute(2, 0, 1))[:, :, :n]


def sum_powers(links: Tensor) -> Tensor:
    """Return (H, n, n) I + A + A² + … = (I − A)⁻¹ of (H, n, n) links."""
    identity = torch.eye(links.shape[-1])
    powers: Tensor = torch.linalg.solve_triangular(
        identity - links, identity.expand_as(links), upper=False, unitriangular=True
    )
    return powers


def _max_pool(evidence: Tensor, mask: Tensor) -> Tensor:
    """Return (..., G) the max of each number over the turns."""
    return evidence.masked_fill(~mask[..., None], MASKED_EVIDENCE).amax(dim=-2)


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
