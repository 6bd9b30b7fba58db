"""The why of one turn: the sentence, the parts of its score, both tiers, links, words."""

from __future__ import annotations

import math
from html import escape

import streamlit as st

from convgate.conversation import Turn
from convgate.decisions import TurnDecision
from convgate.figures.activation import describe_activation
from convgate.figures.layout import CONFIG
from convgate.figures.links import describe_links, links_figure
from convgate.figures.tiers import describe_tiers, tiers_figure
from convgate.figures.waterfall import describe_waterfall, waterfall_figure
from convgate.gate.explain import WordEffect, named_parts
from convgate.policies.gate import GatePolicy
from convgate.transcripts.characters import writable
from convgate.ui.explore import scoring, state
from convgate.ui.explore.chart import TIERS, turn_labels
from convgate.ui.explore.keys import MAKE_CURRENT, NEWER, OLDER
from convgate.ui.explore.outcome import Outcome
from convgate.ui.text import literal, shortened, show_text
from convgate.ui.theme import current_palette
from convgate.ui.transcript.rows import when

LINKS, WORDS = "explore.links", "explore.words"
_TEXT = 4_000  # characters of the turn in the panel; the transcript has all of it


def draw_panel(outcome: Outcome, selected: int | None) -> None:
    """Why this turn is kept or dropped."""
    if selected is None:
        st.markdown("**Nothing to explain yet.** There is no turn before the current message.")
        return
    turn = outcome.moment.conversation.turns[selected]
    _draw_head(outcome, selected, turn)
    indices = outcome.decisions.indices
    if not len(indices) or not int(indices[0]) <= selected <= int(indices[-1]):
        if selected == outcome.moment.situation.index:
            st.markdown("This is the current message: it is always sent.")
        else:
            st.markdown("This turn comes after the current message, so nothing is decided about it.")
        _draw_text(turn)
        return
    decision = outcome.decisions.of(selected)
    outcome_word, _, why = decision.reason.partition(": ")
    st.markdown(f"**{outcome_word}:** {literal(why)}")
    _draw_contrast(outcome, selected)
    _draw_text(turn)
    if outcome.gate and decision.parts:
        _draw_parts(outcome, outcome.gate, decision)
        _draw_links(outcome, selected)
        _draw_words(outcome, selected, turn)
    elif decision.score is None:
        st.caption("This policy does not score turns, so there are no parts to show.")
    else:
        st.caption("Only the gate's scores are made of parts; this policy has one number.")


def _draw_head(outcome: Outcome, selected: int, turn: Turn) -> None:
    told, exact = when(turn.timestamp, outcome.moment.situation.turn.timestamp)
    count = len(outcome.moment.conversation)
    who = literal(turn.speaker, limit=60) + (f" · {literal(turn.role)}" if turn.name else "")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="explore-head"):
        st.subheader(f"Turn {selected + 1:,}", anchor=False, width="content")
        st.caption(" · ".join(part for part in (who, told) if part), help=exact or None, width="stretch")
    with st.container(horizontal=True, gap="xsmall", key="explore-neighbours"):
        st.button(
            "older", key="explore.older", shortcut=OLDER, disabled=selected == 0,
            on_click=_select, args=(selected - 1,), help=_neighbour(outcome, selected - 1),
        )  # fmt: skip
        st.button(
            "newer", key="explore.newer", shortcut=NEWER, disabled=selected == count - 1,
            on_click=_select, args=(selected + 1,), help=_neighbour(outcome, selected + 1),
        )  # fmt: skip
        st.button(
            "make current", key="explore.make_current", shortcut=MAKE_CURRENT,
            disabled=selected == outcome.moment.situation.index, on_click=_make_current, args=(selected,),
            help="Decide as if this turn were the message to answer",
        )  # fmt: skip


def _draw_contrast(outcome: Outcome, selected: int) -> None:
    """What the baseline and the policy that is compared say of the turn, where they say otherwise."""
    flip = outcome.flips.of(selected) if outcome.flips else ""
    if flip:
        arrow, before = ("↑", "drops") if flip == "up" else ("↓", "keeps")
        st.markdown(f":orange-badge[{arrow} flips] The baseline {before} this turn.")
    if outcome.other is not None:
        word, _, why = outcome.other.decisions.of(selected).reason.partition(": ")
        why = literal(why[:1].upper() + why[1:])
        st.markdown(f":material/compare_arrows: **{outcome.other_label}: {word.lower()}.** {why}")


def _draw_text(turn: Turn) -> None:
    text = turn.scored_text.strip()
    with st.container(key="explore-text"):
        if text:
            show_text(text, limit=_TEXT)
        else:
            st.caption("This turn has no text.")


def _draw_parts(outcome: Outcome, gate: GatePolicy, decision: TurnDecision) -> None:
    row = decision.item - int(outcome.decisions.indices[0])
    parts = named_parts(scoring.scored(gate, outcome.moment).scores, row)
    threshold = threshold_logit(decision.threshold)
    palette = current_palette()
    st.markdown("**What the score is made of**")
    st.plotly_chart(
        waterfall_figure(parts, threshold_logit=threshold, palette=palette), theme=None, config=CONFIG,
        key="explore.waterfall", alt=describe_waterfall(parts, threshold_logit=threshold),
    )  # fmt: skip
    st.markdown(
        "**From tier 1 to the final score**", help="Tier 1 scores each turn alone, tier 2 among others."
    )
    st.plotly_chart(
        tiers_figure(outcome.decisions, decision.item, palette=palette), theme=None, config=CONFIG,
        key="explore.tiers_of_turn", alt=describe_tiers(outcome.decisions, decision.item),
    )  # fmt: skip
    if outcome.decisions.gate_activation is not None:
        st.caption(describe_activation(outcome.decisions.gate_activation))
    st.toggle(
        "Both tiers over all turns", key=TIERS, on_change=state.touched, persist_state="session",
        help="Adds the score of each turn alone (tier 1) and among the others (tier 2) to the chart.",
    )  # fmt: skip


def _draw_links(outcome: Outcome, selected: int) -> None:
    place = st.expander("Strongest links", key=LINKS, on_change=state.touched, icon=":material/share:")
    if not place.open:
        return
    gate, moment = outcome.gate, outcome.moment
    assert gate is not None
    start = int(outcome.decisions.indices[0])
    with place:
        found = scoring.links(gate, moment, selected - start)
        if not found:
            st.caption("There is no other turn to attend to.")
            return
        st.caption(
            "Attention is no proof. Beside it stands what leaving that turn out really does to this score:"
            " measured, by scoring again."
        )
        labels = turn_labels(moment.key, moment.conversation)
        st.plotly_chart(
            links_figure(found, labels, current_palette(), start=start), theme=None, config=CONFIG,
            key="explore.links_of_turn", alt=describe_links(found, start=start),
        )  # fmt: skip


def _draw_words(outcome: Outcome, selected: int, turn: Turn) -> None:
    place = st.expander(
        "Words that count", key=WORDS, on_change=state.touched, icon=":material/format_color_text:"
    )
    if not place.open:
        return
    gate = outcome.gate
    assert gate is not None
    with place:
        effects = scoring.words(gate, outcome.moment, selected - int(outcome.decisions.indices[0]))
        if not effects:
            st.caption("This turn has no words.")
            return
        st.caption(
            "Each word was hidden once. Blue: without it the turn would score lower; underlined: higher."
            f"{' Only the first words were tried.' if len(effects) == 60 else ''}"
        )
        st.html(words_html(turn.scored_text, effects))


def words_html(text: str, effects: list[WordEffect]) -> str:
    """The text, escaped, each word coloured by its effect; what follows the last word tried is plain."""
    strongest = max((abs(effect.effect) for effect in effects), default=0) or 1.0
    pieces, end = [], 0
    for effect in effects:
        share = effect.effect / strongest
        word = escape(text[effect.start : effect.stop])
        told = f"{effect.effect:+.3f}"
        if share > 0:
            style = f"background: color-mix(in srgb, var(--explore-kept) {round(55 * share)}%, transparent)"
        else:
            style = f"text-decoration: underline {max(1, round(3 * -share))}px; text-underline-offset: 3px"
        pieces += [escape(text[end : effect.start]), f'<span style="{style}" title="{told}">{word}</span>']
        end = effect.stop
    pieces.append(escape(shortened(text[end:], 300)))
    return f'<div class="explore-words" dir="auto">{writable("".join(pieces))}</div>'


def threshold_logit(threshold: float | None) -> float | None:
    """The threshold on the scale of the parts; None where it has none.

    >>> threshold_logit(0.5), threshold_logit(1.0), threshold_logit(None)
    (0.0, None, None)
    """
    if threshold is None or not 0 < threshold < 1:
        return None
    return math.log(threshold / (1 - threshold))


def _neighbour(outcome: Outcome, index: int) -> str | None:
    turns = outcome.moment.conversation.turns
    if not 0 <= index < len(turns):
        return None
    return f"Turn {index + 1}: {literal(turns[index].scored_text, limit=120)}"


def _select(turn: int) -> None:
    state.change(selected=turn)


def _make_current(turn: int) -> None:
    state.change(turn=turn, question="", selected=None)
