"""Links between turns: shares, and following them by matrices and by bands."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from convgate.gate.arrays import Floats
from convgate.gate.links import Links, LinkWindow
from convgate.training.full_tiers import band_to_dense, log_shares, sum_powers

SIZES = [(0, 3), (1, 3), (2, 1), (3, 3), (5, 8), (40, 4), (200, 64), (150, 100)]  # turns, band
DECAY = np.array([0.9, 0.3], dtype=np.float32)


def linked(n: int, band: int, *, seed: int = 0) -> tuple[Floats, Links]:
    """Random links of two heads: A as (2, n, n), and as they grow turn by turn."""
    rng = np.random.default_rng(seed)
    matrix, links = np.zeros((2, n, n), dtype=np.float32), Links(DECAY, band)
    for turn in range(n):
        shares = rng.random((2, band), dtype=np.float32) / band
        shares[:, : max(0, band - turn)] = 0
        width = min(turn, band)
        matrix[:, turn, turn - width : turn] = shares[:, band - width :]
        links.append(shares)
    return matrix, links


def follow(window: LinkWindow, values: Floats) -> dict[str, Floats]:
    """What a window gives of (2, w) values by each of its functions."""
    gathered, followed = window.contexts_of(values[None])
    return {
        "reach": window.reach(values[:, None])[:, 0],
        "gathered": gathered,
        "followed": followed,
        "step": window.step(values),
    }


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


@pytest.mark.parametrize(("n", "band"), [size for size in SIZES if size[0]])
@pytest.mark.parametrize("start", [0, 1, 70])
def test_blocks_give_what_the_matrix_gives(n: int, band: int, start: int):
    matrix, links = linked(n, band)
    start = min(start, n - 1)
    matrix = matrix[:, start:, start:].astype(float)
    identity, values = np.eye(n - start), np.random.default_rng(2).normal(size=(2, n - start))
    contexts = np.linalg.inv(identity - DECAY[:, None, None] * matrix)
    expected = {
        "reach": np.einsum("hji,hj->hi", np.linalg.inv(identity - matrix), values),
        "gathered": np.einsum("hij,kj->hki", contexts, values),
        "followed": np.einsum("hji,kj->hki", contexts, values),
        "step": np.einsum("hij,hj->hi", matrix, values),
    }
    for name, result in follow(links.window(start, n), values.astype(np.float32)).items():
        assert result.dtype == np.float32
        assert result == pytest.approx(expected[name], abs=1e-5), name


@given(n=st.integers(1, 80), more=st.integers(0, 80), band=st.integers(1, 70), seed=st.integers(0, 99))
def test_window_of_the_first_turns_ignores_the_links_of_later_ones(n: int, more: int, band: int, seed: int):
    values = np.linspace(-1, 1, 2 * n, dtype=np.float32).reshape(2, n)
    window, alone = (linked(length, band, seed=seed)[1].window(0, n) for length in (n + more, n))
    for one, other in zip(follow(window, values).values(), follow(alone, values).values(), strict=True):
        assert one == pytest.approx(other, abs=1e-6)


def test_what_links_reach_is_never_more_than_there_was():
    # Rows sum to at most 1: what arrives at turns that begin something new is what was sent.
    matrix, links = linked(150, 4)
    start = np.zeros((2, 1, 150), dtype=np.float32)
    start[..., -1] = 1
    reach = links.window(0, 150).reach(start)[:, 0]
    assert (reach >= 0).all()
    assert ((1 - matrix.sum(axis=2)) * reach).sum(axis=1) == pytest.approx([1, 1], abs=1e-5)
