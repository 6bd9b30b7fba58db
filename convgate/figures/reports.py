"""Figures as one HTML file that opens anywhere, without a network: plotly's code is in it, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import plotly.graph_objects as go
from plotly.offline import get_plotlyjs

from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.fitting import FOUND, NOW, FittedThreshold
from convgate.evaluation.results import Evaluation, SetResult, Summary
from convgate.figures.curves import (
    CurveMarks,
    describe_curve,
    describe_reliability,
    precision_over_recall_figure,
    recall_over_tokens_figure,
    reliability_figure,
    threshold_curve_figure,
)
from convgate.figures.layout import CONFIG, FONT
from convgate.figures.palette import LIGHT, Palette
from convgate.transcripts.characters import printable

_LEGEND = "Lines: any one threshold for all cases. Marks: what the policies' own rules keep."


@dataclass(frozen=True, eq=False)
class Shown:
    """A figure with its heading and description; both are shown as plain text."""

    heading: str
    words: str
    figure: go.Figure


@dataclass(frozen=True, eq=False)
class Section:
    """Figures that belong together."""

    heading: str
    words: str
    figures: Sequence[Shown]


def evaluation_page(evaluation: Evaluation, *, palette: Palette = LIGHT) -> str:
    """Return each set's policies against each other, and each one's metrics by threshold, as an HTML file."""
    sections = [_evaluation_section(result, palette) for result in evaluation.sets.values()]
    return html_page("Evaluation", sections, palette=palette)


def calibration_page(fitted: FittedThreshold, *, palette: Palette = LIGHT) -> str:
    """Return the found threshold on its curve, and the found rule next to the one in use, as an HTML file."""
    rule, policies = fitted.rule, fitted.result.policies
    choices = {
        f"{FOUND}: {rule.name}": policies[FOUND].overall,
        f"{NOW}: {fitted.rule_now}": policies[NOW].overall,
    }
    marks = CurveMarks(current=rule.threshold, current_name=FOUND)
    curve = threshold_curve_figure(fitted.curve, marks, palette=palette)
    figures = [
        Shown("Metrics by threshold", describe_curve(fitted.curve), curve),
        *_tradeoffs({"one threshold": fitted.curve}, choices, palette),
    ]
    summary = f"Threshold {rule.threshold:.3f} for {rule.goal}, on {rule.fitted_on}."
    section = Section(fitted.result.name, " ".join([summary, *fitted.notes]), figures)
    return html_page("Calibration", [section], palette=palette)


def html_page(title: str, sections: Sequence[Section], *, palette: Palette) -> str:
    """Return the whole file. Its policy for content lets a browser load nothing from elsewhere."""
    parts = []
    for number, section in enumerate(sections):
        parts.append(f"<section>\n<h2>{_text(section.heading)}</h2>\n<p>{_text(section.words)}</p>\n")
        for place, shown in enumerate(section.figures):
            drawn = shown.figure.to_html(
                full_html=False, include_plotlyjs=False, config=CONFIG, div_id=f"figure-{number}-{place}",
                default_height=f"{shown.figure.layout.height}px",
            )  # fmt: skip
            parts.append(f"<h3>{_text(shown.heading)}</h3>\n<p>{_text(shown.words)}</p>\n{drawn}\n")
        parts.append("</section>\n")
    style = (
        f"body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 {FONT};"
        f" color: {palette.ink}; background: {palette.background}; }}"
        f" p {{ color: {palette.muted}; }}"
        f" section {{ border-top: 1px solid {palette.grid}; margin-top: 2rem; }}"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline'; \
style-src 'unsafe-inline'; img-src data: blob:">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{_text(title)}</title>
<style>{style}</style>
<script>{get_plotlyjs()}</script>
</head>
<body>
<h1>{_text(title)}</h1>
{"".join(parts)}</body>
</html>
"""


def _evaluation_section(result: SetResult, palette: Palette) -> Section:
    policies = result.policies.items()
    curves = {name: policy.curve for name, policy in policies if policy.curve is not None}
    figures = _tradeoffs(curves, {name: policy.overall for name, policy in policies}, palette)
    for name, curve in curves.items():
        figure = threshold_curve_figure(curve, palette=palette)
        figures.append(Shown(f"{name}: metrics by threshold", describe_curve(curve), figure))
    for name, policy in policies:
        if bins := policy.reliability:
            heading = f"{name}: share of relevant turns by score"
            figures.append(
                Shown(heading, describe_reliability(bins), reliability_figure(bins, palette=palette))
            )
    counts = f"Cases: {len(result.case_ids):,}, conversations: {result.conversations:,}."
    return Section(result.name, counts, figures)


def _tradeoffs(
    curves: Mapping[str, ThresholdCurve], choices: Mapping[str, Summary], palette: Palette
) -> list[Shown]:
    return [
        Shown(
            "Precision over recall", _LEGEND, precision_over_recall_figure(curves, choices, palette=palette)
        ),
        Shown(
            "Recall over tokens kept",
            f"{_LEGEND} Grey: turns drawn at random.",
            recall_over_tokens_figure(curves, choices, palette=palette),
        ),
    ]


def _text(text: str) -> str:
    return escape(printable(text))
