"""The picture: every column's decisions over the turns, one lane above the other."""

from __future__ import annotations

import streamlit as st

from convgate.figures.layout import CONFIG
from convgate.figures.timeline import Event, Lane, describe_timeline, timeline_figure, timeline_height
from convgate.transcripts.characters import writable
from convgate.ui.compare import state
from convgate.ui.compare.made import Compared
from convgate.ui.state import clicked
from convgate.ui.theme import current_palette
from convgate.ui.why import turn_labels

TIMELINE = "compare.timeline"


def draw_timeline(compared: Compared, events: list[Event], selected: int | None) -> None:
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
        theme=None, key=TIMELINE, on_select=_clicked, selection_mode="points", config=CONFIG,
        height=timeline_height(len(lanes), events=bool(events)),
        alt=writable(describe_timeline(lanes, events=events, selected=selected)),
    )  # fmt: skip


def _clicked() -> None:
    state.touched()
    if (turn := clicked(TIMELINE)) is not None:
        state.select(turn)
