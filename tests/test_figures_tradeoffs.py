"""The trade-off chart of policies."""

from __future__ import annotations

import numpy as np

from convgate.evaluation.curves import threshold_curve
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.results import Summary
from convgate.figures.curves import recall_over_tokens_figure
from convgate.figures.palette import DARK
from convgate.versions.card import Metric

RELEVANT = np.array([True, False, True, False])
CURVE = threshold_curve(
    RELEVANT,
    np.array([0.9, 0.8, 0.7, 0.2]),
    tokens=np.array([10, 20, 30, 40]),
    thresholds=np.array([0.2, 0.7, 0.8, 0.9, 1.0]),
)


def choice(**values: float | None) -> Summary:
    return Summary(4, {name: Metric(values.get(name)) for name in METRICS})


def drawn(fig, name):
    return [trace for trace in fig.data if trace.name == name]


def test_what_a_policy_keeps_by_its_own_rule_is_a_mark_in_the_colour_of_its_line() -> None:
    choices = {
        "gate": choice(precision=0.7, recall=0.4, kept_token_share=0.2),
        "everything": choice(precision=0.5, recall=1.0, kept_token_share=1.0),
    }
    fig = recall_over_tokens_figure({"gate": CURVE}, choices, palette=DARK)
    line, mark = drawn(fig, "gate")
    (alone,) = drawn(fig, "everything")
    assert line.line.color == mark.marker.color != alone.marker.color
    assert (mark.x[0], mark.y[0]) == (0.2, 0.4)
    assert (alone.x[0], alone.y[0]) == (1.0, 1.0)
    assert (mark.showlegend, alone.showlegend) == (False, True), "one entry for each policy"
