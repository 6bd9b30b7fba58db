"""What would be decided if some turns were missing: all others are scored once more."""

from __future__ import annotations

import numpy as np
import streamlit as st

from convgate.core.text import format_score, pluralize
from convgate.messages import turn_tokens
from convgate.messages.units import split_exchanges
from convgate.policies.gate import GatePolicy
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.scoring import decide_without

_MAX_MEASURED = 1_000  # turns that are scored once more without being asked to
_MEASURE = "explore.measure"  # begins the keys of the buttons
_LISTED = 6  # turns that a sentence names


def draw_without(gate: GatePolicy, outcome: PolicyOutcome, selected: int) -> None:
    """Draw what would be decided about the other turns if this one were missing."""
    if len(outcome.message.history) > _MAX_MEASURED and not _is_asked(
        "Measure what changes without this turn", outcome, selected
    ):
        return
    st.markdown(
        f"**Without this turn:** {describe_without(gate, outcome, selected)}",
        help="Measured: all other turns are scored once more, with this one left out.",
    )


def draw_exchange(gate: GatePolicy, outcome: PolicyOutcome) -> None:
    """Draw what would change without the last exchange, once that is asked."""
    history = outcome.message.history
    rows = (split_exchanges(history.turns) or [[]])[-1]
    if not rows or not _is_asked("What is the last exchange worth?", outcome, None):
        return
    turns = [history.start + row for row in rows]
    tokens = pluralize(int(turn_tokens(history.turns)[rows].sum()), "token")
    first, last = (f"{turn + 1:,}" for turn in (turns[0], turns[-1]))
    which = f"turn {first}" if first == last else f"turns {first} to {last}"
    st.markdown(
        f"**Without the last exchange** ({which}, {tokens}): {describe_without(gate, outcome, *turns)}",
        help="Measured: all other turns are scored once more.",
    )


def _is_asked(question: str, outcome: PolicyOutcome, turn: int | None) -> bool:
    """Return whether that is asked of the message; draw the button that asks it, if not."""
    key, what = f"{_MEASURE}.{'exchange' if turn is None else 'turn'}", (outcome.message.labelled, turn)
    asked = st.session_state.get(f"{key}.asked") == what
    if not asked:
        st.button(question, key=key, on_click=lambda: st.session_state.update({f"{key}.asked": what}))
    return asked


def describe_without(gate: GatePolicy, outcome: PolicyOutcome, *missing: int) -> str:
    """Return which other decisions change when turns are missing, and the largest change of a score.

    Within a budget only the score, because what is sent depends on more.
    """
    before, without = outcome.scored, decide_without(gate, outcome.message, *missing)
    others = ~np.isin(before.indices, missing)
    if not others.any() or before.scores is None or without.scores is None:
        return "there is no other turn."
    turns, scores = before.indices[others], before.scores[others]
    up = turns[without.kept & ~before.kept[others]].tolist()
    down = turns[before.kept[others] & ~without.kept].tolist()
    parts = [
        f"{pluralize(len(changed), 'other turn')} would be {verb}"
        f" ({', '.join(f'{turn + 1:,}' for turn in changed[:_LISTED])}{', …' * (len(changed) > _LISTED)})"
        for verb, changed in (("kept", up), ("dropped", down))
        if changed and outcome.selection.budget is None
    ]
    unchanged = "no other decision changes" if outcome.selection.budget is None else "the budget aside"
    row = int(np.abs(without.scores - scores).argmax())
    largest = (
        f"largest change of a score: turn {turns[row] + 1:,},"
        f" {format_score(scores[row])} to {format_score(without.scores[row])}."
    )
    return f"{', '.join(parts) or unchanged}; {largest}"
