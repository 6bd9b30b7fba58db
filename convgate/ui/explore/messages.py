"""The messages to send and the decisions, to copy and to download; the settings for an agent."""

from __future__ import annotations

import json

import streamlit as st

from convgate.core.conversation import Conversation, CurrentMessage
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import TranscriptError
from convgate.core.text import pluralize, writable
from convgate.policies.agent_settings import AgentSettings
from convgate.selection.selection import write_selection
from convgate.transcripts import writer_named
from convgate.ui.explore.sharing import draw_sharing
from convgate.ui.shared import services
from convgate.ui.shared.explore_state import ExploreState, page
from convgate.ui.shared.files import draw_agent, draw_download
from convgate.ui.shared.outcome import PolicyOutcome

_MAX_CODE = 200_000  # characters; more would make the browser slow


def draw_messages(state: ExploreState, outcome: PolicyOutcome) -> None:
    """Draw what shares the decisions, and the messages to send when they are open."""
    draw_sharing(state, outcome)
    place = st.expander("Messages to send", icon=":material/send:", **page.control("messages"))
    if place.open:
        with place:
            _draw_messages(state, outcome)


def decisions_json(
    conversation: Conversation, current: CurrentMessage, decisions: TurnDecisions, version: str | None
) -> str:
    """Return the decisions as JSON, one record for each turn; turns count from 0."""
    values = {
        "conversation": conversation.id,
        "turn": current.index,
        "question": current.turn.text if current.index is None else None,
        "policy": decisions.policy,
        "version": version,
        **decisions.to_json(),
    }
    return writable(json.dumps(values, ensure_ascii=False, indent=2, allow_nan=False)) + "\n"


def _draw_messages(state: ExploreState, outcome: PolicyOutcome) -> None:
    selection, conversation = outcome.selection, outcome.message.conversation
    count, tokens = len(selection.messages), selection.tokens
    history = outcome.message.history
    part = f" Selected from the newest {len(history):,} turns." if history.start else ""
    st.caption(
        f"{pluralize(count, 'message')}, {pluralize(tokens, 'token')}, the current message last.{part}"
    )
    settings = services.settings().updated(budget={"tokens": selection.budget})
    agent = AgentSettings.of(outcome.policy, settings, pair_answers=state.pairs)
    transcript_format = writer_named(conversation.format)
    with st.container(horizontal=True):
        st.download_button(
            f"Download as {transcript_format.label}", lambda: _write(outcome),
            file_name=f"selected{transcript_format.suffix}",
            on_click="ignore", icon=":material/download:", key="explore.download_messages",
        )  # fmt: skip
        draw_download(agent, page="explore")
        st.download_button(
            "Download decisions (JSON)",
            lambda: decisions_json(
                conversation, outcome.message.current, outcome.decisions, outcome.version
            ),
            file_name="decisions.json", mime="application/json", on_click="ignore",
            icon=":material/data_object:", key="explore.download_json",
            help="One record a turn, with score, threshold, parts and reason. Turns count from 0.",
        )  # fmt: skip
    code = _write_openai(outcome)
    if len(code) <= _MAX_CODE:
        st.caption("To copy, as OpenAI messages:")
        st.code(code, language="json", height=320, wrap_lines=True)
    draw_agent(agent, asks=bool(state.question), intent=outcome.intent)


def _write(outcome: PolicyOutcome) -> str:
    """Return the messages in the format of the import, else as OpenAI messages."""
    message = outcome.message
    try:
        return writable(write_selection(message.conversation, message.current, outcome.selection))
    except TranscriptError:
        return f"{_write_openai(outcome)}\n"


def _write_openai(outcome: PolicyOutcome) -> str:
    return writable(json.dumps(outcome.selection.messages, ensure_ascii=False, indent=2, default=str))
