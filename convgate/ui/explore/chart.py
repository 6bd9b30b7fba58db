"""The picture: scores over turns, with the threshold, the flips, and the turn that is explained."""

from __future__ import annotations

import streamlit as st

from convgate.figures.layout import CONFIG
from convgate.figures.scores import HEIGHT, RUG_HEIGHT, describe_scores, scores_figure
from convgate.transcripts.characters import writable
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.state import clicked
from convgate.ui.theme import current_palette
from convgate.ui.why import turn_labels

CHART, TIERS = "explore.chart", "explore.tiers"


def draw_chart(outcome: Outcome, selected: int | None) -> None:
    """One mark a turn; a click on one selects it."""
    decisions, flips = outcome.decisions, outcome.flips
    flipped = {int(turn): "flips to kept" for turn in flips.up} if flips else {}
    flipped |= {int(turn): "flips to dropped" for turn in flips.down} if flips else {}
    other = outcome.other.decisions if outcome.other else None
    st.plotly_chart(
        scores_figure(
            decisions,
            labels=turn_labels(outcome.moment.key, outcome.moment.conversation),
            palette=current_palette(),
            selected=selected,
            flipped=flipped,
            show_tiers=bool(st.session_state.get(TIERS)),
            other=other,
            other_label=outcome.other_label,
        ),
        theme=None,
        key=CHART,
        on_select=_clicked,
        selection_mode="points",
        config=CONFIG,
        height=HEIGHT + (RUG_HEIGHT if other is not None else 0),
        alt=writable(describe_scores(decisions, selected=selected, flipped=flipped)),
    )


def _clicked() -> None:
    state.touched()
    if (turn := clicked(CHART)) is not None:
        state.change(selected=turn)
