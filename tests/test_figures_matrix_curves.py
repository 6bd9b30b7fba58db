"""The relevance matrix, and answers over tokens by threshold."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from convgate.evaluation.answer_curve import AnswerCurve
from convgate.figures.curves import AnswerMark, answer_curve_figure
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


CURVE = AnswerCurve(
    values=np.array([0.0, 0.4, 1.0]),
    answerable=np.array([1.0, 0.8, 0.2]),
    missed=np.array([0.0, 0.1, 0.7]),
    kept_token_share=np.array([1.0, 0.5, 0.1]),
)


def test_who_gets_all_they_need_is_drawn_in_steps_with_labels_in_place_of_a_legend() -> None:
    today, new = AnswerMark("today", 1.0, 1.0), AnswerMark("new", 0.5, 0.8)
    promise = AnswerMark("promise", 0.5, 0.8)
    fig = answer_curve_figure(CURVE, today=today, new=new, promise=promise, palette=LIGHT)
    line = fig.data[0]
    assert line.line.shape == "hv", "a rule decides, so nothing lies in between"
    assert list(line.x) == [0.1, 0.5, 1.0]
    assert list(line.y) == [0.2, 0.8, 1.0]
    assert list(line.customdata) == [2, 1, 0], "rows of the curve"
    assert not any(trace.showlegend for trace in fig.data), "a legend would collide with labels on a phone"
    marks = {trace.name: trace for trace in fig.data[1:]}
    assert all(marks[name].cliponaxis is False for name in ("today", "new")), "not cut at the end of an axis"
    assert {note.text for note in fig.layout.annotations} == {"promise", "<b>today</b>", "<b>new</b>"}
    same = answer_curve_figure(None, today=today, new=today, promise=None, palette=LIGHT)
    assert [note.text for note in same.layout.annotations] == ["<b>today</b>"]


@pytest.mark.parametrize(("today", "new", "side"), [(1.0, 0.97, "right"), (0.1, 0.13, "left")])
def test_the_labels_of_marks_that_are_close_are_above_and_below_and_inside_the_chart(
    today: float, new: float, side: str
) -> None:
    marks = {"today": AnswerMark("today", today, 0.9), "new": AnswerMark("new", new, 0.9)}
    above, below = answer_curve_figure(CURVE, **marks, promise=None, palette=LIGHT).layout.annotations
    assert above.yshift > 0 > below.yshift
    assert {above.xanchor, below.xanchor} == {side}
