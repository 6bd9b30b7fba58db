"""Columns on labelled data: a table with intervals for each set, and what recall costs."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from convgate.core.errors import ConvgateError
from convgate.core.text import pluralize
from convgate.evaluation.comparison import compare, sure_best
from convgate.evaluation.evaluate import pool_results
from convgate.evaluation.judged_cases import JudgedSet
from convgate.evaluation.results import Measure, SetResult
from convgate.figures.curves import recall_over_tokens_figure
from convgate.figures.layout import CONFIG
from convgate.policies.base import Policy
from convgate.policies.spec import PolicySpec
from convgate.transcripts import RelevanceSet
from convgate.transcripts.characters import writable
from convgate.ui.compare import state
from convgate.ui.compare.choosing import draw_choosing, draw_too_few
from convgate.ui.compare.conversation import draw_failed
from convgate.ui.compare.decisions import policy_of_column
from convgate.ui.compare.state import View
from convgate.ui.frame import App
from convgate.ui.label_sources import Source, draw_sources, read_labelled, usable
from convgate.ui.measurement import digest, is_judged, judged
from convgate.ui.spreadsheet import plain_cell
from convgate.ui.tables import markdown_table, with_interval
from convgate.ui.text import literal
from convgate.ui.theme import current_palette


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


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.6g}"


@dataclass(frozen=True, eq=False)
class SetMeasurement:
    """What columns did on one set, by their labels."""

    result: SetResult
    key: tuple[object, ...]  # stands for all of it in caches


@dataclass(frozen=True, eq=False)
class _Job:
    """One column on one set."""

    name: str  # of the set
    label: str  # of the column
    told: str  # stands for the set's content
    relevance_set: RelevanceSet
    policy: Policy

    @property
    def is_done(self) -> bool:
        return is_judged(self.told, self.policy)


def measure(
    app: App, names: Sequence[str], columns: Sequence[PolicySpec], labels: Mapping[str, str], *, by_tag: bool
) -> tuple[dict[str, SetMeasurement], dict[str, ConvgateError]]:
    """What came of each set, and why some columns cannot be measured, by their labels.

    What was measured before is not measured again.

    Raises TranscriptError when a set is not there or cannot be read.
    """
    policies: dict[str, Policy] = {}
    failed: dict[str, ConvgateError] = {}
    for column in columns:
        label = labels[column.to_text()]
        try:
            policies[label] = policy_of_column(app, column)
        except ConvgateError as error:
            failed[label] = error
    sets = {name: read_labelled(app, name) for name in names}
    jobs = [
        _Job(name, label, told, relevance_set, policy)
        for name, (relevance_set, told) in sets.items()
        for label, policy in policies.items()
    ]
    _work(jobs, failed)
    results = {}
    for name, (relevance_set, told) in sets.items():
        here = [job for job in jobs if job.name == name and job.is_done and job.label not in failed]
        if here:
            found = {job.label: judged(relevance_set, told, job.policy, job.label) for job in here}
            digests = tuple((job.label, digest(job.policy)) for job in here)
            result = _laid(told, digests, by_tag, found)
            results[name] = SetMeasurement(result, (told, digests, by_tag))
    return results, failed


def _work(jobs: Sequence[_Job], failed: dict[str, ConvgateError]) -> None:
    """Measure what is missing; a click in the middle ends it, and what was measured by then is kept."""
    line = st.empty()  # always, or what follows would change its place on the page
    missing = [job for job in jobs if not job.is_done]
    for number, job in enumerate(missing, start=1):
        if job.label in failed:
            continue
        told = f"{number:,} of {len(missing):,}: {job.label} on {job.relevance_set.name}"
        line.caption(literal(told))
        try:
            judged(job.relevance_set, job.told, job.policy, job.label)
        except ConvgateError as error:
            failed[job.label] = error
    line.empty()


@st.cache_resource(max_entries=32, show_spinner="Drawing conversations again for the intervals …")
def _laid(
    told: str,
    digests: tuple[tuple[str, str], ...],
    by_tag: bool,  # noqa: FBT001  # part of the cache's key
    _judged: Mapping[str, JudgedSet],
) -> SetResult:
    return pool_results(_judged, by_tag=by_tag)


_METRICS = ("recall", "precision", "f1", "map", "kept_token_share")
_NAMES = {
    "recall": "Recall", "precision": "Precision", "f1": "F1", "map": "MAP", "kept_token_share": "Tokens kept",
}  # fmt: skip
_SURE = "★"
_LABEL_PAGE = "pages/2_Label.py"
_LABEL = 60  # characters of a column's name


def draw_sets(app: App, view: View, choosers: Mapping[str, str], known: Mapping[str, Source]) -> None:
    """The choice of data and columns, then how they did on each set."""
    names = _draw_data(view, known)
    view = replace(view, data=tuple(names))
    state.keep(view)  # what a link opens must not hang on what else there is by then
    labels = draw_choosing(app, view, choosers)
    if draw_too_few(view) or not names:
        return
    against = view.against
    assert against is not None
    results, failed = measure(app, names, view.policies, labels, by_tag=view.tags)
    for label, error in failed.items():
        draw_failed(label, error)
    if not results:
        return
    reference = labels[against.to_text()]
    for number, (name, result) in enumerate(results.items()):
        _draw_result(view, known[name], result, reference, number)
    _draw_downloads(view, {known[name].plain: one.result for name, one in results.items()}, reference)


def cell(measure: Measure, *, best: bool = False) -> str:
    """A metric with its interval, for a table; bold with a star when it is surely the best."""
    if measure.value is None:
        return "–"
    told = with_interval(measure.value, measure.low, measure.high)
    return f"**{told}** {_SURE}" if best else told


def difference_cell(measure: Measure) -> str:
    """A difference with its interval; bold when that leaves out 0."""
    if measure.value is None:
        return "–"
    told = with_interval(measure.value, measure.low, measure.high, difference=True)
    sure = measure.low is not None and measure.high is not None and (measure.low > 0 or measure.high < 0)
    return f"**{told}**" if sure else told


def _draw_data(view: View, known: Mapping[str, Source]) -> list[str]:
    """Which data, with counts; what to do when there is none."""
    there = usable(known)
    asked = there[:1] if view.data is None else [name for name in view.data if name in there]
    if not there:
        st.info("Nothing is labelled yet, so no policy can be measured.", icon=":material/label:")
        st.page_link(_LABEL_PAGE, label="Label some turns", icon=":material/label:")
        return []
    draw_sources(state.page, known, asked)
    if not asked:
        st.info("Choose labelled data to measure on.", icon=":material/label:")
        st.button(
            f"Use {known[there[0]].label}", key="compare.use_data", on_click=state.change,
            kwargs={"data": tuple(there[:1])},
        )  # fmt: skip
    return asked


def _draw_result(view: View, source: Source, measured: SetMeasurement, reference: str, number: int) -> None:
    result = measured.result
    st.subheader(source.label, anchor=False)
    st.caption(source.told)
    _draw_metrics(measured, None, reference, f"{number}")
    if result.conversations < 2:
        st.caption(":material/info: One conversation gives no intervals, so none can be called the best.")
    _draw_tradeoff(source, result)
    if view.tags:
        for place, (tag, has) in enumerate(result.tags.items()):
            st.markdown(f"**{literal(tag, limit=60)}** :small[{pluralize(int(has.sum()), 'message')}]")
            _draw_metrics(measured, tag, reference, f"{number}-{place}")
        if not result.tags:
            st.caption("No case of this set has a tag.")


def _draw_metrics(measured: SetMeasurement, tag: str | None, reference: str, number: str) -> None:
    """The table; `number` tells it from others on the page."""
    with st.container(key=f"compare-metrics-{number}"):
        st.markdown(_table(measured.key, tag, reference, measured.result))
    if tag is None:
        others = len(measured.result.policies) > 1
        told = f" {_SURE} better than every other, sure at 95%. A difference in bold leaves out 0."
        st.caption(
            "What each keeps by its own rule, before the list is made a valid one. Ranges are 95% intervals"
            f" over conversations. MAP is the ranking, where a policy ranks.{told if others else ''}"
        )


@st.cache_resource(max_entries=128, show_spinner=False)
def _table(key: tuple[object, ...], tag: str | None, reference: str, _result: SetResult) -> str:
    """A row for each column; kept, for every difference takes a thousand draws."""
    result = _result
    summaries = {
        name: policy.overall if tag is None else policy.by_tag[tag]
        for name, policy in result.policies.items()
    }
    # Fewer tokens are better only where as much is found, so that nothing is called the best there.
    best = {metric: sure_best(result, metric, tag=tag) for metric in _METRICS if metric != "kept_token_share"}
    rows = []
    for name, summary in summaries.items():
        row = [f"**{literal(name, limit=_LABEL)}**"]
        row += [cell(summary[metric], best=best.get(metric) == name) for metric in _METRICS]
        if name == reference or reference not in summaries:
            row.append("reference" if name == reference else "–")
        else:
            compared = compare(result, baseline=reference, policy=name, tag=tag)
            row.append(difference_cell(compared.differences["f1"]))
        rows.append(row)
    return markdown_table(
        ["", *(_NAMES[metric] for metric in _METRICS), "F1 less the reference's"], rows, numbers=True
    )


def _draw_tradeoff(source: Source, result: SetResult) -> None:
    curves = {name: policy.curve for name, policy in result.policies.items() if policy.curve is not None}
    choices = {name: policy.overall for name, policy in result.policies.items()}
    told = "; ".join(
        f"{name}: recall {recall:.0%} with {share:.0%} of the tokens"
        for name, summary in choices.items()
        if (recall := summary["recall"].value) is not None
        and (share := summary["kept_token_share"].value) is not None
    )
    st.plotly_chart(
        recall_over_tokens_figure(curves, choices, palette=current_palette()), theme=None, config=CONFIG,
        key=f"compare.tradeoff.{source.name}", alt=writable(f"Recall over tokens kept. {told}."),
    )  # fmt: skip
    st.caption(
        "What is found, over what it costs: a mark is what a policy keeps by its own rule, a line what any"
        " threshold on its scores would give. Higher and further left is better."
    )


def _draw_downloads(view: View, results: Mapping[str, SetResult], reference: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle(
            "By tag", help="A table for each tag that cases have", **state.page.control("tags", view.tags)
        )
        st.download_button(
            "CSV", lambda: results_csv(results), file_name="comparison.csv", mime="text/csv",
            on_click="ignore", icon=":material/table:", key="compare.download_csv",
        )  # fmt: skip
