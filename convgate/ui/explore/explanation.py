"""The explanation of a turn's score: its parts, its links, and the effects of its words."""

from __future__ import annotations

import math
from html import escape
from pathlib import Path

import streamlit as st

from convgate.core.decisions import TurnDecisions
from convgate.core.text import truncate, writable
from convgate.figures.layout import CONFIG
from convgate.figures.parts import (
    describe_activation,
    describe_links,
    describe_tiers,
    describe_waterfall,
    links_figure,
    tiers_figure,
    waterfall_figure,
)
from convgate.gate.explain import WordEffect
from convgate.policies.gate import GatePolicy
from convgate.ui import scoring
from convgate.ui.scoring import OpenMessage
from convgate.ui.theme import current_palette
from convgate.ui.turn import turn_labels

_STYLE = Path(__file__).with_name("explanation.css")


def draw_parts(decisions: TurnDecisions, turn: int) -> None:
    """Draw what a gate's score of a turn (0-based) is made of."""
    decision = decisions.of(turn)
    parts, threshold = decision.parts, threshold_logit(decision.threshold)
    palette = current_palette()
    st.markdown("**Parts of the score**")
    st.plotly_chart(
        waterfall_figure(parts, threshold_logit=threshold, palette=palette), theme=None, config=CONFIG,
        key="explore.waterfall", alt=describe_waterfall(parts, threshold_logit=threshold),
    )  # fmt: skip
    st.markdown(
        "**From tier 1 to the final score**", help="Tier 1 scores each turn alone, tier 2 among others."
    )
    st.plotly_chart(
        tiers_figure(decisions, turn, palette=palette), theme=None, config=CONFIG,
        key="explore.tiers_of_turn", alt=describe_tiers(decisions, turn),
    )  # fmt: skip
    if decisions.gate_activation is not None:
        st.caption(describe_activation(decisions.gate_activation))


def draw_links(gate: GatePolicy, message: OpenMessage, turn: int) -> None:
    """Draw the turns that a turn (0-based) attends to most, with the effect of leaving each out."""
    start = message.history.start
    links = scoring.measure_links(gate, message, turn - start)
    if not links:
        st.caption("This turn attends to no other turn.")
        return
    st.caption("Attention, and how the score changes when that turn is left out (measured).")
    st.plotly_chart(
        links_figure(links, turn_labels(message.key, message.conversation), current_palette(), start=start),
        theme=None, config=CONFIG, key="explore.links_of_turn", alt=describe_links(links, start=start),
    )  # fmt: skip


def draw_words(gate: GatePolicy, message: OpenMessage, turn: int) -> None:
    """Draw the text of a turn (0-based) with the effect of each word on its score."""
    st.html(_STYLE)
    effects = scoring.measure_words(gate, message, turn - message.history.start)
    if not effects:
        st.caption("This turn has no words.")
        return
    limit = " Only the first 60 words were tried." if len(effects) == 60 else ""
    st.caption(
        f"Each word was hidden once. Shaded: without it the score is lower; underlined: higher.{limit}"
    )
    st.html(words_html(message.conversation.turns[turn].scored_text, effects))


def words_html(text: str, effects: list[WordEffect]) -> str:
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


def threshold_logit(threshold: float | None) -> float | None:
    """Return the threshold on the scale of the parts; None where it has none.

    >>> threshold_logit(0.5), threshold_logit(1.0), threshold_logit(None)
    (0.0, None, None)
    """
    if threshold is None or not 0 < threshold < 1:
        return None
    return math.log(threshold / (1 - threshold))
