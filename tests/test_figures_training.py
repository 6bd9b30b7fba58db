"""The curves of a training, live and over the number of labels."""

from __future__ import annotations

import numpy as np
import pytest

from convgate.figures.palette import DARK, LIGHT, Palette
from convgate.figures.training import (
    describe_epochs,
    learning_curve_figure,
    losses_figure,
    quality_figure,
)
from convgate.training.epochs import Epoch
from convgate.training.learning_curve import CurvePoint, LearningCurve

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


def test_the_axis_stays_while_epochs_come() -> None:
    ranges = {losses_figure(EPOCHS[:count], 8, palette=LIGHT).layout.xaxis.range for count in range(4)}
    assert ranges == {(0.5, 8.5)}


def test_precision_recall_and_the_gate_share_a_scale_of_percent() -> None:
    fig = quality_figure(EPOCHS, 8, palette=LIGHT)
    assert [trace.name for trace in fig.data] == ["precision", "recall", "gate open"]
    assert [list(trace.y)[-1] for trace in fig.data] == [0.6, 0.7, 0.32]
    assert len({trace.line.dash for trace in fig.data}) == 3
    assert fig.layout.yaxis.tickformat == ".0%"


def test_the_learning_curve_has_a_point_a_share_and_the_parents_level() -> None:
    points = tuple(
        CurvePoint(share, int(20 * share), share / 2, share / 2 - 0.1, share / 2 + 0.2, ())
        for share in (0.25, 0.5, 0.75, 1)
    )
    child, parent = learning_curve_figure(LearningCurve(0.4, 5, points), palette=LIGHT).data
    assert (list(child.x), list(child.y)) == ([5, 10, 15, 20], [0.125, 0.25, 0.375, 0.5])
    assert set(parent.y) == {0.4}
    assert child.customdata[0][0] == "25%"
    assert np.allclose(child.error_y.array, 0.2)
    assert np.allclose(child.error_y.arrayminus, 0.1)


def test_words_say_what_the_figures_show() -> None:
    assert describe_epochs(()) == "No epoch is over yet."
    told = describe_epochs(EPOCHS)
    assert "After 3 epochs the training loss is 0.600, the validation loss 0.650" in told
    assert "epoch 2 was the best" in told
