"""Try it: what the rules in the editor decide about an exchange that a person types."""

from __future__ import annotations

import streamlit as st

from convgate.gatekeeper.checks import check
from convgate.gatekeeper.exchange import Exchange
from convgate.ui.rules import state
from convgate.ui.rules.deciding import with_own
from convgate.ui.rules.looking import limits_of
from convgate.ui.rules.rows import exchange_html
from convgate.ui.rules.work import Work

USER, ASSISTANT = "rules.try_user", "rules.try_assistant"
_LONGEST = 10_000  # characters


def draw_trying(work: Work) -> None:
    """The two fields, and the decision at once."""
    st.subheader("Try it", anchor=False)
    st.text_input(
        "User message", key=USER, live=True, max_chars=_LONGEST, on_change=state.touched,
        placeholder="Never push to main", persist_state="session",
    )  # fmt: skip
    st.text_input(
        "Answer", key=ASSISTANT, live=True, max_chars=_LONGEST, on_change=state.touched,
        placeholder="Understood.", persist_state="session",
    )  # fmt: skip
    exchange = Exchange(st.session_state.get(USER) or "", st.session_state.get(ASSISTANT) or "")
    if not exchange.user.strip():
        st.caption("Type a message to see what becomes of it, by the rules in the editor and the checks.")
        return
    built_in = check(exchange, limits_of(work.app.settings))
    st.html(exchange_html(exchange, with_own(work.shown, built_in, exchange)))
    if work.typed.rules is None:
        st.caption("The text in the editor has problems, so the rules of the file decide here.")
