"""The curves of a training, live and over the number of labels."""

from __future__ import annotations

import pytest

from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.figures.training import losses_figure
from convgate.training.epochs import Epoch

EPOCHS = (
    Epoch(1, 0.9, 0.8, 0.5, 0.4, 0.30, best=True),
    Epoch(2, 0.7, 0.6, 0.7, 0.6, 0.31, best=True),
    Epoch(3, 0.6, 0.65, 0.6, 0.7, 0.32, best=False),
)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
def test_losses_are_lines_over_epochs_with_the_best_marked(palette: Palette) -> None:
    fig = losses_figure(EPOCHS, 8, palette=palette)
    training, validation, best = fig.data
    assert (list(training.x), list(training.y)) == ([1, 2, 3], [0.9, 0.7, 0.6])
    assert list(validation.y) == [0.8, 0.6, 0.65]
    assert (list(best.x), list(best.y)) == ([2], [0.6])
    assert validation.line.color == palette.kept
    assert training.line.dash != validation.line.dash, "never by colour alone"
