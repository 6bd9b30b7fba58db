"""A page with the charts of ablations, which the command writes."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from convgate.experiments.ablations import ABLATIONS, AblationResult
from convgate.figures.experiments import OutcomePoint, outcome_over_tokens_figure
from convgate.figures.palette import LIGHT

_TITLES = {"turns": "Number of turns", "mode": "Filter by mode", "length": "Length of the conversation"}


def ablations_page(results: Sequence[AblationResult]) -> str:
    """Return an HTML page with a chart for each ablation of each set; it needs no network."""
    blocks: list[str] = []
    for result in results:
        for ablation in ABLATIONS:
            points = [
                OutcomePoint(point.arm, point.tokens.value or 0.0, point.outcome, point.group)
                for point in result.points
                if point.ablation == ablation
            ]
            if points:
                title = result.outcome.replace("_", " ")
                figure = outcome_over_tokens_figure(points, LIGHT, title=title, height=360)
                is_first = not blocks
                blocks.append(
                    f"<h2>{escape(result.name)}: {_TITLES[ablation]}</h2>"
                    + figure.to_html({"displayModeBar": False}, full_html=False, include_plotlyjs=is_first)
                )
    head = '<!doctype html><html lang="en"><meta charset="utf-8"><title>Ablations</title>'
    return f'{head}<body style="font-family: sans-serif">{"".join(blocks)}</body></html>\n'
