"""The answer first: what is kept, what that saves, by which threshold, in one line of numbers."""

from __future__ import annotations

import streamlit as st

from convgate.figures.activation import activation_words, describe_activation
from convgate.ui.explore.modes import Modes, draw_mode
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.rules import baseline_words, flips_words
from convgate.ui.explore.view import View
from convgate.ui.picking import answered_words
from convgate.ui.text import literal
from convgate.ui.wording import counted
from convgate.versions import UNTRAINED

UNTRAINED_TOLD = (
    "**This gate is untrained.** Its scores follow cosine similarity, and its threshold was never learned:"
    " use it to look around, not to judge what a trained gate would keep."
)


def draw_strip(view: View, title: str, outcome: Outcome, modes: Modes) -> None:
    """What is answered, and: turns, kept, tokens, threshold, gate, policy, mode."""
    decisions, selection = outcome.decisions, outcome.selection
    st.markdown(answered_words(title, outcome.moment.situation))
    total, kept = len(decisions), int(decisions.kept.sum())
    anyway = sum(1 for override in decisions.overrides.values() if override.kept)
    with st.container(horizontal=True, key="explore-strip", gap="medium"):
        st.metric(
            "Earlier turns", f"{total:,}", f"of {len(outcome.moment.conversation):,}", delta_color="off",
            delta_arrow="off", width="content",
        )  # fmt: skip
        told = (
            f"{counted(anyway, 'turn')} kept anyway, whatever the score: instructions, tool calls, limits. "
        )
        against = f"Flips are counted against {baseline_words(view, outcome.own)}." if outcome.own else ""
        st.metric(
            "Kept", f"{kept:,}", flips_words(outcome) if outcome.own else f"{total - kept:,} dropped",
            delta_color="off", delta_arrow="off", width="content",
            help=f"Turns that the model is shown. {told if anyway else ''}{against}",
        )  # fmt: skip
        st.metric(
            "Tokens sent", f"{selection.tokens_kept:,} of {selection.tokens_total:,}", _saved(outcome),
            delta_color="off", delta_arrow="off", width="content",
            help="With the current message; in brackets, against the baseline. Counted by the encoder's word"
            " list, so your model counts otherwise.",
        )  # fmt: skip
        threshold = decisions.threshold if decisions.scores is not None else None
        st.metric(
            "Threshold", "none" if threshold is None else f"{threshold:.2f}",
            outcome.choice.rule.name.replace("_", " ") if outcome.choice else "by the policy",
            delta_color="off", delta_arrow="off", width="content",
            help=literal(decisions.because) if decisions.because else "The lowest score that is kept.",
        )  # fmt: skip
        if decisions.gate_activation is not None:
            st.metric(
                "Gate to tier 2", activation_words(decisions.gate_activation), "context among turns",
                delta_color="off", delta_arrow="off", width="content",
                help=describe_activation(decisions.gate_activation),
            )  # fmt: skip
        st.metric(
            "Policy", outcome.label, literal(outcome.version) if outcome.version else "no weights",
            delta_color="off", delta_arrow="off", width="content",
        )  # fmt: skip
        draw_mode(modes)
    if outcome.version == UNTRAINED:
        st.caption(f":material/info: {UNTRAINED_TOLD}")
    if outcome.other is not None:
        _draw_agreement(outcome)


def _saved(outcome: Outcome) -> str:
    selection, baseline = outcome.selection, outcome.baseline
    share = 1 - selection.tokens_kept / selection.tokens_total if selection.tokens_total else 0.0
    told = f"{share:.0%} saved"
    if baseline is not None and baseline.tokens_kept != selection.tokens_kept:
        difference = selection.tokens_kept - baseline.tokens_kept
        told += f" ({'+' if difference > 0 else '−'}{abs(difference):,})"
    return told


def _draw_agreement(outcome: Outcome) -> None:
    difference, other = outcome.agreement, outcome.other
    assert difference is not None
    assert other is not None
    ours = outcome.label
    st.markdown(
        f":material/compare_arrows: **{outcome.other_label}** agrees on {difference.alike:,} of"
        f" {len(outcome.decisions):,} turns. {ours} alone keeps {len(difference.up):,},"
        f" {outcome.other_label} alone {len(difference.down):,}; it would send {other.tokens_kept:,} tokens."
    )
