"""The answer first: a row for each column, and how alike each two of them are."""

from __future__ import annotations

import streamlit as st

from convgate.figures.layout import CONFIG
from convgate.figures.matrix import agreement_figure
from convgate.text import format_number, format_share
from convgate.transcripts.characters import writable
from convgate.ui.compare.made import Agreement, Compared, Made, agreement, kappa_words
from convgate.ui.tables import markdown_table
from convgate.ui.text import literal
from convgate.ui.theme import current_palette

MATRIX = "compare.matrix"
_LABEL = 60  # characters of a column's name


def draw_summary(compared: Compared) -> None:
    """Kept, tokens, what is unlike the reference, and the time that it took."""
    against, total = compared.against, len(compared.indices)
    found = agreement(compared.kept)
    reference = compared.columns.index(against)
    told = literal(against.label, limit=_LABEL)
    head = ("", "Kept", "Tokens sent", "Saved", "Agrees", "Only it keeps", "Only the reference", "Time")
    rows = [_row(made, place, found, reference, total) for place, made in enumerate(compared.columns)]
    with st.container(key="compare-summary"):
        st.markdown(markdown_table(head, rows, numbers=True))
    st.caption(
        f"Of {total:,} earlier turns, made a valid list. The reference is {told}: the share of turns"
        " decided like it, with Cohen's kappa; turns that only one of the two keeps. Tokens are counted with"
        " the current message. Time is what deciding took here, with the texts encoded already."
    )


def draw_agreement(compared: Compared) -> None:
    """The matrix, and the two that are least alike in a sentence; nothing for less than two columns."""
    count = len(compared.columns)
    if count < 2 or not len(compared.indices):
        return
    found = agreement(compared.kept)
    labels = [made.label for made in compared.columns]
    st.markdown(
        "**How alike they decide**",
        help="The share of turns that two decide the same, and Cohen's kappa κ: 1 is always the same, 0 what"
        " chance would give two that keep as many turns as these. Where few turns are kept, shares are high"
        " for all, and kappa tells more.",
    )
    told = agreement_words(found, labels)
    seen = agreement_words(found, [literal(label, limit=_LABEL) for label in labels])
    st.plotly_chart(
        agreement_figure(found.alike, found.kappa, labels=labels, palette=current_palette()), theme=None,
        config=CONFIG, key=MATRIX, alt=writable(told),
    )  # fmt: skip
    st.caption(seen)


def agreement_words(found: Agreement, labels: list[str]) -> str:
    """Which two are most alike, and which least."""
    pairs = [(row, column) for row in range(len(labels)) for column in range(row)]
    pairs.sort(key=lambda pair: float(found.alike[pair]))

    def told(pair: tuple[int, int]) -> str:
        first, second = (labels[place] for place in sorted(pair))
        share, kappa = float(found.alike[pair]), float(found.kappa[pair])
        chance = "" if kappa != kappa else f" (kappa {format_number(kappa)}: {kappa_words(kappa)})"
        return f"{first} and {second} agree on {format_share(share)} of the turns{chance}"

    if len(pairs) == 1:
        return f"{told(pairs[0])}."
    return f"Most alike: {told(pairs[-1])}. Least: {told(pairs[0])}."


def _row(made: Made, place: int, found: Agreement, reference: int, total: int) -> tuple[str, ...]:
    selection = made.selection
    saved = 1 - selection.tokens_kept / selection.tokens_total if selection.tokens_total else 0.0
    name = f"{made.number} **{literal(made.label, limit=_LABEL)}**"
    kept = int(made.decisions.kept.sum())
    start = (
        f"{kept:,} of {total:,}",
        f"{selection.tokens_kept:,}",
        format_share(saved),
    )
    if made.unlike is None:
        return (f"{name} :small[reference]", *start, "", "", "", _time(made.seconds))
    kappa = float(found.kappa[place, reference])
    beside = "" if kappa != kappa else f" :small[κ {format_number(kappa)}]"
    return (
        name,
        *start,
        f"{format_share(float(found.alike[place, reference]))}{beside}",
        f"{len(made.unlike.up):,}",
        f"{len(made.unlike.down):,}",
        _time(made.seconds),
    )


def _time(seconds: float) -> str:
    """A duration as people read it.

    >>> _time(0.00031), _time(0.0421), _time(3.2)
    ('under 1 ms', '42 ms', '3.2 s')
    """
    if seconds < 0.001:
        return "under 1 ms"
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
