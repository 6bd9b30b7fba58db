"""What the requests of conversations would have cost with each policy, under a provider's prompt cache."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.conversation import Conversation
from convgate.core.errors import ConvgateError
from convgate.core.settings import Settings
from convgate.core.text import pluralize
from convgate.costs.prices import DEFAULT_MODEL, Price, find_price, list_models
from convgate.evaluation.bill_report import TABLE_NOTE, BillReport
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.figures.bill import bill_figure, describe_bill
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
        _draw_report(report, answer)


def draw_choices(app: App, state: CompareState, known: Mapping[str, SetInfo]) -> tuple[str, str]:
    """Draw what is billed and the model; return the name of what is billed, and the model."""
    models = priced_models(app.settings)
    names = {name: plain_name(name) for name in usable(known)} | {LIBRARY: "the whole library"}
    billed, model = state.billed or state.data or LIBRARY, state.model or models[0]
    st.selectbox(
        "Conversations", list(names), width=260, format_func=lambda name: names.get(name, name),
        help="Turns missed are known where turns are labelled.",
        **page.control("billed", billed, bill=False),
    )  # fmt: skip
    st.selectbox(
        "Prices of", models, width=260, help="Other prices: costs.prices in the settings.",
        **page.control("model", model),
    )  # fmt: skip
    return billed, model


def _compute(
    app: App, state: CompareState, billed: str, columns: Sequence[Column], price: Price
) -> BillReport | None:
    """Return the report; None while a person has not asked for it.

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


def _draw_report(report: BillReport, answer: DeltaGenerator) -> None:
    rows = report.rows
    sentence = report.compare_last((rows[0], rows[-2]) if len(rows) > 1 else ())
    answer.markdown(f"##### {literal(sentence)}")
    draw_figure(bill_figure(report, palette=current_palette()), "compare.bills", describe_bill(report))
    cells = [(f"**{literal(row.policy, limit=_MAX_LABEL)}**", row.to_cells()) for row in rows]
    head = ["", *(name.capitalize() for name in rows[0].to_cells())]
    with st.container(key="compare-bill"):
        st.markdown(
            markdown_table(head, [(name, *map(literal, each.values())) for name, each in cells], numbers=True)
        )
    st.caption(literal(TABLE_NOTE))
    st.caption(literal(" ".join(report.notes())))
