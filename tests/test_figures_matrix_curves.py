"""The relevance matrix, and metrics by threshold."""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray

from convgate.evaluation.curves import CurveSums
from convgate.figures.curves import threshold_curve_figure
from convgate.figures.matrix import matrix_figure
from convgate.figures.palette import LIGHT


def lower(n: int, seed: int = 0) -> NDArray[np.float32]:
    matrix = np.random.default_rng(seed).random((n, n)).astype(np.float32)
    matrix[np.triu_indices(n)] = np.nan
    return matrix


def test_unseen_marks_above_the_cells_take_the_clicks() -> None:
    matrix = lower(4)
    fig = matrix_figure(matrix, start=10, palette=LIGHT)
    marks = fig.data[1]
    assert [list(cell) for cell in marks.customdata] == [
        [11, 10],
        [12, 10],
        [12, 11],
        [13, 10],
        [13, 11],
        [13, 12],
    ]
    assert list(marks.y) == [12, 13, 13, 14, 14, 14]
    assert list(marks.x) == [11, 11, 12, 11, 12, 13]
    np.testing.assert_array_equal(marks.marker.color, matrix[np.tril_indices(4, -1)])
    assert marks.marker.opacity == marks.unselected.marker.opacity == 0
    sent = json.loads(fig.to_json())["data"][1]["customdata"]
    assert sent[0] == [11, 10], "typed arrays would come back from a click as objects"


RELEVANT = np.array([True, False, True, False, True])
SCORES = np.array([0.9, 0.8, 0.7, 0.3, 0.2])
CURVE = CurveSums.of(RELEVANT, SCORES).curve()


def test_metrics_by_threshold_are_those_of_the_curve() -> None:
    fig = threshold_curve_figure(CURVE, current=0.5, best=0, parameter="threshold", palette=LIGHT)
    lines = {item.name: item for item in fig.data if item.mode != "markers"}
    assert list(lines) == ["precision", "recall", "F1", "tokens kept"]
    np.testing.assert_array_equal(lines["precision"].y, CURVE.precision)
    np.testing.assert_array_equal(lines["recall"].y, CURVE.recall)
    np.testing.assert_array_equal(lines["tokens kept"].y, CURVE.kept_token_share)
    np.testing.assert_array_equal(lines["recall"].x, CURVE.thresholds)
    assert len({line.line.dash for line in lines.values()}) > 2
