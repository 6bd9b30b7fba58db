"""Names and numbers of versions in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from convgate.core.text import format_number, format_share, format_signed, pluralize
from convgate.ui.tables import markdown_table as markdown_table
from convgate.ui.tables import with_interval as with_interval
from convgate.ui.text import literal
from convgate.versions.card import DataSet, Measured
from convgate.versions.comparison import Headline

METRICS: Mapping[str, str] = {
    "map": "Ranking (MAP)",
    "recall@5": "Recall among the best 5",
    "recall@10": "Recall among the best 10",
    "recall@25": "Recall among the best 25",
    "recall@50": "Recall among the best 50",
    "precision": "Precision of what is kept",
    "recall": "Recall of what is kept",
    "f1": "F1 of what is kept",
    "exact_empty": "Kept nothing where nothing matters",
    "kept_token_share": "Tokens kept",
}
"""Metrics as people call them."""

SHORT = {"map": "MAP", "f1": "F1", "kept_token_share": "tokens"}


def named(name: str) -> str:
    """A version's name, to stand out in Markdown.

    >>> named("mine")
    '**mine**'
    """
    return f"**{literal(name)}**"


def headline_words(found: Headline | None, reference: str | None) -> str:
    """The headline in a line; `reference` is what deltas are against.

    >>> from convgate.versions.comparison import Figure
    >>> headline_words(Headline("mine", (Figure("f1", 0.8, 0.02),), 2), "base")
    'mine: F1 0.80 (+0.02) · against base · 2 more sets'
    >>> headline_words(Headline("mine", (Figure("f1", 0.8, None),), 0), "base")
    'mine: F1 0.80 · base was not measured on these cases, so no difference is shown'
    """
    if found is None:
        return "Not measured"
    parts = []
    for figure in found.figures:
        share = figure.name == "kept_token_share"
        value = format_share(figure.value) if share else format_number(figure.value)
        delta = ""
        if figure.delta is not None:
            moved = f"{format_signed(100 * figure.delta, 1)} points" if share else format_signed(figure.delta)
            delta = f" ({moved}{'' if figure.sure else ', may be chance'})"
        parts.append(f"{SHORT[figure.name]} {value}{delta}")
    told = f"{literal(found.set, limit=40)}: {' · '.join(parts)}"
    if reference and found.compared:
        told += f" · against {literal(reference)}"
    elif reference:
        told += f" · {literal(reference)} was not measured on these cases, so no difference is shown"
    return told + (f" · {pluralize(found.others, 'more set')}" if found.others else "")


def gain_words(measured: Measured, parent: str) -> Iterator[str]:
    """What a version gained on its parent, each metric in a line of Markdown.

    >>> from convgate.versions.card import Metric
    >>> one = Measured(20, 5, {"f1": Metric(0.7)}, None, {"f1": Metric(0.6)}, {"f1": Metric(0.1, -0.1, 0.3)})
    >>> list(gain_words(one, "base"))[0].replace("\u2060", "")
    '**F1 of what is kept 0.60 → 0.70** against base: +0.10 :small[−0.10\xa0to\xa0+0.30], which may be chance'
    """
    for name, gain in measured.gain.items():
        now, before = measured.metrics.get(name), measured.parent.get(name)
        if now is None or before is None or gain.value is None:
            continue
        ends = f"{format_number(before.value or 0.0)} → {format_number(now.value or 0.0)}"  # known when the gain is
        told = f"**{METRICS.get(name) or literal(name, limit=40)} {ends}**"
        moved = with_interval(gain.value, gain.low, gain.high, difference=True)
        doubt = "" if gain.leaves_out_0 else ", which may be chance"
        yield f"{told} against {literal(parent)}: {moved}{doubt}"


def data_words(data: Sequence[DataSet]) -> str:
    """What a version learned from, in a line.

    >>> data_words([DataSet("a", "0" * 64, {"cases": 1200, "conversations": 3}, "MIT", "")])
    '1 data set, 1,200 cases (MIT)'
    """
    if not data:
        return "no data named"
    cases = sum(one.counts.get("cases", 0) for one in data)
    licences = sorted({one.licence for one in data if one.licence})
    told = pluralize(len(data), "data set") + (f", {pluralize(cases, 'case')}" if cases else "")
    return told + (f" ({literal(', '.join(licences), limit=80)})" if licences else "")
