"""Links: which earlier turn each turn continues, and which turns are reached by following links.

A_ji is the probability that turn j continues the earlier turn i; each row sums to at most 1, and the rest is
the probability that j starts a new topic. Following links any number of steps is
(I − A)⁻¹ = I + A + A² + …, a triangular system that is solved, never inverted. A is banded: a turn links to
the `band` turns before it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from scipy.linalg.blas import stbmv
from scipy.linalg.lapack import stbtrs
from torch import Tensor

from convgate.gate.arrays import Floats

MASKED_LOGIT = -1e4  # its softmax is 0


def log_shares(links: Tensor, new: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Return the log softmax over the turns that a message may continue and a new topic.

    links: (..., n, H) logits; new: (..., H) the logit of a new topic; mask: (..., n). Returns log shares
    (..., n, H), and the log share (..., H) of a new topic. Masked turns have the share 0.
    """
    logits = torch.cat([links.masked_fill(~mask[..., None], MASKED_LOGIT), new.unsqueeze(-2)], dim=-2)
    log_softmax = torch.log_softmax(logits, dim=-2)
    return log_softmax[..., :-1, :], log_softmax[..., -1, :]


def band_to_dense(band: Tensor) -> Tensor:
    """Return (H, n, n) lower triangular links from (n, K, H), newest earlier turn first, for training."""
    n, width, heads = band.shape
    turns = torch.arange(n)[:, None] - torch.arange(1, width + 1)[None]
    column = torch.where(turns >= 0, turns, n)  # column n takes links before the first turn
    zeros = band.new_zeros(heads, n, n + 1)
    return zeros.scatter(2, column.expand(heads, n, width), band.permute(2, 0, 1))[:, :, :n]


def sum_powers(links: Tensor) -> Tensor:
    """Return (H, n, n) I + A + A² + … = (I − A)⁻¹ of (H, n, n) links, for training."""
    identity = torch.eye(links.shape[-1])
    powers: Tensor = torch.linalg.solve_triangular(
        identity - links, identity.expand_as(links), upper=False, unitriangular=True
    )
    return powers


class Band:
    """I − A of one head for n turns, in the columns of BLAS's band storage: `columns` is (≥ n, K + 1).

    columns[i, d] = −A[i + d, i] for 1 ≤ d ≤ K; the diagonal of ones is not stored. Values are (n, k), k
    independent columns.
    """

    def __init__(self, columns: Floats, n: int) -> None:
        self._band = columns[:n].T  # (K + 1, n), as BLAS wants it: no copy
        self._width = len(self._band) - 1

    def follow(self, start: Floats) -> Floats:
        """Return (I − A)⁻ᵀ start: how much of `start` reaches each turn by following links."""
        return self._solve(start, "T")

    def gather(self, values: Floats) -> Floats:
        """Return (I − A)⁻¹ values: the values that each turn reaches by following its own links."""
        return self._solve(values, "N")

    def step(self, values: Floats) -> Floats:
        """Return A values: the values that each turn reaches by one link."""
        products = np.empty_like(values)
        for column in range(values.shape[1] if len(values) else 0):  # BLAS refuses empty arrays
            products[:, column] = stbmv(self._width, self._band, values[:, column], lower=1, diag=1)
        return np.asarray(values - products)

    def _solve(self, values: Floats, trans: Literal["N", "T"]) -> Floats:
        if not values.size:
            return values
        solved, _ = stbtrs(self._band, values, uplo="L", trans=trans, diag="U")
        return np.asarray(solved)
