"""One turn: what every column makes of it and why, side by side, each a way into Explore."""

from __future__ import annotations

import streamlit as st

from convgate.conversation import Turn
from convgate.figures.hover import on_screen
from convgate.ui.compare import state
from convgate.ui.compare.columns import choice_of, chooser_of, is_gate
from convgate.ui.compare.made import Compared, Made
from convgate.ui.compare.state import View
from convgate.ui.explore.state import View as ExploreView
from convgate.ui.keys import NEWER, NEXT_DIFFERENT, OLDER
from convgate.ui.navigation import EXPLORE
from convgate.ui.steps import following
from convgate.ui.text import literal
from convgate.ui.transcript.rows import when
from convgate.ui.turn_text import draw_turn_text

_LABEL = 60  # characters of a column's name
_ACROSS = 4  # sentences side by side


def draw_reasons(view: View, compared: Compared, selected: int) -> None:
    """The turn, and each column's sentence about it."""
    moment = compared.moment
    turn = moment.conversation.turns[selected]
    _draw_head(compared, selected, turn)
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


def mark(made: Made, index: int) -> str:
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


def explore_query(view: View, compared: Compared, made: Made, turn: int) -> dict[str, str]:
    """The address of the turn in Explore, decided by that column, with the reference beside it.

    What is set of a gate goes with it; what is set of another policy Explore has from the settings.
    """
    chooser, against = chooser_of(made.column), chooser_of(compared.against.column)
    return ExploreView(
        compared.moment.key,
        compared.moment.situation.index,
        view.question,
        selected=turn,
        policy=chooser,
        choice=choice_of(made.column) if is_gate(made.column) else None,
        compare=None if against == chooser else against,
    ).to_query()


def _draw_reason(view: View, compared: Compared, made: Made, selected: int) -> None:
    decision = made.decisions.of(selected)
    word, _, why = on_screen(decision.reason).partition(": ")
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


def _draw_head(compared: Compared, selected: int, turn: Turn) -> None:
    told, exact = when(turn.timestamp, compared.moment.situation.turn.timestamp)
    who = literal(turn.speaker, limit=60) + (f" · {literal(turn.role)}" if turn.name else "")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.subheader(f"Turn {selected + 1:,}", anchor=False, width="content")
        st.caption(" · ".join(part for part in (who, told) if part), help=exact or None, width="stretch")
    count, different = len(compared.moment.conversation), following(compared.differ, selected)
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "older", key="compare.older", shortcut=OLDER, disabled=selected == 0,
            on_click=state.select, args=(selected - 1,),
        )  # fmt: skip
        st.button(
            "newer", key="compare.newer", shortcut=NEWER, disabled=selected == count - 1,
            on_click=state.select, args=(selected + 1,),
        )  # fmt: skip
        st.button(
            f"differ {len(compared.differ):,}", key="compare.next_different", shortcut=NEXT_DIFFERENT,
            disabled=different is None, on_click=state.select, args=(different,),
            help="The next turn that not all decide alike",
        )  # fmt: skip
