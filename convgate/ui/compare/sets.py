"""Any number of columns on labelled data: a table with intervals for each set, and what recall costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from convgate.evaluation.comparison import compare
from convgate.evaluation.results import Measure, SetResult
from convgate.evaluation.together import sure_best
from convgate.figures.layout import CONFIG
from convgate.figures.tradeoffs import recall_over_tokens_figure
from convgate.transcripts.characters import writable
from convgate.ui.compare import state
from convgate.ui.compare.choosing import draw_choosing, draw_too_few
from convgate.ui.compare.export import results_csv, results_markdown
from convgate.ui.compare.measuring import Measured, measure
from convgate.ui.compare.state import View
from convgate.ui.compare.talk import draw_failed
from convgate.ui.frame import App
from convgate.ui.sources import Source, draw_sources, usable
from convgate.ui.tables import markdown_table, with_interval
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.wording import counted

DATA, TAGS = "compare.data", "compare.tags"
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
    draw_sources(
        known, asked, key=DATA, on_change=_chose_data,
        help="What is measured on. A turn that nobody judged is not counted. Train takes further sets.",
    )  # fmt: skip
    if not asked:
        st.info("Choose labelled data to measure on.", icon=":material/label:")
        st.button(
            f"Use {known[there[0]].label}", key="compare.use_data", on_click=state.change,
            kwargs={"data": tuple(there[:1])},
        )  # fmt: skip
    return asked


def _draw_result(view: View, source: Source, measured: Measured, reference: str, number: int) -> None:
    result = measured.result
    st.subheader(source.label, anchor=False)
    st.caption(source.told)
    _draw_metrics(measured, None, reference, f"{number}")
    if result.conversations < 2:
        st.caption(":material/info: One conversation gives no intervals, so none can be called the best.")
    _draw_tradeoff(source, result)
    if view.tags:
        for place, (tag, has) in enumerate(result.tags.items()):
            st.markdown(f"**{literal(tag, limit=60)}** :small[{counted(int(has.sum()), 'message')}]")
            _draw_metrics(measured, tag, reference, f"{number}-{place}")
        if not result.tags:
            st.caption("No case of this set has a tag.")


def _draw_metrics(measured: Measured, tag: str | None, reference: str, number: str) -> None:
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
    state.put(TAGS, view.tags)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.toggle("By tag", key=TAGS, on_change=_chose_tags, help="A table for each tag that cases have")
        st.download_button(
            "CSV", lambda: results_csv(results), file_name="comparison.csv", mime="text/csv",
            on_click="ignore", icon=":material/table:", key="compare.download_csv",
        )  # fmt: skip
        st.download_button(
            "Markdown", lambda: results_markdown(results, by_tag=view.tags, against=reference),
            file_name="comparison.md", mime="text/markdown", on_click="ignore",
            icon=":material/description:", key="compare.download_markdown",
        )  # fmt: skip


def _chose_data() -> None:
    state.change(data=tuple(st.session_state[DATA]))


def _chose_tags() -> None:
    state.change(tags=bool(st.session_state[TAGS]))
