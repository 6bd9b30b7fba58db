"""A comparison as files: CSV for spreadsheets, Markdown for documents."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

from convgate.evaluation.report import markdown
from convgate.evaluation.results import Evaluation, SetResult
from convgate.transcripts.characters import writable
from convgate.ui.spreadsheet import plain_cell


def results_csv(results: Mapping[str, SetResult]) -> str:
    """One row a set, tag, policy and metric, in that order; all metrics, with their 95% intervals.

    An empty tag is all cases. What a spreadsheet would take for a formula gets an apostrophe.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(["set", "tag", "policy", "messages", "metric", "value", "low", "high"])
    for set_name, result in results.items():
        for tag in ("", *result.tags):
            for name, policy in result.policies.items():
                summary = policy.by_tag[tag] if tag else policy.overall
                for metric, measure in summary.measures.items():
                    numbers = (_number(value) for value in (measure.value, measure.low, measure.high))
                    names = map(plain_cell, (set_name, tag, name))
                    writer.writerow([*names, summary.cases, metric, *numbers])
    return out.getvalue()


def results_markdown(results: Mapping[str, SetResult], *, by_tag: bool, against: str) -> str:
    """A table for each set, and for each tag when asked for; with differences to `against` if it is there."""
    there = all(against in result.policies for result in results.values())
    evaluation = Evaluation(dict(results), seed=0)
    return writable(markdown(evaluation, by_tag=by_tag, against=against if there else None))


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"
