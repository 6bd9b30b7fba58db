"""What the requests of conversations would have cost with each policy, under a provider's prompt cache."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.core.text import format_share, pluralize
from convgate.costs.prices import DEFAULT_MODEL, Price, find_price, list_models
from convgate.evaluation.bill_report import PRICED, TABLE_NOTE, BillReport, BillRow
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.figures.bill import bill_figure, describe_bill
from convgate.gate.thresholds import MaxMissed
from convgate.policies.spec import PolicySpec
from convgate.policies.window import Everything
from convgate.selection.billing import bill_policies
from convgate.training.library import SetInfo
from convgate.transcripts.cases import Case
from convgate.ui.compare.state import LIBRARY, Column, CompareState, build_columns, is_gate, page
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.frame import App, show_problem
from convgate.ui.shared.label_sources import plain_name, read_labelled, usable
from convgate.ui.shared.results_cache import compute_if_asked, digest
from convgate.ui.shared.tables import markdown_table
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette

_MAX_LABEL = 60  # characters of a policy's name


def priced_models(settings: Settings) -> list[str]:
    """Return the models that a bill can be for, that of the settings first."""
    return list(dict.fromkeys([settings.costs.model or DEFAULT_MODEL, *list_models()]))


def draw_bill(
    app: App,
    state: CompareState,
    columns: Sequence[Column],
    labels: Mapping[str, str],
    billed: str,
    model: str,
    answer: DeltaGenerator,
) -> None:
    """Draw the bill, its sentence in `answer`, or the button. labels: of policies, by their text."""
    price = find_price(app.settings, model)
    everything = PolicySpec(Everything.name)
    whole = [column for column in columns if column.written == everything]
    others = sorted((each for each in columns if each not in whole), key=lambda each: is_gate(each.written))
    # The last one is billed with prices, too: a gate, if there is one.
    ordered = [*(whole or build_columns(app, [everything], labels)), *others]
    try:
        report = None if price is None else _compute(app, state, billed, ordered, price)
    except ConvgateError as error:
        show_problem(error)
        return
    if report is None:
        answer.markdown("What would each policy's requests have cost, under a provider's prompt cache?")
    else:
        _draw_report(report, {each.label for each in others if is_gate(each.written)}, answer)


def draw_choices(app: App, state: CompareState, known: Mapping[str, SetInfo]) -> tuple[str, str]:
    """Draw what is billed and the model; return the name of what is billed, and the model."""
    models = priced_models(app.settings)
    names = {name: plain_name(name) for name in usable(known)} | {LIBRARY: "the whole library"}
    billed, model = state.billed or state.data or LIBRARY, state.model or models[0]
    st.selectbox(
        "Conversations", list(names), width=260, format_func=lambda name: names.get(name, name),
        help="Turns missed are known where turns are labelled.",
        **page.control("billed", billed),
    )  # fmt: skip
    st.selectbox(
        "Prices of", models, width=260, help="Other prices: costs.prices in the settings.",
        **page.control("model", model),
    )  # fmt: skip
    return billed, model


def _compute(
    app: App, state: CompareState, billed: str, columns: Sequence[Column], price: Price
) -> BillReport | None:
    """Return the report; None after a person has stopped it.

    Raises TranscriptError for a set that cannot be read, ConvgateError without a request.
    """
    if billed == LIBRARY:
        keys = sorted(app.conversations.keys())
        content, count = f"{app.store.path} {keys}", len(keys)
    else:
        relevance_set, content = read_labelled(app, billed)
        count = len(relevance_set.conversations)
    selects = [f"{column.label} {digest(column.policy)}" for column in columns]
    key = f"bill {content} {selects} {price} {app.settings.model_dump_json()}"

    def work(progress: EvaluationProgress) -> BillReport:
        return bill_policies(
            _read(app, billed), {column.label: column.policy for column in columns}, app.settings, price,
            progress=progress,
        )  # fmt: skip

    label = f"Compute the bill of {pluralize(count, 'conversation')}"
    return compute_if_asked(page, "bill", key, label, work)


def _read(app: App, billed: str) -> list[tuple[Conversation, list[Case]]]:
    """Return the conversations of the library as they were imported, or those of a set with their cases."""
    if billed == LIBRARY:
        return [(app.conversations.get(key).conversation, []) for key in sorted(app.conversations.keys())]
    relevance_set, _ = read_labelled(app, billed)
    cases: dict[str, list[Case]] = {id: [] for id in relevance_set.conversations}
    for case in relevance_set.cases:
        cases[case.conversation].append(case)
    return [(conversation, cases[id]) for id, conversation in relevance_set.conversations.items()]


def _draw_report(report: BillReport, gates: Collection[str], answer: DeltaGenerator) -> None:
    best = cheapest_to_trust(report, gates)
    for sentence in bill_sentences(report, best):
        answer.markdown(sentence)
    rows = report.rows if best is None else (best, *(row for row in report.rows if row is not best))
    costs = {f"{row.policy}{PRICED}": row.cost for row in rows}
    same = [row for row in rows if row.cost == costs.get(row.policy)]
    shown = replace(report, rows=tuple(row for row in rows if row not in same))
    draw_figure(bill_figure(shown, palette=current_palette()), "compare.bills", describe_bill(shown))
    st.caption(
        "Of all requests of each conversation, one after the other, with the provider's prompt cache"
        + ("; the cache changes no bill here" if same else "")
        + ". Explore shows the price of one request, without the cache."
    )
    with st.expander("All figures, prices and pauses", icon=":material/table:"):
        cells = [(f"**{literal(row.policy, limit=_MAX_LABEL)}**", row.to_cells()) for row in rows]
        head = ["", *(name.capitalize() for name in rows[0].to_cells())]
        with st.container(key="compare-bill"):
            table = [(name, *map(literal, each.values())) for name, each in cells]
            st.markdown(markdown_table(head, table, numbers=True))
        st.caption(literal(TABLE_NOTE))
        st.caption(literal(" ".join(report.notes())))


def cheapest_to_trust(report: BillReport, gates: Collection[str]) -> BillRow | None:
    """Return the cheapest row that misses no more than the default promise; None where that is not known.

    Without labels, a gate's promise stands for what it misses. gates: names of policies.
    """

    def is_trusted(row: BillRow) -> bool:
        if row.missed is not None:
            return row.missed <= MaxMissed().max_missed
        return row is report.rows[0] or row.policy.removesuffix(PRICED) in gates

    trusted = [row for row in report.rows if is_trusted(row)]
    return min(trusted, key=lambda row: row.cost) if len(trusted) > 1 else None


def bill_sentences(report: BillReport, best: BillRow | None) -> list[str]:
    """Return what the trusted row and the cheapest one save, and why, as Markdown; best: of the rows."""
    everything, last = report.rows[0], report.rows[-1]
    if len(report.rows) < 3 or best is None:
        others = (everything, report.rows[-2]) if len(report.rows) > 1 else ()
        return [f"##### {literal(report.compare_last(others))}"]
    plain, requests = report.rows[-2], pluralize(report.requests, "request")
    shown = dict.fromkeys((last if best is everything else best, min(report.rows, key=lambda row: row.cost)))
    changes = "; ".join(
        _change(row, is_limited=row in (best, last)) for row in shown if row is not everything
    )
    sentences = [f"##### {literal(f'On {requests}, compared with sending everything: {changes}', limit=400)}"]
    if last.cost < plain.cost and plain.tokens < everything.tokens:
        fewer = format_share(1 - plain.tokens / everything.tokens)
        cached, cached_of_all = (format_share(row.cached_share or 0.0) for row in (plain, everything))
        sentences.append(
            f"Why: {literal(plain.policy)} sends {fewer} fewer tokens but costs {_versus(plain, everything)}"
            " everything. Its turns change with each message, so the provider reads little from its prompt"
            f" cache ({cached} of the tokens; {cached_of_all} of everything's). {literal(last.policy)} sends"
            f" the same beginning again where that is cheaper: {_versus(last, plain)}"
            f" {literal(plain.policy)}. The setting `costs.model` turns it on."
        )
    return sentences


def _change(row: BillRow, *, is_limited: bool) -> str:
    """Return how a bill differs from that of everything, and what is left out for it."""
    loss = "" if is_limited else ", but nothing limits what it leaves out"
    if row.missed is not None:
        loss = f", misses {format_share(row.missed)} of the needed turns" if row.missed else ""
    return f"{row.policy} {row.to_cells()['change']}{loss}"


def _versus(row: BillRow, other: BillRow) -> str:
    change = row.cost / other.cost - 1 if other.cost else 0.0
    return f"{format_share(abs(change))} {'more' if change > 0 else 'less'} than"
