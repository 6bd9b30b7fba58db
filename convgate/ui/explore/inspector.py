"""The inspector of the selected turn: reason, parts of its score, links, words, and the relevance matrix."""

from __future__ import annotations

import math
from html import escape

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from convgate.core.decisions import TurnDecisions
from convgate.core.text import pluralize, truncate, writable
from convgate.evaluation.judged_cases import EvaluationProgress
from convgate.figures.hover import clicked_cell
from convgate.figures.matrix import LIMIT, describe_matrix, matrix_figure
from convgate.figures.modes import SECTION_LABELS
from convgate.figures.parts import (
    describe_activation,
    describe_links,
    describe_tiers,
    describe_waterfall,
    links_figure,
    tiers_figure,
    waterfall_figure,
)
from convgate.gate.explain import WordEffect, relevance_matrix
from convgate.policies.gate import GatePolicy
from convgate.ui.explore.reading import STATES, TYPES
from convgate.ui.shared import scoring
from convgate.ui.shared.annotator import draw_annotator, is_asked
from convgate.ui.shared.answering import Answering, draw_answers
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.keys import MAKE_CURRENT
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.results_cache import compute_once
from convgate.ui.shared.scoring import OpenMessage
from convgate.ui.shared.session_state import selected_points
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.turn import Step, draw_turn_head, draw_turn_text, format_explanation, turn_labels

TABS = ("Why", "Score", "Links", "Words", "Matrix")
MATRIX = "explore.matrix"
_MAX_STATEMENT = 160  # characters


def draw_inspector(
    app: App, state: ExploreState, outcome: PolicyOutcome, selected: int | None, answering: Answering
) -> None:
    """Draw the selected turn, and the tab that is open."""
    if selected is None:
        return
    message = outcome.message
    draw_turn_head(
        "explore", message.conversation, selected, page.select, _make_current(outcome, selected),
        reference=message.current.turn.timestamp,
    )  # fmt: skip
    indices = outcome.decisions.indices
    if not len(indices) or not int(indices[0]) <= selected <= int(indices[-1]):
        if selected == message.current.index:
            st.markdown("This is the current message: it is always sent.")
        elif selected < message.history.start:
            st.markdown("This turn is not read yet, so nothing is decided about it.")
        else:
            st.markdown("This turn comes after the current message, so nothing is decided about it.")
        draw_turn_text(message.conversation.turns[selected])
        return
    shown = state.show if state.show in TABS else TABS[0]
    tabs = st.tabs(TABS, **page.control("show", shown, none=TABS[0]))
    for name, tab in zip(TABS, tabs, strict=True):
        if tab.open:
            with tab:
                _draw_tab(app, name, outcome, selected, answering)


def _draw_tab(app: App, name: str, outcome: PolicyOutcome, selected: int, answering: Answering) -> None:
    decisions, gate = outcome.decisions, outcome.gate
    if name == "Why":
        _draw_reason(outcome, selected)
        draw_turn_text(outcome.message.conversation.turns[selected])
        _draw_label(app, answering, selected)
    elif name == "Score":
        _draw_score(outcome, selected)
    elif gate is None or not decisions.parts:
        st.caption("Only the gate explains this. Choose it as policy.")
    elif name == "Links":
        _draw_links(gate, outcome.message, selected)
    elif name == "Words":
        _draw_words(gate, outcome.message, selected)
    else:
        _draw_matrix(gate, outcome, selected)


def _draw_reason(outcome: PolicyOutcome, selected: int) -> None:
    decision = outcome.decisions.of(selected)
    name = decision.outcome_name
    name = name if name.startswith(decision.outcome) else f"{decision.outcome}, {name}"
    st.markdown(f"**{literal(name.capitalize())}:** {format_explanation(decision.explanation)}")
    facts = [
        f"{SECTION_LABELS[section.name]}, {pluralize(placed.tokens, 'token')}"
        for section in outcome.selection.sections
        for placed in section.turns
        if placed.index == selected
    ]
    if (mode := outcome.labels.get(selected)) is not None:
        facts.append(f"mode {mode.capitalize()}")
    if facts:
        st.caption(" · ".join(facts))
    for invariant in outcome.selection.invariants:
        if invariant.source == selected:
            text = literal(invariant.text, limit=_MAX_STATEMENT)
            st.markdown(f"{STATES[invariant.state]} **{TYPES[invariant.type]}:** “{text}”")
    if flip := outcome.flips.of(selected) if outcome.flips else "":
        arrow, before = ("↑", "drops") if flip == "up" else ("↓", "keeps")
        st.markdown(f":orange-badge[{arrow} flips] The gate's own rule {before} this turn.")


def _draw_score(outcome: PolicyOutcome, selected: int) -> None:
    decision = outcome.decisions.of(selected)
    if decision.parts:
        _draw_parts(outcome.decisions, selected)
    elif outcome.decisions.scores is None:
        st.caption("This policy does not score turns.")
    elif decision.score is None:
        st.caption("This turn has no score: an earlier stage decided about it.")
    else:
        st.caption("Only the gate's scores are made of parts; this policy has one number.")


def _draw_label(app: App, answering: Answering, selected: int) -> None:
    with st.container(horizontal=not is_asked(), vertical_alignment="center", gap="xsmall"):
        st.markdown("**Does it matter to the current message?**", width="content")
        draw_annotator(app)
    if answering.by is not None:
        draw_answers(answering, selected)


def _make_current(outcome: PolicyOutcome, selected: int) -> Step:
    return Step(
        "make_current", "make current", MAKE_CURRENT,
        None if selected == outcome.message.current.index else selected,
        "Decide as if this turn were the message to answer",
        lambda turn: page.change(turn=turn, question="", selected=None),
    )  # fmt: skip


def _draw_parts(decisions: TurnDecisions, turn: int) -> None:
    """Draw what a gate's score of a turn (0-based) is made of."""
    decision = decisions.of(turn)
    parts, threshold = decision.parts, _threshold_logit(decision.threshold)
    palette = current_palette()
    st.markdown("**Parts of the score**")
    figure = waterfall_figure(parts, threshold_logit=threshold, palette=palette)
    draw_figure(figure, "explore.waterfall", describe_waterfall(parts, threshold_logit=threshold))
    st.markdown(
        "**From tier 1 to the final score**", help="Tier 1 scores each turn alone, tier 2 among others."
    )
    figure = tiers_figure(decisions, turn, palette=palette)
    draw_figure(figure, "explore.tiers_of_turn", describe_tiers(decisions, turn))
    if decisions.gate_activation is not None:
        st.caption(describe_activation(decisions.gate_activation))


def _draw_links(gate: GatePolicy, message: OpenMessage, turn: int) -> None:
    """Draw the turns that a turn (0-based) attends to most, with the effect of leaving each out."""
    start = message.history.start
    links = scoring.measure_links(gate, message, turn - start)
    if not links:
        st.caption("This turn attends to no other turn.")
        return
    st.caption("Attention, and how the score changes when that turn is left out (measured).")
    labels = turn_labels(message.key, message.conversation)
    figure = links_figure(links, labels, current_palette(), start=start)
    draw_figure(figure, "explore.links_of_turn", describe_links(links, start=start))


def _draw_words(gate: GatePolicy, message: OpenMessage, turn: int) -> None:
    """Draw the text of a turn (0-based) with the effect of each word on its score."""
    effects = scoring.measure_words(gate, message, turn - message.history.start)
    if not effects:
        st.caption("This turn has no words.")
        return
    limit = " Only the first 60 words were tried." if len(effects) == 60 else ""
    st.caption(
        f"Each word was hidden once. Shaded: without it the score is lower; underlined: higher.{limit}"
    )
    st.html(_words_html(message.conversation.turns[turn].scored_text, effects))


def _words_html(text: str, effects: list[WordEffect]) -> str:
    """Return the text, escaped, each word marked by its effect; what follows the last word tried is plain."""
    strongest = max((abs(effect.effect) for effect in effects), default=0) or 1.0
    pieces, end = [], 0
    for effect in effects:
        share = effect.effect / strongest
        word = escape(text[effect.start : effect.stop])
        if share > 0:
            style = f"background: color-mix(in srgb, currentColor {round(40 * share)}%, transparent)"
        else:
            style = f"text-decoration: underline {max(1, round(3 * -share))}px; text-underline-offset: 3px"
        mark = f'<span style="{style}" title="{effect.effect:+.3f}">{word}</span>'
        pieces += [escape(text[end : effect.start]), mark]
        end = effect.stop
    pieces.append(escape(truncate(text[end:], 300)))
    return f'<div class="turn-words" dir="auto">{writable("".join(pieces))}</div>'


def _threshold_logit(threshold: float | None) -> float | None:
    """Return the threshold on the scale of the parts; None where it has none.

    >>> _threshold_logit(0.5), _threshold_logit(1.0), _threshold_logit(None)
    (0.0, None, None)
    """
    if threshold is None or not 0 < threshold < 1:
        return None
    return math.log(threshold / (1 - threshold))


def _draw_matrix(gate: GatePolicy, outcome: PolicyOutcome, selected: int) -> None:
    """Draw each turn as the current one against every turn before it; a click goes there."""
    message = outcome.message
    st.caption(
        "Each row is a message, each column a turn before it, with the gate's score. Blue reaches the"
        " threshold. Click a cell to go there."
    )
    current, count = message.current.index, len(message.conversation)
    start = first_turn(count, count - 1 if current is None else current)
    threshold, matrix = outcome.decisions.threshold, compute_scores(gate, message, start)
    is_inside = current is not None and start <= selected < current < start + len(matrix)
    cell = (current, selected) if current is not None and is_inside else None
    palette = current_palette()
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
