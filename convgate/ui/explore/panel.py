"""The selected turn: why it is kept or dropped, the parts of its score, links, words, labels."""

from __future__ import annotations

import streamlit as st

from convgate.ui.annotator import draw_annotator, is_asked
from convgate.ui.answering import Answering, draw_answers
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.strip import TIERS
from convgate.ui.frame import App
from convgate.ui.keys import MAKE_CURRENT
from convgate.ui.text import literal
from convgate.ui.turn import Step, draw_steps, draw_turn_head, draw_turn_text, outcome_words
from convgate.ui.why import Explained, draw_parts, draw_why


def draw_neighbours(outcome: Outcome, selected: int) -> None:
    """To the older and the newer turn, and the button that makes this one the message to answer."""
    draw_steps(
        "explore", outcome.moment.conversation, selected, state.select, _make_current(outcome, selected)
    )


def _make_current(outcome: Outcome, selected: int) -> Step:
    return Step(
        "make_current", "make current", MAKE_CURRENT,
        None if selected == outcome.moment.situation.index else selected,
        "Decide as if this turn were the message to answer",
        lambda turn: state.change(turn=turn, question="", selected=None),
    )  # fmt: skip


def draw_panel(app: App, outcome: Outcome, selected: int | None, answering: Answering) -> None:
    """Why this turn is kept or dropped, and the place to say whether it should be."""
    if selected is None:
        st.markdown("**Nothing to explain yet.** There is no turn before the current message.")
        return
    turn = outcome.moment.conversation.turns[selected]
    draw_turn_head(
        "explore", outcome.moment.conversation, selected, state.select, _make_current(outcome, selected),
        reference=outcome.moment.situation.turn.timestamp,
    )  # fmt: skip
    indices = outcome.decisions.indices
    if not len(indices) or not int(indices[0]) <= selected <= int(indices[-1]):
        if selected == outcome.moment.situation.index:
            st.markdown("This is the current message: it is always sent.")
        else:
            st.markdown("This turn comes after the current message, so nothing is decided about it.")
        draw_turn_text(turn)
        return
    decision = outcome.decisions.of(selected)
    word, why = outcome_words(decision.reason)
    st.markdown(f"**{word}:** {literal(why)}")
    _draw_contrast(outcome, selected)
    draw_turn_text(turn)
    _draw_label(app, answering, selected)
    if outcome.gate and decision.parts:
        draw_why(
            Explained("explore", outcome.gate, outcome.moment, outcome.decisions, state.touched), selected
        )
        st.toggle(
            "Both tiers over all turns", key=TIERS, on_change=state.touched, persist_state="session",
            help="Adds the score of each turn alone (tier 1) and among the others (tier 2) to the chart.",
        )  # fmt: skip
    elif decision.parts:  # by a gate in a pipeline, from what the stages before it left
        draw_parts("explore", outcome.decisions, selected)
    elif outcome.decisions.scores is None:
        st.caption("This policy does not score turns, so there are no parts to show.")
    elif decision.score is None:
        st.caption("This turn has no score: it left before the stage that scores.")
    else:
        st.caption("Only the gate's scores are made of parts; this policy has one number.")


def _draw_contrast(outcome: Outcome, selected: int) -> None:
    """What the baseline and the policy that is compared say of the turn, where they say otherwise."""
    flip = outcome.flips.of(selected) if outcome.flips else ""
    if flip:
        arrow, before = ("↑", "drops") if flip == "up" else ("↓", "keeps")
        st.markdown(f":orange-badge[{arrow} flips] The baseline {before} this turn.")
    if outcome.other is not None:
        word, why = outcome_words(outcome.other.decisions.of(selected).reason)
        st.markdown(f":material/compare_arrows: **{outcome.other_label}: {word.lower()}.** {literal(why)}")


def _draw_label(app: App, answering: Answering, selected: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.markdown("**Does it matter to the current message?**", width="content")
        if not is_asked():
            draw_annotator(app)
    if is_asked():
        draw_annotator(app)
    if answering.paused:
        st.warning(literal(answering.paused), icon=":material/pause_circle:")
    if answering.by is None:
        return
    draw_answers(answering, selected)
