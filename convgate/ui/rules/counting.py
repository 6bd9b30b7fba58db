"""Statistics: how much is kept, of which category, by which rule, and what is kept by default."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from html import escape

import streamlit as st

from convgate.figures.hover import percent
from convgate.gatekeeper.statistics import Counted
from convgate.transcripts.characters import writable
from convgate.ui.rules import state
from convgate.ui.rules.changing import draw_rest
from convgate.ui.rules.listing import draw_list
from convgate.ui.rules.looked import Row
from convgate.ui.rules.work import Work
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
        asked = (work.shown, work.extent.keys)
        rows = work.held.last("rows", asked, lambda: work.held.rows(*asked))
        draw_rest(work.extent)
        titles = work.extent.titles
    else:
        rows = work.rows
    if not rows:
        st.caption("There is no exchange to count.")
        return
    kept = sum(1 for row in rows if row.keep)
    st.markdown(
        f"**{percent(kept / len(rows))} kept:** {kept:,} of {counted(len(rows), 'exchange')};"
        f" {len(rows) - kept:,} skipped."
    )
    st.html(_table("Category", tally((row.category, row.keep) for row in rows)))
    with st.expander("By rule and language"):
        st.html(_table("Decided by", tally((_rule(row), row.keep) for row in rows)))
        languages = Counter(language for row in rows if (language := row.built_in.language))
        if languages:
            named = ", ".join(f"{literal(name)} {number:,}" for name, number in languages.most_common())
            st.caption(f"Languages other than English, French and German, where it mattered: {named}.")
    _draw_defaults(work, [row for row in rows if row.is_default], titles)


def tally(decided: Iterable[tuple[str, bool]]) -> dict[str, Counted]:
    """How many are kept and skipped by name, the most frequent first. decided: name, and whether it is kept.

    >>> tally([("other", True), ("greeting", False), ("other", True)])
    {'other': Counted(kept=2, skipped=0), 'greeting': Counted(kept=0, skipped=1)}
    """
    counts = Counter(decided)
    names = sorted(
        {name for name, _ in counts}, key=lambda name: (-counts[name, True] - counts[name, False], name)
    )
    return {name: Counted(counts[name, True], counts[name, False]) for name in names}


def _draw_defaults(work: Work, rows: Sequence[Row], titles: dict[str, str] | None) -> None:
    st.markdown(
        f"**Kept by default: {len(rows):,}**",
        help="Nothing speaks for these but that nothing speaks against them. Look through them: what should"
        " be left out can be made a skip rule, what matters a keep rule with its category.",
    )
    if not rows:
        st.caption("A reason stands behind each exchange that is kept.")
        return
    draw_list(work, rows, name=f"defaults.{work.view.library}", titles=titles)


def _rule(row: Row) -> str:
    """What decided, in words."""
    return f"your rule {row.own[1].pattern}" if row.own else row.built_in.rule


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
