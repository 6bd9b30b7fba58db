"""The model card as Markdown; names and notes come from files, so they are escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from convgate.transcripts.characters import printable
from convgate.versions.card import DataSet, Measured, Metric, Training
from convgate.versions.version import Version

UNDEFINED = "–"


def model_card(version: Version, *, marks: Sequence[str] = ()) -> str:
    """The version's card; `marks` say what it is just now, such as "active"."""
    card = version.card
    blocks = [f"# {version.name}" + (f" ({', '.join(marks)})" if marks else "")]
    if card.note:
        blocks.append(_escaped(card.note))
    blocks.append(_table(("", ""), _facts(version)))
    for title, section in (
        ("Measured", _measured(card.metrics)),
        ("Data", _data(card.data)),
        ("Training", _training(card.training)),
        ("Limits", [_list(map(_escaped, card.limits))]),
    ):
        if body := [block for block in section if block]:
            blocks += [f"## {title}", *body]
    return "\n\n".join(blocks) + "\n"


def measure(metric: Metric | None) -> str:
    """A value with its interval.

    >>> measure(Metric(0.628, 0.598, 0.655)), measure(None)
    ('0.628 (0.598–0.655)', '–')
    """
    if metric is None or metric.value is None:
        return UNDEFINED
    if metric.low is None or metric.high is None:
        return f"{metric.value:.3f}"
    return f"{metric.value:.3f} ({metric.low:.3f}–{metric.high:.3f})"


def difference(metric: Metric | None) -> str:
    """A difference with its interval.

    >>> difference(Metric(0.05, -0.01, 0.1))
    '+0.050 (−0.010 to +0.100)'
    """
    if metric is None or metric.value is None:
        return UNDEFINED
    told = f"{metric.value:+.3f}"
    if metric.low is not None and metric.high is not None:
        told += f" ({metric.low:+.3f} to {metric.high:+.3f})"
    return told.replace("-", "\N{MINUS SIGN}")


def _facts(version: Version) -> Iterator[tuple[str, str]]:
    config, card = version.config, version.card
    yield "created", f"{card.created:%Y-%m-%d %H:%M} UTC" + (f" by {_escaped(card.who)}" if card.who else "")
    yield "parent", f"{_escaped(card.parent.name)} ({card.parent.sha256[:12]}…)" if card.parent else UNDEFINED
    yield "preset", f"{config.preset}, {card.parameters:,} parameters"
    yield (
        "encoder",
        _escaped(str(config.encoder)) if config.encoder else f"any of {config.dimension} dimensions",
    )
    yield "threshold rule", card.threshold_rule + _parameters(card.threshold_parameters)
    yield "learned threshold", f"{card.learned_threshold:.3f}"
    yield "residual gate", f"{card.activation:.3f}"
    yield "weights", f"SHA-256 {card.weights_sha256}"


def _measured(sets: Mapping[str, Measured]) -> Iterator[str]:
    if not sets:
        return
    names = list(dict.fromkeys(name for one in sets.values() for name in one.metrics))
    rows = []
    for name, one in sets.items():
        rows.append(
            (_escaped(name), f"{one.cases:,}", *(measure(one.metrics.get(metric)) for metric in names))
        )
        if one.parent:
            rows.append(("its parent on these", "", *(measure(one.parent.get(metric)) for metric in names)))
        if one.gain:
            rows.append(("difference", "", *(difference(one.gain.get(metric)) for metric in names)))
    yield _table(("set", "cases", *map(_escaped, names)), rows)
    yield "Ranges are 95% intervals over conversations."


def _data(data: Sequence[DataSet]) -> Iterator[str]:
    if data:
        rows = [
            (
                _escaped(one.name),
                ", ".join(f"{count:,} {_escaped(what)}" for what, count in one.counts.items()),
                _escaped(one.licence),
                _escaped(one.attribution),
                f"{one.sha256[:12]}…",
            )
            for one in data
        ]
        yield _table(("data", "holds", "licence", "attribution", "SHA-256"), rows)


def _training(training: Training | None) -> Iterator[str]:
    if training is not None:
        yield f"{training.epochs} epochs, seed {training.seed}; settings and curves: see --json."


def _parameters(values: Mapping[str, Any]) -> str:
    told = ", ".join(f"{name} {_escaped(str(value))}" for name, value in values.items())
    return f" ({told})" if told else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _list(items: Iterable[str]) -> str:
    return "\n".join(f"- {item}" for item in items)


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, in a table too."""
    return re.sub(r"([\\`*\[\]<>|#])", r"\\\1", printable(text))
