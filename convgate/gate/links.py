"""Links: which earlier turn each turn continues, and which turns are reached by following links.

A_ji is the probability that turn j continues the earlier turn i; each row sums to at most 1, and the rest is
the probability that j starts a new topic. Following links any number of steps is
(I − A)⁻¹ = I + A + A² + …, and with a decay λ of each step (I − λA)⁻¹.

A turn links to the `band` turns before it, so in blocks of at least as many turns I − A is block bidiagonal.
With D_b the diagonal blocks, A_b those left of them and C_b = D_b⁻¹ A_b,

    (I − A) x = y      x_b = D_b⁻¹ y_b + C_b x_{b−1}           oldest block first
    (I − A)ᵀ x = y     x_b = D_b⁻ᵀ w_b,  w_b = y_b + C_{b+1}ᵀ w_{b+1}     newest block first

The rows of D_b⁻¹ and C_b depend on earlier turns alone, so both grow turn by turn: following links costs a
few small matrix products, which takes numpy alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from convgate.gate.arrays import Floats
from convgate.gate.columns import GrowableArray

_MIN_BLOCK = 64  # turns; smaller blocks take more products, larger ones more multiplications


class Links:
    """The links of a conversation's turns, growing turn by turn; decay: (H,) λ of each head, 0…1."""

    def __init__(self, decay: Floats, band: int) -> None:
        heads, self.block = len(decay), max(_MIN_BLOCK, band)
        self._scale = np.concatenate([np.ones_like(decay), decay])[:, None]
        self.shares = GrowableArray(np.float32, heads, band)  # A, oldest turn first
        # C_b and D_b⁻¹ side by side, those of A and then those of λA
        self.solved = GrowableArray(np.float32, 2 * heads, self.block, 2 * self.block, capacity=1)

    def append(self, shares: Floats) -> None:
        """Append a turn with its (H, K) links to the turns before it, oldest first."""
        block, place = divmod(len(self.shares), self.block)
        if not place:
            self.solved.append(0)
        solved = self.solved.first(block + 1)[block]
        row = np.zeros((len(self._scale), 2 * self.block), dtype=np.float32)  # of A_b and I − D_b
        stop = self.block + place
        row[:, stop - shares.shape[1] : stop] = np.tile(shares, (2, 1)) * self._scale
        within = row[:, None, self.block : stop] @ solved[:, :place]
        row[:, self.block :] = 0
        row[:, stop] = 1
        solved[:, place] = row + within[:, 0]
        self.shares.append(shares)

    def window(self, start: int, stop: int) -> LinkWindow:
        """Return the links among the turns start…stop − 1."""
        first, last = start // self.block, -(-stop // self.block)
        solved, heads = self.solved.first(last)[first:], len(self._scale) // 2
        return LinkWindow(
            start - first * self.block,
            self.shares.first(stop)[start:],
            *(
                SolvedBlocks(part[..., : self.block], part[..., self.block :])
                for part in (solved[:, :heads], solved[:, heads:])
            ),
        )


class SolvedBlocks(NamedTuple):
    """C_b and D_b⁻¹ of N blocks of B turns for H heads, each (N, H, B, B)."""

    before: Floats
    within: Floats


class LinkWindow(NamedTuple):
    """The links among w turns, as functions of H heads of k rows of numbers: (H or 1, k, w) → (H, k, w)."""

    offset: int  # of the first turn in its block
    shares: Floats  # (w, H, K) A, oldest turn first
    links: SolvedBlocks
    contexts: SolvedBlocks  # those of λA

    def reach(self, start: Floats) -> Floats:
        """Return (I − A)⁻ᵀ start: how much of `start` reaches each turn by following links."""
        return self._in_blocks(start, self.links, _follow)

    def contexts_of(self, values: Floats) -> tuple[Floats, Floats]:
        """Return (I − λA)⁻¹ values and (I − λA)⁻ᵀ values: sums over earlier and over later turns."""
        gathered = self._in_blocks(values, self.contexts, _gather)
        return gathered, self._in_blocks(values, self.contexts, _follow)

    def step(self, values: Floats) -> Floats:
        """Return A values, (H, w) → (H, w): the values that each turn reaches by one link."""
        width = self.shares.shape[2]
        padded = np.zeros((len(values), width + values.shape[1]), dtype=np.float32)
        padded[:, width:] = values
        # The K values before each; numpy's sliding_window_view takes as long as the sums.
        row, step = padded.strides
        earlier = np.ndarray((*values.shape, width), np.float32, padded, strides=(row, step, step))
        return np.asarray(np.einsum("whk,hwk->hw", self.shares, earlier))

    def _in_blocks(
        self, values: Floats, blocks: SolvedBlocks, solve: Callable[[Floats, SolvedBlocks], Floats]
    ) -> Floats:
        """Return (H, k, w) of (H or 1, k, w) values; places of other turns in the blocks count 0."""
        count, heads, size, _ = blocks.within.shape
        kinds, rows, width = values.shape
        padded = np.zeros((kinds, rows, count * size), dtype=np.float32)
        padded[..., self.offset : self.offset + width] = values
        solved = solve(padded.reshape(kinds, rows, count, size).transpose(2, 0, 1, 3), blocks)
        flat = solved.transpose(1, 2, 0, 3).reshape(heads, rows, count * size)
        return flat[..., self.offset : self.offset + width]


def _gather(values: Floats, blocks: SolvedBlocks) -> Floats:
    """Return (I − A)⁻¹ values; values (N, H, k, B), each row of numbers by itself."""
    solved = values @ blocks.within.swapaxes(2, 3)
    before = blocks.before.swapaxes(2, 3)
    for block in range(1, len(solved)):
        solved[block] += solved[block - 1] @ before[block]
    return np.asarray(solved)


def _follow(values: Floats, blocks: SolvedBlocks) -> Floats:
    """Return (I − A)⁻ᵀ values; values (N, H, k, B), each row of numbers by itself."""
    sums = np.array(np.broadcast_to(values, (*blocks.within.shape[:2], *values.shape[2:])))
    for block in range(len(sums) - 1, 0, -1):
        sums[block - 1] += sums[block] @ blocks.before[block]
    return np.asarray(sums @ blocks.within)
