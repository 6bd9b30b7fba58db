"""The relevance matrix: each turn as the current one against every turn before it."""

from __future__ import annotations

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.figures.hover import clicked_cell
from convgate.figures.matrix import LIMIT, describe_matrix, matrix_figure
from convgate.gate.explain import relevance_matrix
from convgate.policies.gate import GatePolicy
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.explore_state import page
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.results_cache import compute_once
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import selected_points
from convgate.ui.shared.theme import current_palette

MATRIX = "explore.matrix"


def draw_matrix(gate: GatePolicy, outcome: PolicyOutcome, selected: int) -> None:
    """Draw each turn as the current one against every turn before it; a click goes there."""
    message = outcome.message
    current, count = message.current.index, len(message.conversation)
    start = first_turn(count, count - 1 if current is None else current)
    threshold, matrix = outcome.decisions.threshold, compute_scores(gate, message, start)
    is_inside = current is not None and start <= selected < current < start + len(matrix)
    cell = (current, selected) if current is not None and is_inside else None
    palette = current_palette()
    colours = "Darker blue is a higher score." if threshold is None else "Blue reaches the threshold."
    st.caption(f"Each row is a message, each column a turn before it. {colours} Click a cell to go there.")
    figure = matrix_figure(matrix, start=start, palette=palette, threshold=threshold, selected=cell)
    words = describe_matrix(matrix, start=start, threshold=threshold)
    draw_figure(figure, MATRIX, words, on_click=_select_clicked)


def first_turn(count: int, current: int) -> int:
    """Return the first of the at most LIMIT turns that are shown; it moves in steps, so that matrices recur.

    >>> first_turn(300, 299), first_turn(700, 320), first_turn(700, 699)
    (0, 150, 400)
    """
    step = LIMIT // 2
    return max(0, min((current // step - 1) * step, count - LIMIT))


def compute_scores(gate: GatePolicy, message: OpenMessage, start: int) -> NDArray[np.float32]:
    """Return (n, n) the matrix of at most LIMIT turns from `start`; NaN where a turn is not earlier."""

    def work(report: EvaluationProgress) -> NDArray[np.float32]:
        report("Encoding messages", 0, 1)
        conversation = message.conversation
        stop = min(len(conversation), start + LIMIT)
        current_messages = [conversation.at(index) for index in range(start, stop)]
        turns = gate.read_turns(conversation.turns[start:stop])
        messages = [gate.read_message(current) for current, _ in current_messages]

        def progress(done: int, total: int) -> None:
            if done % 10 == 0:
                report("Scoring every turn against every earlier one", done, total)

        return relevance_matrix(gate.gate, gate.gate.state(*turns), messages, progress=progress)

    return compute_once(
        f"matrix {message.key} {gate.gate.fingerprint} {gate.encoder.identity!r} {start}", work
    )


def _select_clicked() -> None:
    cell = clicked_cell([{"customdata": point} for point in selected_points(MATRIX)])
    if cell is not None:
        page.change(turn=cell[0], question="", selected=cell[1])
