"""The curves of a training over its epochs."""

from __future__ import annotations

from convgate.figures.palette import LIGHT
from convgate.figures.training import epoch_curves, epochs_figure, losses_and_shares
from convgate.training.epochs import Epoch

EPOCHS = (
    Epoch(1, 0.9, 0.8, 0.5, 0.4, 0.30, best=True),
    Epoch(2, 0.7, 0.6, 0.7, 0.6, 0.31, best=True),
    Epoch(3, 0.6, 0.65, 0.6, 0.7, 0.32, best=False),
)


def test_losses_are_lines_over_epochs_with_the_best_marked() -> None:
    losses, _ = losses_and_shares(epoch_curves(EPOCHS))
    fig = epochs_figure(losses, LIGHT, shares=False, best=2, max_epochs=8)
    training, validation = fig.data
    assert (list(training.x), list(training.y)) == ([1, 2, 3], [0.9, 0.7, 0.6])
    assert list(validation.y) == [0.8, 0.6, 0.65]
    assert [shape.x0 for shape in fig.layout.shapes] == [2]
    assert fig.layout.xaxis.range[1] == 8.5
    assert training.line.dash != validation.line.dash, "never by colour alone"
