"""Versions of the gate in a terminal's tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

    from convgate.versions import DataSet, Version, Versions
    from convgate.versions.comparison import Difference, Pair

MAIN_METRICS = ("map", "f1")  # in the list; `show` has all
MAIN_SETS = 2


def marks_of(store: Versions, name: str) -> list[str]:
    """What a version is used for."""
    return ["active"] * (name == store.active) + ["baseline"] * (name == store.baseline)


def show_list(store: Versions, found: Iterable[Version]) -> None:
    """A table of the versions, each after its parent."""
    from rich.console import Console

    from convgate.versions.comparison import lineage

    table = _table("version", "created", "parent", "data", "measured")
    table.columns[1].no_wrap = True
    for place in lineage(tuple(found)):
        version, card = place.version, place.version.card
        marks = ", ".join(marks_of(store, version.name))
        table.add_row(
            "\n".join([version.name, *([marks] if marks else [])]),
            f"{card.created:%Y-%m-%d}",
            plain(card.parent.name) if card.parent else "",
            "\n".join(_data(card.data)),
            "\n".join(_main_metrics(version)),
        )
    console = Console()
    if table.row_count:
        console.print(table)
    if store.active is None:
        console.print("No version is active: the gate is untrained, and ranks by cosine similarity.")


def _data(data: Sequence[DataSet]) -> Iterator[str]:
    """The name of what was trained on; of several, how many there are."""
    if data:
        cases = sum(one.counts.get("cases", 0) for one in data)
        yield plain(data[0].name) if len(data) == 1 else f"{len(data)} sets"
        if cases:
            yield f"{cases:,} cases"


def _main_metrics(version: Version) -> Iterator[str]:
    from convgate.evaluation.metrics import LABELS

    sets = version.card.metrics
    for name, measured in list(sets.items())[:MAIN_SETS]:
        values = ((LABELS[metric], measured.metrics.get(metric)) for metric in MAIN_METRICS)
        told = [
            f"{label}\N{NO-BREAK SPACE}{one.value:.2f}"
            for label, one in values
            if one and one.value is not None
        ]
        yield " ".join([plain(name), *told])
    if len(sets) > MAIN_SETS:
        yield f"{len(sets) - MAIN_SETS} more"


def show_difference(found: Difference) -> None:
    """Tables of what two versions do not share."""
    from rich.console import Console

    from convgate.versions.markdown import measure

    console = Console()
    for title, pairs in (("config", found.config), ("threshold", found.threshold)):
        if pairs:
            console.print(_pairs(title, found, pairs))
    for what, names in found.data.items():
        if names:
            where = "both" if what == "both" else f"{getattr(found, what)} alone"
            console.print(f"Data of {where}: {', '.join(map(plain, names))}", markup=False, highlight=False)
    for name, metrics in found.metrics.items():
        values = {metric: (measure(a), measure(b)) for metric, (a, b) in metrics.items()}
        console.print(_pairs(name, found, values))
    if found.same_weights:
        console.print("The weights are the same.")


def _pairs(title: str, found: Difference, pairs: Mapping[str, Pair]) -> Table:
    table = _table(title, found.a, found.b)
    for name, pair in pairs.items():
        table.add_row(plain(name), *(_value(value) for value in pair))
    return table


def _value(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "–" if value is None else plain(str(value))


def _table(*columns: str) -> Table:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(plain(column), overflow="fold")
    return table


def plain(text: str) -> str:
    """Text from a file as it is, neither rich's markup nor the terminal's commands."""
    from rich.markup import escape

    from convgate.transcripts.characters import printable

    return escape(printable(text))
