"""The table: a row for each turn, a column for each policy; a page of it at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.messages import turn_tokens
from convgate.transcripts.characters import writable
from convgate.ui.compare import state
from convgate.ui.compare.made import Compared
from convgate.ui.compare.reasons import mark
from convgate.ui.compare.state import ALL, DIFFER, View
from convgate.ui.scoring import Moment
from convgate.ui.state import selected_cell
from convgate.ui.text import shortened
from convgate.ui.wording import counted

PER_PAGE = 100
TABLE, ROWS, PAGE, _SHOWN = "compare.table", "compare.rows", "compare.page", "compare.shown"
_TEXT = 200  # characters of a turn
_FEW = 5  # columns that have room for more than their first words


def draw_table(view: View, compared: Compared) -> None:
    """The filter, the rows of the page that the view is on, and the way to the other pages."""
    turns = _draw_filter(view, compared)
    if not len(turns):
        st.caption("There is no such turn: they decide the same.")
        return
    pages = -(-len(turns) // PER_PAGE)
    page = min(view.page, pages)
    here = turns[(page - 1) * PER_PAGE : page * PER_PAGE].tolist()
    st.session_state[_SHOWN] = here
    rows = table_rows(compared, here)
    narrow = st.column_config.Column(width=124 if len(compared.columns) <= _FEW else "small")
    st.dataframe(
        rows, hide_index=True, key=TABLE, height=min(460, 38 + 35 * len(rows)), on_select=_clicked,
        selection_mode="single-cell", column_config={made.name: narrow for made in compared.columns},
        alt=f"What {len(compared.columns)} policies decide about {counted(len(rows), 'turn')}",
    )  # fmt: skip
    extent = f", {here[0] + 1:,} to {here[-1] + 1:,} here" if pages > 1 else ""
    st.caption(
        f"{counted(len(turns), 'turn')}{extent}. ● kept, ○ dropped; ◆ ◇ the same against the policy's choice:"
        " instructions, tool calls, limits; ▲ ▼ unlike the reference. Click a cell to see every reason."
    )
    if pages > 1:
        # A key of each page's own: the page is part of the view, which a filter or a link may change.
        key = f"{PAGE}.{page}.{pages}"
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def table_rows(compared: Compared, turns: list[int]) -> list[dict[str, Any]]:
    """Rows for these turns; turns count from 1 in them."""
    conversation = compared.moment.conversation
    tokens = _tokens(compared.moment)
    rows = []
    for index in turns:
        turn = conversation.turns[index]
        rows.append(
            {
                "turn": index + 1,
                **{made.name: mark(made, index) for made in compared.columns},
                "who": writable(turn.speaker),
                "text": writable(shortened(turn.scored_text.strip(), _TEXT)),
                "tokens": int(tokens[index]),
            }
        )
    return rows


def _draw_filter(view: View, compared: Compared) -> NDArray[np.int64]:
    """Which turns are listed, chosen by a person; with how many there are of each."""
    options = {ALL: ("All turns", compared.indices), DIFFER: ("Where they differ", compared.differ)}
    for made in compared.columns:
        if made.unlike is not None and len(compared.columns) > 2:
            told = f"{made.label} unlike the reference"
            options[made.column.to_text()] = (told, made.unlike.indices)
    chosen = view.rows if view.rows in options else ALL if view.rows == ALL else DIFFER
    state.put(ROWS, chosen)
    st.selectbox(
        "Turns", list(options), key=ROWS, on_change=_filtered, label_visibility="collapsed",
        format_func=lambda name: f"{options[name][0]}: {len(options[name][1]):,}",
    )  # fmt: skip
    return options[chosen][1]


def _tokens(moment: Moment) -> NDArray[np.int64]:
    return _counted(moment.key, moment)


@st.cache_resource(max_entries=16, show_spinner=False)
def _counted(key: str, _moment: Moment) -> NDArray[np.int64]:
    """(turns,) the tokens of each turn of a conversation."""
    return turn_tokens(_moment.conversation.turns)


def _clicked() -> None:
    state.touched()
    cell = selected_cell(TABLE)
    turns: list[int] = st.session_state.get(_SHOWN, [])
    if cell is not None and cell < len(turns):
        state.select(turns[cell])


def _filtered() -> None:
    state.change(rows=st.session_state[ROWS])


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))
