"""An evaluation as tables for people: Markdown for documents, rich for a terminal.

Set names, tags and policy names come from files, so they are shown as plain text in both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from rich import box
from rich.table import Table
from rich.text import Text

from convgate.core.text import pluralize, printable
from convgate.evaluation.comparison import compare_all
from convgate.evaluation.curves import ThresholdCurve
from convgate.evaluation.metrics import (
    ANSWER_METRICS,
    BUDGET_METRICS,
    LABELS,
    RANKING_METRICS,
    SELECTION_METRICS,
)
from convgate.evaluation.results import Evaluation, SetResult, Summary
from convgate.versions.card import Metric
from convgate.versions.markdown import UNDEFINED, escape_markdown, format_difference, format_metric

SURE = "\\*"  # Markdown takes a bare star for emphasis
KEPT_LEGEND = (
    "P, R, F1 of what is kept, over all turns of all cases; empty: cases with nothing relevant where nothing "
    "is kept; tokens: kept, of the full history. Ranges are 95% intervals over conversations."
)
LEGEND = (
    "all sent: cases in which all needed turns are kept; missed: share of the needed turns that are not. "
    "@15% …: all sent when a budget of that share of the history's tokens is filled with whole turns; area: "
    "its mean over budgets from 0 to 50%. "
    "MAP and R@k (recall among the k highest scores) over cases where something is relevant; "
    f"{KEPT_LEGEND}"
)

_ANSWERS, _TURNS = (*ANSWER_METRICS, *BUDGET_METRICS), (*RANKING_METRICS, *SELECTION_METRICS)


@dataclass(frozen=True)
class _Grid:
    """One table before it is drawn: policies down, metrics across."""

    title: str
    note: str
    rows: Mapping[str, Summary]  # by policy
    names: Sequence[str]  # of the metrics
    signed: bool = False  # differences rather than values

    @property
    def metrics(self) -> list[str]:
        """The metrics that at least one row has a value for."""
        return [name for name in self.names if any(row[name].value is not None for row in self.rows.values())]


def markdown(evaluation: Evaluation, *, by_tag: bool = False, against: str | None = None) -> str:
    """Return every set as a Markdown table, with intervals.

    by_tag: a table for each tag, too. against: a policy; adds tables of the others' paired differences.
    Raises EvaluationError when `against` was not evaluated.
    """
    blocks = [
        block for grid in _grids(evaluation, by_tag=by_tag, against=against) for block in _markdown(grid)
    ]
    return "\n\n".join([*blocks, LEGEND]) + "\n"


def rich_tables(
    evaluation: Evaluation, *, by_tag: bool = False, against: str | None = None, intervals: bool = True
) -> Iterator[Table]:
    """Return every set as a table for a terminal; at most 115 columns wide with intervals, 80 without.

    Options and errors as in `markdown`.
    """
    for grid in _grids(evaluation, by_tag=by_tag, against=against):
        title = Text.assemble((printable(grid.title), "bold"), f"  {grid.note}")
        table = Table(title=title, title_justify="left", box=box.SIMPLE, padding=0)
        table.add_column("policy", overflow="fold")
        for metric in grid.metrics:
            table.add_column(LABELS[metric], justify="right", no_wrap=True)
        for policy, row in grid.rows.items():
            cells = [
                _terminal_cell(row[metric], signed=grid.signed, intervals=intervals)
                for metric in grid.metrics
            ]
            table.add_row(Text(printable(policy)), *cells)
        yield table


def curve_table(curve: ThresholdCurve, *, found: int) -> Table:
    """Return a short curve: the highest threshold for each tenth of recall, and the row `found`, bold."""
    wanted = (np.flatnonzero(curve.recall >= tenths / 10) for tenths in range(1, 11))
    rows = sorted({found, *(int(reached[-1]) for reached in wanted if len(reached))})
    table = Table(title=Text("By threshold", "bold"), title_justify="left", box=box.SIMPLE, padding=0)
    for name in ("threshold", "P", "R", "F1", "turns", "tokens"):
        table.add_column(name, justify="right", no_wrap=True)
    columns = (curve.precision, curve.recall, curve.f1, curve.kept_share, curve.kept_token_share)
    for row in rows:
        cells = (UNDEFINED if np.isnan(column[row]) else _short(column[row], 3) for column in columns)
        mark, style = ("found ", "bold") if row == found else ("", "")
        table.add_row(f"{mark}{curve.thresholds[row]:.3f}", *cells, style=style)
    return table


def _grids(evaluation: Evaluation, *, by_tag: bool, against: str | None) -> Iterator[_Grid]:
    for result in evaluation.sets.values():
        tags = [None, *(result.tags if by_tag else ())]
        for tag in tags:
            yield from _values(result, tag)
            if against is not None:
                yield from _differences(result, tag, against, evaluation.seed)


def _values(result: SetResult, tag: str | None) -> Iterator[_Grid]:
    rows = {name: policy.by_tag[tag] if tag else policy.overall for name, policy in result.policies.items()}
    yield _Grid(_title(result, tag), "; ".join(_extent(result, tag, rows)), rows, _ANSWERS)
    yield _Grid(_title(result, tag, "ranking and decisions"), "", rows, _TURNS)


def _extent(result: SetResult, tag: str | None, rows: Mapping[str, Summary]) -> Iterator[str]:
    """Return what was measured on, and why a figure may be missing."""
    cases = len(result.case_ids) if tag is None else int(result.tags[tag].sum())
    conversations = result.conversations_with(tag)
    yield f"{pluralize(cases, 'case')}, {pluralize(conversations, 'conversation')}"
    if all(row["recall"].value is None for row in rows.values()):
        yield "nothing is relevant, so ranking and recall are undefined"
    if conversations == 1:
        yield "one conversation gives no intervals"
    if tag is None and result.attainable and None not in result.attainable.values():
        shares = ", ".join(f"{budget} {share:.2f}" for budget, share in result.attainable.items())
        yield f"attainable with whole turns: {shares}"


def _differences(result: SetResult, tag: str | None, against: str, seed: int) -> Iterator[_Grid]:
    rows = compare_all(result, baseline=against, tag=tag, seed=seed)
    title = _title(result, tag, f"against {against}")
    for names in (_ANSWERS, _TURNS):
        yield _Grid(title, "differences; * where the interval leaves out 0", rows, names, signed=True)


def _title(result: SetResult, tag: str | None, more: str = "") -> str:
    return ", ".join(part for part in (result.name, tag, more) if part)


def _markdown(grid: _Grid) -> Iterator[str]:
    yield f"### {escape_markdown(grid.title)}"
    if grid.note:
        yield f"{grid.note[:1].upper()}{grid.note[1:]}.".replace("*", SURE)
    lines = [["policy", *(LABELS[metric] for metric in grid.metrics)]]
    lines.append(["---", *("---:" for _ in grid.metrics)])
    for policy, row in grid.rows.items():
        cells = (_markdown_cell(row[metric], signed=grid.signed) for metric in grid.metrics)
        lines.append([escape_markdown(policy), *cells])
    yield "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _markdown_cell(metric: Metric, *, signed: bool) -> str:
    return format_difference(metric) + SURE * metric.excludes_0 if signed else format_metric(metric)


def _terminal_cell(measure: Metric, *, signed: bool, intervals: bool) -> Text:
    """Return the value, and under it the interval, both as short as they can be."""
    if measure.value is None:
        return Text(UNDEFINED)
    sure = signed and measure.excludes_0
    digits = 3 if intervals or not signed else 2
    cell = Text(_short(measure.value, digits, signed=signed) + ("*" if sure else ""), "bold" if sure else "")
    if intervals and measure.interval:
        bounds = [_short(bound, 2, signed=signed) for bound in measure.interval]
        cell.append("\n" + "–".join(bounds), style="dim not bold")
    return cell


def _short(number: float, digits: int, *, signed: bool = False) -> str:
    """Return a share without the zero in front of its point."""
    return f"{number:{'+' if signed else ''}.{digits}f}".replace("0.", ".", 1)
