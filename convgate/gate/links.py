"""Links: which earlier turn does each turn go on from, and what is reached by following them.

A_ji is the share of turn j that goes on from the earlier turn i; each row sums to at most 1, and what is
missing is the chance that j begins something new. Following links any number of steps is
(I − A)⁻¹ = I + A + A² + …, a triangular system that is solved, never inverted. A lives inside a band: a turn
links to the `band` turns before it.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import torch
from scipy.linalg.blas import stbmv
from scipy.linalg.lapack import stbtrs
from torch import Tensor

from convgate.gate.arrays import Floats

OUT = -1e4  # a logit that no softmax gives anything to


def shares(links: Tensor, fresh: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Softmax over the turns that a message may go on from, and over going on from none.

    links: (..., n, H) logits; fresh: (..., H) the logit of beginning something new; mask: (..., n).
    Gives log shares (..., n, H), and the log share (..., H) of something new. Masked turns get exp(log) = 0.
    """
    logits = torch.cat([links.masked_fill(~mask[..., None], OUT), fresh.unsqueeze(-2)], dim=-2)
    log = torch.log_softmax(logits, dim=-2)
    return log[..., :-1, :], log[..., -1, :]


def dense(band: Tensor) -> Tensor:
    """(H, n, n) strictly lower triangular from (n, K, H) with the newest earlier turn first, for training."""
    n, width, heads = band.shape
    turns = torch.arange(n)[:, None] - torch.arange(1, width + 1)[None]
    place = torch.where(turns >= 0, turns, n)  # the column behind the last takes what does not exist
    full = band.new_zeros(heads, n, n + 1)
    return full.scatter(2, place.expand(heads, n, width), band.permute(2, 0, 1))[:, :, :n]


def steps(matrix: Tensor) -> Tensor:
    """(H, n, n) (I − A)⁻¹ of (H, n, n) links, for training."""
    identity = torch.eye(matrix.shape[-1])
    solved: Tensor = torch.linalg.solve_triangular(
        identity - matrix, identity.expand_as(matrix), upper=False, unitriangular=True
    )
    return solved


class Band:
    """I − A of one head for n turns, in the columns of BLAS's band storage: `columns` is (≥ n, K + 1).

    columns[i, d] = −A[i + d, i] for 1 ≤ d ≤ K; the diagonal of ones is not stored. All values are (n, k), and
    each of their columns is followed by itself.
    """

    def __init__(self, columns: Floats, n: int) -> None:
        self._band = columns[:n].T  # (K + 1, n), as BLAS wants it: no copy
        self._width = len(self._band) - 1

    def follow(self, start: Floats) -> Floats:
        """(I − A)⁻ᵀ start: how much of `start` reaches each turn by following links."""
        return self._solved(start, "T")

    def gather(self, values: Floats) -> Floats:
        """(I − A)⁻¹ values: what each turn sees by following its own links."""
        return self._solved(values, "N")

    def one_step(self, values: Floats) -> Floats:
        """A values: what each turn sees one link away."""
        seen = np.empty_like(values)
        for column in range(values.shape[1] if len(values) else 0):  # BLAS refuses what is empty
            seen[:, column] = stbmv(self._width, self._band, values[:, column], lower=1, diag=1)
        return np.asarray(values - seen)

    def _solved(self, values: Floats, trans: Literal["N", "T"]) -> Floats:
        if not values.size:
            return values
        solved, _ = stbtrs(self._band, values, uplo="L", trans=trans, diag="U")
        return np.asarray(solved)
