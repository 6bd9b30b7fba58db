"""Links between turns: shares, and following them by matrices and by bands."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from convgate.gate.arrays import Floats
from convgate.gate.links import Band, band_to_dense, log_shares, sum_powers

SIZES = [(0, 3), (1, 3), (2, 1), (3, 3), (5, 8), (40, 4)]  # turns, band


def banded(n: int, width: int, *, seed: int = 0) -> tuple[Floats, Floats]:
    """Random links: A as (n, n), and I − A as the columns that a Band is made of."""
    rng = np.random.default_rng(seed)
    matrix = np.zeros((n, n), dtype=np.float32)
    columns = np.zeros((n, width + 1), dtype=np.float32)
    for turn in range(n):
        for ago in range(1, min(turn, width) + 1):
            matrix[turn, turn - ago] = rng.random() / width
            columns[turn - ago, ago] = -matrix[turn, turn - ago]
    return matrix, columns


def test_shares_are_a_softmax_with_something_new_beside_the_turns():
    links, fresh = torch.tensor([[0.0], [np.log(2.0)]]), torch.tensor([0.0])
    log, new = log_shares(links, fresh, torch.tensor([True, True]))
    assert log.exp().squeeze(-1).tolist() == pytest.approx([0.25, 0.5])
    assert new.exp().tolist() == pytest.approx([0.25])


def test_masked_turns_get_nothing_and_take_nothing():
    links, fresh = torch.tensor([[0.0], [50.0], [0.0]]), torch.tensor([0.0])
    log, new = log_shares(links, fresh, torch.tensor([True, False, True]))
    assert log.exp().squeeze(-1).tolist() == pytest.approx([1 / 3, 0, 1 / 3])
    assert log.exp()[1] == 0
    assert new.exp().tolist() == pytest.approx([1 / 3])
    log, new = log_shares(links, fresh, torch.tensor([False] * 3))
    assert log.exp().sum() == 0
    assert new.exp().tolist() == [1]


@pytest.mark.parametrize(("n", "width"), SIZES)
def test_matrix_of_any_size_holds_the_band(n: int, width: int):
    band = torch.randn(n, width, 2, generator=torch.Generator().manual_seed(1))
    matrix = band_to_dense(band)
    assert matrix.shape == (2, n, n)
    for turn in range(n):
        for other in range(n):
            expected = band[turn, turn - other - 1] if 0 < turn - other <= width else torch.zeros(2)
            assert torch.equal(matrix[:, turn, other], expected)


def test_steps_add_up_all_ways_of_following_links():
    matrix = torch.tensor([[[0.0, 0, 0], [0.5, 0, 0], [0.25, 0.5, 0]]])
    # From turn 2 to turn 0: straight 0.25, and by way of turn 1 0.5 · 0.5.
    assert sum_powers(matrix)[0].tolist() == [[1, 0, 0], [0.5, 1, 0], [0.5, 0.5, 1]]


@pytest.mark.parametrize(("n", "width"), SIZES)
def test_band_gives_what_the_matrix_gives(n: int, width: int):
    matrix, columns = banded(n, width)
    band, values = Band(columns, n), np.random.default_rng(2).normal(size=(n, 3)).astype(np.float32)
    every = np.linalg.inv(np.eye(n) - matrix.astype(float)) if n else np.zeros((0, 0))
    assert band.follow(values) == pytest.approx(every.T @ values, abs=1e-5)
    assert band.gather(values) == pytest.approx(every @ values, abs=1e-5)
    assert band.step(values) == pytest.approx(matrix @ values, abs=1e-6)
    for found in (band.follow(values), band.gather(values), band.step(values)):
        assert found.dtype == np.float32
        assert found.shape == (n, 3)


@given(n=st.integers(0, 12), more=st.integers(0, 12), width=st.integers(1, 9), seed=st.integers(0, 99))
def test_band_of_the_first_turns_ignores_the_links_of_later_ones(n: int, more: int, width: int, seed: int):
    _, columns = banded(n + more, width, seed=seed)
    part = np.where(np.arange(n)[:, None] + np.arange(width + 1) < n, columns[:n], 0)
    values = np.linspace(-1, 1, 2 * n, dtype=np.float32).reshape(n, 2)
    for ask in ("follow", "gather", "step"):
        found = getattr(Band(columns, n), ask)(values)
        assert found == pytest.approx(getattr(Band(part, n), ask)(values), abs=1e-6)


def test_what_links_reach_is_never_more_than_there_was():
    # Rows sum to at most 1: what arrives at turns that begin something new is what was sent.
    matrix, columns = banded(50, 4)
    start = np.zeros((50, 1), dtype=np.float32)
    start[-1] = 1
    reach = Band(columns, 50).follow(start)[:, 0]
    assert (reach >= 0).all()
    assert float(((1 - matrix.sum(axis=1)) * reach).sum()) == pytest.approx(1, abs=1e-5)
