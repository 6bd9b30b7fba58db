"""What sets a version apart from its parent, in tables."""

from __future__ import annotations

import streamlit as st

from convgate.ui.text import literal
from convgate.ui.versions.words import METRICS, markdown_table
from convgate.ui.wording import counted
from convgate.versions.comparison import Difference, Pair, compare_versions
from convgate.versions.markdown import measure
from convgate.versions.version import Version

LARGEST = 8  # parameters that are shown


def draw_difference(parent: Version, version: Version) -> None:
    """Threshold, config, data, metrics and the weights that moved most."""
    found = _difference(
        parent.name, repr(parent.card.created), version.name, repr(version.card.created), parent, version
    )
    head = ("", literal(found.a), literal(found.b))
    changed = {**found.threshold, **found.config}
    if changed:
        st.markdown(markdown_table(head, [(literal(name), *_values(pair)) for name, pair in changed.items()]))
    _draw_data(found)
    for name, metrics in found.metrics.items():
        rows = [
            (METRICS.get(metric) or literal(metric, limit=40), measure(a), measure(b))
            for metric, (a, b) in metrics.items()
            if a is not None and b is not None
        ]
        if rows:
            st.markdown(markdown_table((literal(name, limit=40), *head[1:]), rows, numbers=True))
    if not (found.moved or found.not_shared):
        st.caption("The weights are the same.")
    if found.moved:
        rows = [
            (
                literal(one.name),
                "from 0" if one.relative is None else f"{one.relative:.1%}",
                f"{one.largest:.2g}",
            )
            for one in found.moved[:LARGEST]
        ]
        st.markdown(markdown_table(("Weights that moved most", "by", "at most"), rows, numbers=True))
        st.caption(f"{counted(len(found.moved), 'parameter')} of the gate moved.")


def _draw_data(found: Difference) -> None:
    for what, names in found.data.items():
        if names:
            whose = "of both" if what == "both" else f"of {literal(getattr(found, what))} alone"
            st.caption(f"Data {whose}: {literal(', '.join(names), limit=400)}")


def _values(pair: Pair) -> tuple[str, str]:
    return (_value(pair[0]), _value(pair[1]))


def _value(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "–" if value is None else literal(str(value))


@st.cache_resource(max_entries=16, show_spinner=False)
def _difference(a: str, made_a: str, b: str, made_b: str, _a: Version, _b: Version) -> Difference:
    return compare_versions(_a, _b)
