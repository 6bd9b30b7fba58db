"""Columns on one conversation: summary, timeline, one turn, the table, agreement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.errors import ConvgateError
from convgate.core.text import format_number, format_share, pluralize, truncate
from convgate.figures.layout import CONFIG
from convgate.figures.timeline import Event, Lane, describe_timeline, timeline_figure, timeline_height
from convgate.messages import turn_tokens
from convgate.transcripts.characters import writable
from convgate.ui.changes import following
from convgate.ui.compare import state
from convgate.ui.compare.choosing import draw_choosing, draw_too_few
from convgate.ui.compare.columns import choice_of, chooser_of, is_gate
from convgate.ui.compare.decisions import (
    Agreement,
    ColumnDecisions,
    Comparison,
    agreement,
    decide_all,
    events_of,
)
from convgate.ui.compare.state import ALL, DIFFER, View
from convgate.ui.explore.state import View as ExploreView
from convgate.ui.frame import App
from convgate.ui.keys import NEXT_DIFFERENT
from convgate.ui.navigation import EXPLORE
from convgate.ui.page_state import draw_problems
from convgate.ui.picker import Picker
from convgate.ui.scoring import Moment
from convgate.ui.state import clicked, selected_cell
from convgate.ui.tables import markdown_table
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.turn import Step, draw_turn_head, draw_turn_text, outcome_words, turn_labels

_LABEL = 60  # characters of a column's name


def draw_summary(compared: Comparison) -> None:
    """Kept, tokens, what is unlike the reference, and the time that it took."""
    against, total = compared.against, len(compared.indices)
    found = agreement(compared.kept)
    reference = compared.columns.index(against)
    told = literal(against.label, limit=_LABEL)
    head = ("", "Kept", "Tokens sent", "Saved", "Agrees", "Only it keeps", "Only the reference")
    rows = [_row(made, place, found, reference, total) for place, made in enumerate(compared.columns)]
    with st.container(key="compare-summary"):
        st.markdown(markdown_table(head, rows, numbers=True))
    st.caption(
        f"Of {total:,} earlier turns, made a valid list. The reference is {told}: the share of turns"
        " decided like it, with Cohen's kappa; turns that only one of the two keeps. Tokens are counted with"
        " the current message."
    )


def _row(made: ColumnDecisions, place: int, found: Agreement, reference: int, total: int) -> tuple[str, ...]:
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
        return (f"{name} :small[reference]", *start, "–", "–", "–")
    kappa = float(found.kappa[place, reference])
    beside = "" if kappa != kappa else f" :small[κ {format_number(kappa)}]"
    return (
        name,
        *start,
        f"{format_share(float(found.alike[place, reference]))}{beside}",
        f"{len(made.unlike.up):,}",
        f"{len(made.unlike.down):,}",
    )


TIMELINE = "compare.timeline"


def draw_timeline(compared: Comparison, events: list[Event], selected: int | None) -> None:
    """One mark a turn and column; a click on one selects the turn. The reference stands on top."""
    moment = compared.moment
    columns = sorted(compared.columns, key=lambda made: made is not compared.against)
    lanes = [
        Lane(made.name, made.decisions, () if made.unlike is None else made.unlike.indices.tolist())
        for made in columns
    ]
    st.plotly_chart(
        timeline_figure(
            lanes, labels=turn_labels(moment.key, moment.conversation), palette=current_palette(),
            events=events, selected=selected,
        ),
        theme=None, key=TIMELINE, on_select=_clicked_timeline, selection_mode="points", config=CONFIG,
        height=timeline_height(len(lanes), events=bool(events)),
        alt=writable(describe_timeline(lanes, events=events, selected=selected)),
    )  # fmt: skip


def _clicked_timeline() -> None:
    state.touched()
    if (turn := clicked(TIMELINE)) is not None:
        state.select(turn)


_LABEL = 60  # characters of a column's name
_ACROSS = 4  # sentences side by side


def draw_reasons(view: View, compared: Comparison, selected: int) -> None:
    """The turn, and each column's sentence about it."""
    moment = compared.moment
    turn = moment.conversation.turns[selected]
    different = following(compared.differ, selected)
    label, help = f"differ {len(compared.differ):,}", "The next turn on which the columns differ"
    draw_turn_head(
        "compare", moment.conversation, selected, state.select,
        Step("next_different", label, NEXT_DIFFERENT, different, help),
        reference=moment.situation.turn.timestamp,
    )  # fmt: skip
    indices = compared.indices
    if not len(indices) or not int(indices[0]) <= selected <= int(indices[-1]):
        is_current = selected == moment.situation.index
        st.markdown(
            "This is the current message: it is always sent."
            if is_current
            else "This turn comes after the current message, so nothing is decided about it."
        )
        draw_turn_text(turn)
        return
    draw_turn_text(turn)
    count = len(compared.columns)
    across = count if count <= _ACROSS else 3 if count % _ACROSS in (1, 2) else _ACROSS
    for start in range(0, count, across):
        for place, made in zip(st.columns(across), compared.columns[start : start + across], strict=False):
            with place:
                _draw_reason(view, compared, made, selected)


def mark(made: ColumnDecisions, index: int) -> str:
    """What a column makes of a turn, by shape and in words: filled is kept, a diamond was forced.

    An arrow says that it is unlike the reference.
    """
    decisions = made.decisions
    kept = bool(decisions.kept[index - int(decisions.indices[0])])
    forced = index in decisions.overrides
    shape = ("◆" if kept else "◇") if forced else ("●" if kept else "○")
    flip = made.unlike.of(index) if made.unlike is not None else ""
    return f"{shape} {'kept' if kept else 'dropped'}{_ARROWS[flip]}"


_ARROWS = {"up": " ▲", "down": " ▼", "": ""}


def explore_query(view: View, compared: Comparison, made: ColumnDecisions, turn: int) -> dict[str, str]:
    """The address of the turn in Explore, decided by that column.

    What is set of a gate goes with it; what is set of another policy Explore has from the settings.
    """
    return ExploreView(
        compared.moment.key,
        compared.moment.situation.index,
        view.question,
        selected=turn,
        policy=chooser_of(made.column),
        choice=choice_of(made.column) if is_gate(made.column) else None,
    ).to_query()


def _draw_reason(view: View, compared: Comparison, made: ColumnDecisions, selected: int) -> None:
    decision = made.decisions.of(selected)
    word, why = outcome_words(decision.reason)
    flip = made.unlike.of(selected) if made.unlike is not None else ""
    badge = f" :orange-badge[{_ARROWS[flip].strip()} unlike the reference]" if flip else ""
    other = made.column.parameters and not is_gate(made.column)
    with st.container(border=True, gap=None):
        st.page_link(
            EXPLORE, label=f"{made.number} **{literal(made.label, limit=_LABEL)}**",
            icon=":material/query_stats:", width="stretch",
            query_params=explore_query(view, compared, made, selected),
            help="Opens this turn in Explore" + (", the policy as the settings have it" if other else ""),
        )  # fmt: skip
        with st.container(horizontal=True, wrap=False, gap=None):
            st.space(8)  # a link's padding
            st.markdown(f"{mark(made, selected)[0]} **{literal(word)}:** {literal(why)}{badge}")


PER_PAGE = 100
TABLE, _SHOWN = "compare.table", "compare.shown"
_TEXT = 200  # characters of a turn
_FEW = 5  # columns that have room for more than their first words


def draw_table(view: View, compared: Comparison) -> None:
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
        alt=f"What {len(compared.columns)} policies decide about {pluralize(len(rows), 'turn')}",
    )  # fmt: skip
    extent = f", {here[0] + 1:,} to {here[-1] + 1:,} here" if pages > 1 else ""
    st.caption(
        f"{pluralize(len(turns), 'turn')}{extent}. ● kept, ○ dropped; ◆ ◇ the same against the policy's choice:"
        " instructions, tool calls, limits; ▲ ▼ unlike the reference. Click a cell to see every reason."
    )
    state.page.draw_pages(len(turns), PER_PAGE, page)


def table_rows(compared: Comparison, turns: list[int]) -> list[dict[str, Any]]:
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
                "text": writable(truncate(turn.scored_text.strip(), _TEXT)),
                "tokens": int(tokens[index]),
            }
        )
    return rows


def _draw_filter(view: View, compared: Comparison) -> NDArray[np.int64]:
    """Which turns are listed, chosen by a person; with how many there are of each."""
    options = {ALL: ("All turns", compared.indices), DIFFER: ("Where they differ", compared.differ)}
    for made in compared.columns:
        if made.unlike is not None and len(compared.columns) > 2:
            told = f"{made.label} unlike the reference"
            options[made.column.to_text()] = (told, made.unlike.indices)
    chosen = view.rows if view.rows in options else ALL if view.rows == ALL else DIFFER
    st.selectbox(
        "Turns", list(options), label_visibility="collapsed", **state.page.control("rows", chosen),
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


_PICKER = Picker("compare", state.change, state.open_conversation)


def draw_talk(app: App, view: View, choosers: Mapping[str, str]) -> None:
    """The choice of conversation, message and columns, then how they differ."""
    picked = _PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        return
    key, conversation = picked
    view, missing = view.showing(key).within(conversation)
    state.keep(view)
    draw_problems(missing)
    moment = _PICKER.pick_moment(key, conversation, view.turn, view.question)
    labels = draw_choosing(app, view, choosers)
    if draw_too_few(view):
        return
    against = view.against
    assert against is not None
    compared, failed = decide_all(app, view.policies, against, labels, moment)
    for label, error in failed.items():
        draw_failed(label, error)
    if compared is None:
        return
    if not len(compared.indices):
        st.info(
            "Nothing to decide: this message is the first turn, so nothing stands before it to keep or drop."
            " Choose a later message on the left.",
            icon=":material/first_page:",
        )
        return
    _draw_compared(app, view, compared)


def draw_failed(label: str, error: ConvgateError) -> None:
    """Why a column cannot decide; the others go on."""
    st.error(f"**{literal(label, limit=80)}** is left out: {literal(str(error))}", icon=":material/error:")


def _draw_compared(app: App, view: View, compared: Comparison) -> None:
    draw_summary(compared)
    selected = _first_shown(compared) if view.selected is None else view.selected
    draw_timeline(compared, events_of(app, compared.moment), selected)
    draw_reasons(view, compared, selected)
    draw_table(view, compared)


def _first_shown(compared: Comparison) -> int:
    """The newest turn that not all decide alike, else the newest."""
    differ = compared.differ
    return int(differ[-1] if len(differ) else compared.indices[-1])
