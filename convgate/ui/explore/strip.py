"""The answer first: kept turns, tokens, threshold; then the scores over turns."""

from __future__ import annotations

import streamlit as st

from convgate.core.text import pluralize
from convgate.figures.layout import CONFIG
from convgate.figures.parts import activation_words, describe_activation
from convgate.figures.scores import HEIGHT, RUG_HEIGHT, describe_scores, scores_figure
from convgate.transcripts.characters import writable
from convgate.ui.explore import state
from convgate.ui.explore.modes import Modes, mode_number
from convgate.ui.explore.outcome import Outcome
from convgate.ui.explore.rules import baseline_words, flips_words
from convgate.ui.explore.state import View
from convgate.ui.picker import answered_words
from convgate.ui.state import clicked
from convgate.ui.tables import draw_numbers
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.why import turn_labels
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
    told = f"{pluralize(anyway, 'turn')} kept anyway: instructions, tool calls, limits. " if anyway else ""
    against = f"Flips are counted against {baseline_words(view, outcome.own)}." if outcome.own else ""
    threshold = decisions.threshold if decisions.scores is not None else None
    numbers = [
        ("Earlier turns", f"{total:,}", f"of {len(outcome.moment.conversation):,}", ""),
        (
            "Kept", f"{kept:,}", flips_words(outcome) if outcome.own else f"{total - kept:,} dropped",
            f"Turns that the model is shown. {told}{against}",
        ),
        (
            "Tokens sent", f"{selection.tokens_kept:,} of {selection.tokens_total:,}", _saved(outcome),
            "With the current message; in brackets, against the baseline. Counted by the encoder's word list,"
            " so your model counts otherwise.",
        ),
        (
            "Threshold", "none" if threshold is None else f"{threshold:.2f}",
            outcome.choice.rule.name.replace("_", " ") if outcome.choice else "by the policy",
            literal(decisions.because) if decisions.because else "The lowest score that is kept.",
        ),
    ]  # fmt: skip
    if decisions.gate_activation is not None:
        numbers.append(
            (
                "Gate to tier 2", activation_words(decisions.gate_activation), "context among turns",
                describe_activation(decisions.gate_activation),
            )
        )  # fmt: skip
    version = literal(outcome.version) if outcome.version else "no weights"
    numbers.append(("Policy", outcome.label, version, ""))
    draw_numbers([*numbers, *mode_number(modes)], key="explore-strip")
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
