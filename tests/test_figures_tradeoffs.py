"""What policies reach and what it takes, and the pages that show it without a network."""

from __future__ import annotations

import re

import numpy as np
import pytest
from plotly.offline import get_plotlyjs

from convgate.evaluation.calibration import WantedPrecision
from convgate.evaluation.curves import threshold_curve
from convgate.evaluation.evaluate import evaluate
from convgate.evaluation.fitting import fit_threshold
from convgate.evaluation.metrics import METRICS
from convgate.evaluation.results import Measure, Summary
from convgate.figures.curves import precision_over_recall_figure, recall_over_tokens_figure
from convgate.figures.palette import DARK
from convgate.figures.reports import calibration_page, evaluation_page
from convgate.policies.window import Everything
from tests.test_evaluation_fitting import Told, noisy

RELEVANT = np.array([True, False, True, False])
CURVE = threshold_curve(
    RELEVANT,
    np.array([0.9, 0.8, 0.7, 0.2]),
    tokens=np.array([10, 20, 30, 40]),
    thresholds=np.array([0.2, 0.7, 0.8, 0.9, 1.0]),
)
PLOTLY = get_plotlyjs()


def choice(**values: float | None) -> Summary:
    return Summary(4, {name: Measure(values.get(name)) for name in METRICS})


def drawn(fig, name):
    return [trace for trace in fig.data if trace.name == name]


def test_what_a_policy_keeps_by_its_own_rule_is_a_mark_in_the_colour_of_its_line() -> None:
    choices = {
        "gate": choice(precision=0.7, recall=0.4, kept_token_share=0.2),
        "everything": choice(precision=0.5, recall=1.0, kept_token_share=1.0),
    }
    for figure, places in (
        (recall_over_tokens_figure, {"gate": (0.2, 0.4), "everything": (1.0, 1.0)}),
        (precision_over_recall_figure, {"gate": (0.4, 0.7), "everything": (1.0, 0.5)}),
    ):
        fig = figure({"gate": CURVE}, choices, palette=DARK)
        line, mark = drawn(fig, "gate")
        (alone,) = drawn(fig, "everything")
        assert line.line.color == mark.marker.color != alone.marker.color
        assert (mark.x[0], mark.y[0]) == places["gate"]
        assert (alone.x[0], alone.y[0]) == places["everything"]
        assert (mark.showlegend, alone.showlegend) == (False, True), "one entry for each policy"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    given = noisy(12, name="a<script>b")
    return {
        "evaluation": evaluation_page(evaluate([given], [Told(), Everything()])),
        "calibration": calibration_page(fit_threshold([given], Told(), WantedPrecision(0.6))),
    }


def without_plotly(page: str) -> str:
    assert page.count(PLOTLY) == 1, "its code is in the file, once"
    return page.replace(PLOTLY, "")


@pytest.mark.parametrize("name", ["evaluation", "calibration"])
def test_a_page_loads_nothing_from_elsewhere(pages, name: str) -> None:
    page = without_plotly(pages[name])
    assert not re.search(r"(src|href)\s*=|https?:|@import|url\(", page)
    assert "default-src 'none'" in page


@pytest.mark.parametrize("name", ["evaluation", "calibration"])
def test_names_from_files_are_text_on_a_page(pages, name: str) -> None:
    page = without_plotly(pages[name])
    assert "a&lt;script&gt;b" in page
    assert "a<script>b" not in page
