"""One click makes a rule: of a message, or of words that a person typed."""

from __future__ import annotations

import streamlit as st

from convgate.gatekeeper.decision import SKIP
from convgate.gatekeeper.exchange import Exchange
from convgate.transcripts.characters import writable
from convgate.ui.rules import state
from convgate.ui.rules.adding import line_of, pattern_of, pattern_of_words, with_rule
from convgate.ui.rules.draft import DRAFT, Draft, checked, put_text
from convgate.ui.text import literal, shortened

NOTE = "rules.note"
"""What was just done, told once."""

WORDS = "rules.words"
_QUOTED = 50  # characters of the message that a reason quotes


def make_rule(exchange: Exchange, outcome: str) -> None:
    """Put a rule for messages like this one into the editor; for callbacks."""
    pattern = pattern_of(exchange.user)
    if pattern is not None:
        _add(outcome, pattern, f"says “{_quoted(exchange.user)}”")


def make_rule_of_words(outcome: str) -> None:
    """Put a rule for the words that were typed into the editor; for callbacks."""
    words = st.session_state.get(WORDS) or ""
    pattern = pattern_of_words(words)
    if pattern is None:
        tell("Type the words first.")
        return
    st.session_state[WORDS] = ""
    _add(outcome, pattern, f"mentions “{_quoted(words)}”")


def tell(note: str) -> None:
    """Have a sentence shown once, when the page is drawn next."""
    st.session_state[NOTE] = note
    state.touched()


def _add(outcome: str, pattern: str, reason: str) -> None:
    draft: Draft = st.session_state[DRAFT]
    rules = checked(draft.text).rules
    if rules is not None and (
        there := next((r for r in (*rules.skip_patterns, *rules.keep_patterns) if r.pattern == pattern), None)
    ):
        tell(f"There is a rule with the pattern {literal(pattern, limit=80)} already, in line {there.line}.")
        return
    text = with_rule(draft.text, outcome, pattern, reason)
    put_text(text, reveal=line_of(text, pattern))
    verb = "skip" if outcome == SKIP else "keep"
    tell(f"Put into the editor, to {verb}: {literal(pattern, limit=80)}. Look at what it changes, then save.")


def _quoted(text: str) -> str:
    return shortened(" ".join(writable(text).split()), _QUOTED)
