"""An evaluation, and a fitted threshold, as a page of figures."""

from __future__ import annotations

from convgate.evaluation.fitting import FOUND, NOW, FittedThreshold
from convgate.evaluation.results import Evaluation, SetResult
from convgate.figures.curves import describe_curve, threshold_curve_figure
from convgate.figures.page import Section, Shown, html_page
from convgate.figures.palette import LIGHT, Palette
from convgate.figures.reliability import describe_reliability, reliability_figure
from convgate.figures.tradeoffs import precision_over_recall_figure, recall_over_tokens_figure

_LINES = "Lines: one threshold for all cases, at every place that it could have."
_MARKS = "Marks: what is kept by the policies' own rules."
_LOT = "Grey: what turns drawn by lot would reach."


def evaluation_page(evaluation: Evaluation, *, palette: Palette = LIGHT) -> str:
    """Each set's policies against each other, and each one's metrics by threshold, as an HTML file."""
    sections = [_section(result, palette) for result in evaluation.sets.values()]
    return html_page("Evaluation", sections, palette=palette)


def calibration_page(fitted: FittedThreshold, *, palette: Palette = LIGHT) -> str:
    """The found threshold on its curve, and the found rule beside the one in use, as an HTML file."""
    rule, curves = fitted.rule, {"one threshold": fitted.curve}
    choices = {
        f"{FOUND}: {rule.name}": fitted.result.policies[FOUND].overall,
        f"{NOW}: {fitted.rule_now}": fitted.result.policies[NOW].overall,
    }
    told = f"Threshold {rule.threshold:.3f} for {rule.goal}, on {rule.fitted_on}."
    figures = [
        Shown(
            "Metrics by threshold",
            describe_curve(fitted.curve),
            threshold_curve_figure(fitted.curve, palette=palette, current=rule.threshold, current_name=FOUND),
        ),
        Shown(
            "Precision over recall",
            f"{_LINES} {_MARKS}",
            precision_over_recall_figure(curves, choices, palette=palette),
        ),
        Shown(
            "Recall over tokens kept",
            f"{_LINES} {_MARKS} {_LOT}",
            recall_over_tokens_figure(curves, choices, palette=palette),
        ),
    ]
    section = Section(fitted.result.name, " ".join([told, *fitted.notes]), figures)
    return html_page("Calibration", [section], palette=palette)


def _section(result: SetResult, palette: Palette) -> Section:
    curves = {name: policy.curve for name, policy in result.policies.items() if policy.curve is not None}
    choices = {name: policy.overall for name, policy in result.policies.items()}
    figures = [
        Shown(
            "Precision over recall",
            f"{_LINES} {_MARKS}",
            precision_over_recall_figure(curves, choices, palette=palette),
        ),
        Shown(
            "Recall over tokens kept",
            f"{_LINES} {_MARKS} {_LOT}",
            recall_over_tokens_figure(curves, choices, palette=palette),
        ),
    ]
    figures += [
        Shown(
            f"{name}: metrics by threshold",
            describe_curve(curve),
            threshold_curve_figure(curve, palette=palette),
        )
        for name, curve in curves.items()
    ]
    figures += [
        Shown(
            f"{name}: share of relevant turns by score",
            describe_reliability(policy.reliability),
            reliability_figure(policy.reliability, palette=palette),
        )
        for name, policy in result.policies.items()
        if policy.reliability
    ]
    told = f"Cases: {len(result.case_ids):,}, conversations: {result.conversations:,}."
    return Section(result.name, told, figures)
