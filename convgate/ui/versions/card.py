"""One version: its facts, metrics, data, training, and the difference from its parent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import streamlit as st

from convgate.core.errors import GateError
from convgate.core.text import format_age, format_share, pluralize
from convgate.evaluation.metrics import METRICS as ORDER
from convgate.figures.layout import CONFIG
from convgate.figures.training import describe_epochs, epochs_figure, losses_and_shares
from convgate.gate.thresholds import RULES
from convgate.ui.frame import App, show_problem
from convgate.ui.text import literal, show_text
from convgate.ui.theme import current_palette
from convgate.ui.versions import state
from convgate.ui.versions.listing import Shelf, draw_actions, draw_badges, parent_words
from convgate.ui.versions.manage import draw_removal, draw_rename
from convgate.ui.versions.words import METRICS, gain_words, markdown_table, named, with_interval
from convgate.versions.card import DataSet, Measured, Metric, Training
from convgate.versions.comparison import Difference, Pair, compare_versions, lineage
from convgate.versions.markdown import UNDEFINED, measure
from convgate.versions.version import Version


def draw_difference(parent: Version, version: Version) -> None:
    """Threshold, config, data and metrics."""
    found = compare_versions(parent, version)
    head = ("", literal(found.a), literal(found.b))
    changed = {**found.threshold, **found.config}
    if changed:
        st.markdown(markdown_table(head, [(literal(name), *_values(pair)) for name, pair in changed.items()]))
    _draw_shared_data(found)
    for name, metrics in found.metrics.items():
        rows = [
            (METRICS.get(metric) or literal(metric, limit=40), measure(a), measure(b))
            for metric, (a, b) in metrics.items()
            if a is not None and b is not None
        ]
        if rows:
            st.markdown(markdown_table((literal(name, limit=40), *head[1:]), rows, numbers=True))
    if found.same_weights:
        st.caption("The weights are the same.")


def _draw_shared_data(found: Difference) -> None:
    for what, names in found.data.items():
        if names:
            whose = "of both" if what == "both" else f"of {literal(getattr(found, what))} alone"
            st.caption(f"Data {whose}: {literal(', '.join(names), limit=400)}")


def _values(pair: Pair) -> tuple[str, str]:
    return (_value(pair[0]), _value(pair[1]))


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "–" if value is None else literal(str(value))


def draw_card(app: App, shelf: Shelf, version: Version) -> None:
    """The whole card, with everything that can be done with the version."""
    card, name = version.card, version.name
    st.button(
        "All versions", key="versions.back", icon=":material/arrow_back:", type="tertiary",
        on_click=state.change, kwargs={"version": None},
    )  # fmt: skip
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(literal(name), anchor=False, width="content")
        draw_badges(shelf, version)
    sound = _draw_soundness(version)
    if reason := shelf.foreign.get(name):
        st.warning(f"It cannot be activated here: {literal(reason)}.", icon=":material/link_off:")
    with st.container(horizontal=True, gap="xsmall"):
        draw_actions(app, shelf, version, place="card")
        if sound:
            st.download_button(
                "Export", lambda: shelf.versions.export(name), file_name=f"{name}.zip",
                mime="application/zip", key="versions.export", on_click="ignore",
                icon=":material/download:", help="The version as one file, to be imported elsewhere",
            )  # fmt: skip
    if card.note:
        show_text(card.note)
    with st.container(key="versions-facts"):
        st.markdown(markdown_table(("Fact", "Value"), _facts(shelf, version)))
    _draw_measured(card.metrics, card.parent.name if card.parent else "")
    _draw_data(card.data)
    _draw_training(card.training)
    if card.limits:
        st.markdown("#### Limits")
        st.markdown("\n".join(f"- {literal(limit)}" for limit in card.limits))
    parent = card.parent
    found = shelf.by_name.get(parent.name) if parent else None
    if sound and found is not None and parent == found.as_parent():
        with st.expander(f"What differs from its parent {named(found.name)}", icon=":material/difference:"):
            draw_difference(found, version)
    with st.expander(
        "Rename or delete", icon=":material/edit:", expanded=st.session_state.get("versions.removing") == name
    ):
        if version.shipped:
            st.caption("It is part of convgate and stays as it is.")
        else:
            draw_rename(shelf.versions, name)
            draw_removal(shelf.versions, name)


def _draw_soundness(version: Version) -> bool:
    """Whether its files are those that it was made with; if not, why is said."""
    try:
        version.files()
    except GateError as error:
        show_problem(error)
        return False
    return True


def _facts(shelf: Shelf, version: Version) -> Iterator[tuple[str, str]]:
    config, card = version.config, version.card
    place = next(one for one in lineage(shelf.listing.versions) if one.version.name == version.name)
    by = f", by {literal(card.who, limit=60)}" if card.who else ""
    yield "Made", f"{format_age(card.created)}, {card.created:%Y-%m-%d %H:%M} UTC{by}"
    yield "Descent", parent_words(place, card.parent.name if card.parent else None)
    children = [one.version.name for one in lineage(shelf.listing.versions) if one.parent == version.name]
    if children:
        yield "Children", literal(", ".join(children), limit=200)
    parameters = ", ".join(f"{name} {value}" for name, value in card.threshold_parameters.items())
    label = RULES[card.threshold_rule].label
    yield "Threshold rule", f"{label}{f' ({literal(parameters, limit=200)})' if parameters else ''}"
    yield "Learned threshold", f"{card.learned_threshold:.2f}"
    yield "Gate to tier 2", f"{format_share(card.activation)} open"
    yield (
        "Kind",
        f"{config.preset}, {card.parameters:,} parameters, reads the {literal(config.situation)} message",
    )
    encoder = literal(str(config.encoder)) if config.encoder else f"any of {config.dimension} dimensions"
    yield "Encoder", encoder
    yield "Weights", f"SHA-256 `{card.weights_sha256[:16]}…`"


def _draw_measured(sets: Mapping[str, Measured], parent: str) -> None:
    st.markdown("#### Measured")
    if not sets:
        st.caption("Nothing was measured when it was made. “Compare” measures it on a set of yours.")
        return
    for one in sets.values():
        for line in gain_words(one, parent):
            where = f"{pluralize(one.cases, 'message')} of {pluralize(one.conversations, 'conversation')}"
            st.markdown(f"{line}. On {where} that it did not learn from.")
    names = [name for name in ORDER if any(name in one.metrics for one in sets.values())]
    names += sorted({name for one in sets.values() for name in one.metrics} - {*names})
    head = (
        "Metric",
        *(f"{literal(name, limit=40)}: {pluralize(one.cases, 'case')}" for name, one in sets.items()),
    )
    rows = [
        (
            METRICS.get(metric) or literal(metric, limit=40),
            *(_cell(one.metrics.get(metric)) for one in sets.values()),
        )
        for metric in names
    ]
    with st.container(key="versions-metrics"):
        st.markdown(markdown_table(head, rows, numbers=True))
    st.caption(
        "With its own rule, on cases that it was not trained on. Ranges are 95% intervals over conversations."
    )


def _cell(metric: Metric | None) -> str:
    if metric is None or metric.value is None:
        return UNDEFINED
    return with_interval(metric.value, metric.low, metric.high)


def _draw_data(data: tuple[DataSet, ...]) -> None:
    st.markdown("#### Data")
    if not data:
        st.caption("Its card names no data that it was trained on.")
        return
    rows = [
        (
            literal(one.name, limit=60),
            literal(", ".join(f"{count:,} {what}" for what, count in one.counts.items()), limit=100),
            literal(one.licence, limit=60),
            literal(one.attribution, limit=120),
        )
        for one in data
    ]
    with st.container(key="versions-data"):
        st.markdown(markdown_table(("Set", "Holds", "Licence", "By"), rows))


def _draw_training(training: Training | None) -> None:
    st.markdown("#### Training")
    if training is None:
        st.caption(
            "It was not trained here: its weights are another version's, or were put together by hand."
        )
        return
    st.caption(f"{pluralize(training.epochs, 'epoch')}, seed {training.seed}.")
    losses, shares = losses_and_shares(training.curves)
    columns = st.columns(2) if losses and shares else [st.container()]
    for column, curves in zip(columns, [found for found in (losses, shares) if found], strict=False):
        with column:
            st.plotly_chart(
                epochs_figure(curves, current_palette(), shares=curves is shares), theme=None, config=CONFIG,
                key=f"versions.epochs.{'shares' if curves is shares else 'losses'}",
                alt=describe_epochs(curves),
            )  # fmt: skip
    with st.expander("How it was trained", icon=":material/tune:"):
        told = [
            (literal(name), literal(json.dumps(value), limit=300)) for name, value in training.config.items()
        ]
        told += [(literal(name), literal(value, limit=60)) for name, value in training.libraries.items()]
        st.markdown(markdown_table(("Setting or library", "Value"), told))
