"""Statistics: how much is kept, of which category, by which rule, and what is kept by default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape

import streamlit as st

from convgate.figures.hover import percent
from convgate.gatekeeper.statistics import Counted, Statistics
from convgate.transcripts.characters import writable
from convgate.ui.rules import state
from convgate.ui.rules.changing import draw_rest
from convgate.ui.rules.deciding import is_default
from convgate.ui.rules.listing import draw_list
from convgate.ui.rules.work import Decided, Work
from convgate.ui.text import literal, shortened
from convgate.ui.wording import counted

SCOPE = "rules.scope"
_CONVERSATION, _LIBRARY = "This conversation", "The library"


def draw_statistics(work: Work) -> None:
    """The scope, the numbers, the tables, and the list that a person should look at."""
    state.put(SCOPE, _LIBRARY if work.view.library else _CONVERSATION)
    st.segmented_control(
        "Of", [_CONVERSATION, _LIBRARY], key=SCOPE, required=True, on_change=_chose_scope,
        label_visibility="collapsed",
    )  # fmt: skip
    titles = None
    if work.view.library and work.extent is not None:
        rows = [row for key in work.extent.keys for row in _of_talk(work, key)]
        draw_rest(work.extent)
        titles = work.extent.titles
    else:
        rows = work.decided
    told = Statistics.of(row.decision for row in rows)
    if told.keep_rate is None:
        st.caption("There is no exchange to count.")
        return
    st.markdown(
        f"**{percent(told.keep_rate)} kept:** {told.kept:,} of {counted(told.decided, 'exchange')};"
        f" {told.skipped:,} skipped."
    )
    st.html(_table("Category", told.categories))
    with st.expander("By rule and language"):
        st.html(_table("Decided by", told.rules))
        languages = Counter(row.decision.language for row in rows if row.decision.language)
        if languages:
            named = ", ".join(f"{literal(name)} {number:,}" for name, number in languages.most_common())
            st.caption(f"Languages other than English, French and German, where it mattered: {named}.")
    _draw_defaults(work, rows, told, titles)


def _draw_defaults(
    work: Work, rows: Sequence[Decided], told: Statistics, titles: dict[str, str] | None
) -> None:
    st.markdown(
        f"**Kept by default: {told.kept_by_default:,}**",
        help="Nothing speaks for these but that nothing speaks against them. Look through them: what should"
        " be left out can be made a skip rule, what matters a keep rule with its category.",
    )
    if not told.kept_by_default:
        st.caption("A reason stands behind each exchange that is kept.")
        return
    draw_list(
        work, [row for row in rows if is_default(row.decision)],
        name=f"defaults.{work.view.library}", titles=titles,
    )  # fmt: skip


def _of_talk(work: Work, key: str) -> list[Decided]:
    talk = work.held.talk(key)
    return [] if talk is None else work.decided_in(key, talk)


def _table(heading: str, counts: Mapping[str, Counted]) -> str:
    """Kept and skipped by name as HTML, with bars: filled for kept, hollow for skipped."""
    most = max((one.kept + one.skipped for one in counts.values()), default=1)
    rows = [f"<tr><th>{heading}</th><th>Kept</th><th>Skipped</th><th></th></tr>"]
    for name, one in counts.items():
        bars = "".join(
            f'<i class="{kind}" style="width: {100 * number / most:.2f}%"></i>'
            for kind, number in (("kept", one.kept), ("skipped", one.skipped))
            if number
        )
        told = escape(writable(shortened(name.replace("_", " "), 80)))
        cells = f"<td>{told}</td><td>{one.kept:,}</td><td>{one.skipped:,}</td>"
        rows.append(f'<tr>{cells}<td><div class="bar">{bars}</div></td></tr>')
    return f'<table class="tally">{"".join(rows)}</table>'


def _chose_scope() -> None:
    state.change(library=st.session_state[SCOPE] == _LIBRARY, page=1)
