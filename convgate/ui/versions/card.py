"""One version's card: facts, metrics, data, training, limits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import streamlit as st

from convgate.core.errors import GateError
from convgate.core.text import format_share, pluralize
from convgate.figures.layout import CONFIG
from convgate.figures.training import describe_epochs, epochs_figure, losses_and_shares
from convgate.gate.thresholds import RULES
from convgate.ui.frame import App, show_problem
from convgate.ui.tables import markdown_table, with_interval
from convgate.ui.text import literal, show_text
from convgate.ui.theme import current_palette
from convgate.ui.versions.actions import draw_delete
from convgate.ui.versions.listing import Shelf, draw_badges, draw_buttons, origin_words
from convgate.versions.card import DataSet, Measured, Metric, Training
from convgate.versions.version import Version

_METRIC_NAMES = {
    "map": "MAP", "recall": "Recall", "precision": "Precision", "f1": "F1", "kept_token_share": "Tokens kept",
    "exact_empty": "Nothing kept where nothing matters",
}  # fmt: skip


def draw_card(app: App, shelf: Shelf, version: Version) -> None:
    """Draw the card, with everything that can be done with the version."""
    card, name = version.card, version.name
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.subheader(literal(name), anchor=False, width="content")
        draw_badges(shelf, version)
    st.caption(origin_words(card))
    is_intact = _draw_damage(version)
    with st.container(horizontal=True, gap="xsmall"):
        draw_buttons(app, shelf, version)
        if is_intact:
            st.download_button(
                "Export", lambda: shelf.versions.export(name), file_name=f"{name}.zip",
                mime="application/zip", key="versions.export", on_click="ignore",
                icon=":material/download:", help="Download the version as one file",
            )  # fmt: skip
        if not version.shipped:
            draw_delete(shelf.versions, name)
    if card.note:
        show_text(card.note)
    with st.container(key="versions-card"):
        st.markdown(markdown_table(("Fact", "Value"), _facts(version)))
        _draw_metrics(card.metrics)
        _draw_data(card.data)
        _draw_training(card.training)
        if card.limits:
            st.markdown("#### Limits")
            st.markdown("\n".join(f"- {literal(limit)}" for limit in card.limits))


def _draw_damage(version: Version) -> bool:
    """Return whether the files are those that the version was written with; say if not."""
    try:
        version.files()
    except GateError as error:
        show_problem(error)
        return False
    return True


def _facts(version: Version) -> Iterator[tuple[str, str]]:
    config, card = version.config, version.card
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


def _draw_metrics(sets: Mapping[str, Measured]) -> None:
    st.markdown("#### Measured")
    if not sets:
        st.caption("Nothing was measured when it was made.")
        return
    head = ["Metric"]
    columns: list[tuple[Mapping[str, Metric], bool]] = []  # and whether they are differences
    for name, measured in sets.items():
        head.append(f"{literal(name, limit=40)}: {pluralize(measured.conversations, 'conversation')}")
        columns.append((measured.metrics, False))
        if measured.gain:
            head.append("vs. parent")
            columns.append((measured.gain, True))
    known = dict.fromkeys([*_METRIC_NAMES, *(metric for metrics, _ in columns for metric in metrics)])
    rows = [
        (
            _METRIC_NAMES.get(metric) or literal(metric, limit=40),
            *(
                _metric_cell(metrics.get(metric), is_difference=is_difference)
                for metrics, is_difference in columns
            ),
        )
        for metric in known
        if any(metric in metrics for metrics, _ in columns)
    ]
    st.markdown(markdown_table(head, rows, numbers=True))
    st.caption("On cases that it was not trained on. Ranges are 95% intervals over conversations.")


def _metric_cell(metric: Metric | None, *, is_difference: bool) -> str:
    if metric is None or metric.value is None:
        return "–"
    return with_interval(metric.value, metric.low, metric.high, difference=is_difference)


def _draw_data(data: tuple[DataSet, ...]) -> None:
    st.markdown("#### Data")
    if not data:
        st.caption("The card names no data sets.")
        return
    rows = [
        (
            literal(each.name, limit=60),
            literal(", ".join(f"{count:,} {noun}" for noun, count in each.counts.items()), limit=100),
            literal(each.licence, limit=60),
            literal(each.attribution, limit=120),
        )
        for each in data
    ]
    st.markdown(markdown_table(("Set", "Content", "Licence", "By"), rows))


def _draw_training(training: Training | None) -> None:
    st.markdown("#### Training")
    if training is None:
        st.caption("It was not trained here.")
        return
    st.caption(f"{pluralize(training.epochs, 'epoch')}, seed {training.seed}.")
    losses, shares = losses_and_shares(training.curves)
    for curves in filter(None, (losses, shares)):
        is_shares = curves is shares
        st.plotly_chart(
            epochs_figure(curves, current_palette(), shares=is_shares), theme=None, config=CONFIG,
            key=f"versions.epochs.{'shares' if is_shares else 'losses'}", alt=describe_epochs(curves),
        )  # fmt: skip
    with st.expander("Settings and libraries", icon=":material/tune:"):
        st.json({**training.config, **training.libraries})
