"""The model card as Markdown; names and notes come from files, so they are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from convgate.core.text import printable
from convgate.versions.card import DataSet, Metric, MetricSet
from convgate.versions.version import Version

UNDEFINED = "–"


def model_card(version: Version, *, marks: Sequence[str] = ()) -> str:
    """Return the version's card; `marks` are its states, such as "active"."""
    card = version.card
    blocks = [f"# {version.name}" + (f" ({', '.join(marks)})" if marks else "")]
    if card.note:
        blocks.append(escape_markdown(card.note))
    blocks.append(_table(("", ""), _facts(version)))
    if card.metrics:
        caption = "Ranges are 95% intervals over conversations."
        blocks += ["## Measured", _measured(card.metrics), caption]
    if card.data:
        blocks += ["## Data", _data(card.data)]
    if card.training is not None:
        training = f"{card.training.epochs} epochs, seed {card.training.seed}"
        blocks += ["## Training", f"{training}; settings and curves: see --json."]
    if card.limits:
        blocks += ["## Limits", "\n".join(f"- {escape_markdown(limit)}" for limit in card.limits)]
    return "\n\n".join(blocks) + "\n"


def format_metric(metric: Metric | None) -> str:
    """Return a value with its interval.

    >>> format_metric(Metric(0.628, 0.598, 0.655)), format_metric(None)
    ('0.628 (0.598–0.655)', '–')
    """
    if metric is None or metric.value is None:
        return UNDEFINED
    if metric.low is None or metric.high is None:
        return f"{metric.value:.3f}"
    return f"{metric.value:.3f} ({metric.low:.3f}–{metric.high:.3f})"


def format_difference(metric: Metric | None) -> str:
    """Return a difference with its interval.

    >>> format_difference(Metric(0.05, -0.01, 0.1))
    '+0.050 (−0.010 to +0.100)'
    """
    if metric is None or metric.value is None:
        return UNDEFINED
    text = f"{metric.value:+.3f}"
    if metric.low is not None and metric.high is not None:
        text += f" ({metric.low:+.3f} to {metric.high:+.3f})"
    return text.replace("-", "\N{MINUS SIGN}")


def _facts(version: Version) -> Iterator[tuple[str, str]]:
    config, card = version.config, version.card
    author = f" by {escape_markdown(card.who)}" if card.who else ""
    yield "created", f"{card.created:%Y-%m-%d %H:%M} UTC{author}"
    parent = card.parent
    yield "parent", f"{escape_markdown(parent.name)} ({parent.sha256[:12]}…)" if parent else UNDEFINED
    yield "preset", f"{config.preset}, {card.parameters:,} parameters"
    encoder = str(config.encoder) if config.encoder else f"any of {config.dimension} dimensions"
    yield "encoder", escape_markdown(encoder)
    yield "threshold rule", card.threshold_rule + _parameters(card.threshold_parameters)
    yield "learned threshold", f"{card.learned_threshold:.3f}"
    yield "residual gate", f"{card.activation:.3f}"
    yield "weights", f"SHA-256 {card.weights_sha256}"


def _measured(sets: Mapping[str, MetricSet]) -> str:
    names = list(dict.fromkeys(name for measured in sets.values() for name in measured.metrics))
    rows = []
    for name, measured in sets.items():
        metrics = (format_metric(measured.metrics.get(metric)) for metric in names)
        rows.append((escape_markdown(name), f"{measured.cases:,}", *metrics))
        if measured.parent:
            metrics = (format_metric(measured.parent.get(metric)) for metric in names)
            rows.append(("its parent on these", "", *metrics))
        if measured.gain:
            gains = (format_difference(measured.gain.get(metric)) for metric in names)
            rows.append(("difference", "", *gains))
    return _table(("set", "cases", *map(escape_markdown, names)), rows)


def _data(data: Sequence[DataSet]) -> str:
    rows = [
        (
            escape_markdown(each.name),
            ", ".join(f"{count:,} {escape_markdown(name)}" for name, count in each.counts.items()),
            escape_markdown(each.licence),
            escape_markdown(each.attribution),
            f"{each.sha256[:12]}…",
        )
        for each in data
    ]
    return _table(("data", "holds", "licence", "attribution", "SHA-256"), rows)


def _parameters(values: Mapping[str, Any]) -> str:
    text = ", ".join(f"{name} {escape_markdown(str(value))}" for name, value in values.items())
    return f" ({text})" if text else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escape_markdown(text: str) -> str:
    """Return text that Markdown shows as it is, in a table too."""
    return re.sub(r"([\\`*\[\]<>|#])", r"\\\1", printable(text))
