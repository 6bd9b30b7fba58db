"""The conversation as a relevance matrix: computed once for each part of a conversation, and kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.embedding.chunks import text_vectors
from convgate.figures.hover import clicked_cell
from convgate.figures.layout import CONFIG
from convgate.figures.matrix import LIMIT, describe_matrix, matrix_figure
from convgate.gate.explain import relevance_matrix
from convgate.gate.facts import facts_of, situation_facts
from convgate.gate.model import Message
from convgate.gate.situation import situation_text
from convgate.policies.gate import GatePolicy
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.measurement import once
from convgate.ui.scoring import Moment
from convgate.ui.state import selected_points
from convgate.ui.theme import current_palette

MATRIX, PART = "explore.matrix", "explore.matrix_part"

Scores = NDArray[np.float32]


@st.cache_resource(max_entries=12, show_spinner=False)  # matrices of 300 × 300 are 360 kB each
def _box(key: str, fingerprint: str, identity: str, start: int) -> dict[str, Any]:
    return {}


def draw_matrix(gate: GatePolicy, outcome: Outcome, selected: int) -> None:
    """Draw each turn as the current one against every turn before it; a click goes there."""
    moment = outcome.moment
    st.caption(
        "Each row is a message, each column a turn before it, with the gate's score. Blue reaches the"
        " threshold. Click a cell to go there."
    )
    start, threshold = _part(moment), outcome.decisions.threshold
    matrix = scores(gate, moment, start)
    current = moment.situation.index
    is_inside = current is not None and start <= selected < current < start + len(matrix)
    cell = (current, selected) if current is not None and is_inside else None
    st.plotly_chart(
        matrix_figure(matrix, start=start, palette=current_palette(), threshold=threshold, selected=cell),
        theme=None, key=MATRIX, config=CONFIG, on_select=_select_clicked, selection_mode="points",
        alt=describe_matrix(matrix, start=start, threshold=threshold),
    )  # fmt: skip


def parts(count: int) -> list[int]:
    """Return where the parts of a long conversation start: each at most LIMIT turns, overlapping by half.

    >>> parts(300), parts(700)
    ([0], [0, 150, 300, 400])
    """
    if count <= LIMIT:
        return [0]
    last = count - LIMIT
    return [*range(0, last, LIMIT // 2), last]


def scores(gate: GatePolicy, moment: Moment, start: int) -> Scores:
    """Return (n, n) the matrix of at most LIMIT turns from `start`; NaN where a turn is not earlier."""

    def work(report: Callable[[str, float], None]) -> Scores:
        report("Scoring every turn against every earlier one …", 0.0)
        conversation = moment.conversation
        stop = min(len(conversation), start + LIMIT)
        rule = gate.gate.config.situation
        situations = [conversation.at(index) for index in range(start, stop)]
        texts = [situation_text(rule, *pair) for pair in situations]
        turns = conversation.turns[start:stop]
        passages = gate.encoder.encode_passages([*(turn.scored_text for turn in turns), *texts])
        vectors, half = text_vectors(passages, gate.gate.config.dimension), stop - start

        def progress(done: int, total: int) -> None:
            if done % 10 == 0:
                report(f"Scored {done:,} of {total:,} turns against all before them …", done / total)

        state = gate.gate.state(vectors[:half], [facts_of(turn) for turn in turns], passages[:half])
        messages = [
            Message(vector, situation_facts(situation))
            for vector, (situation, _) in zip(vectors[half:], situations, strict=True)
        ]
        return relevance_matrix(gate.gate, state, messages, progress=progress)

    return once(_box(moment.key, gate.gate.fingerprint, repr(gate.encoder.identity), start), work)


def _part(moment: Moment) -> int:
    """Return where the shown part starts: around the current message, unless another was chosen."""
    count = len(moment.conversation)
    starts = parts(count)
    if len(starts) == 1:
        return 0
    current = moment.situation.index if moment.situation.index is not None else count - 1
    usual = max(start for start in starts if start == 0 or start <= max(0, current - LIMIT // 2))
    if st.session_state.get(PART) not in starts:
        state.put(PART, usual)
    start: int = st.select_slider(
        "Turns shown", starts, key=PART, on_change=state.touched,
        format_func=lambda start: f"{start + 1:,} to {min(count, start + LIMIT):,}",
    )  # fmt: skip
    return start


def _select_clicked() -> None:
    state.touched()
    cell = clicked_cell([{"customdata": point} for point in selected_points(MATRIX)])
    if cell is not None:
        state.change(turn=cell[0], question="", selected=cell[1])
