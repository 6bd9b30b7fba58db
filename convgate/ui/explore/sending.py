"""The messages that a model is sent, with tokens and price, to read, copy and download."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import streamlit as st

from convgate.core.conversation import Conversation, CurrentMessage
from convgate.core.decisions import TurnDecisions
from convgate.core.errors import TranscriptError
from convgate.core.text import format_dollars, pluralize, writable
from convgate.costs.prices import DEFAULT_MODEL, Usage, find_price
from convgate.messages import turn_tokens
from convgate.policies.agent_settings import AgentSettings
from convgate.selection.selection import Selection, write_selection
from convgate.transcripts import writer_named
from convgate.transcripts.message_reader import dialect_of
from convgate.ui.shared import services
from convgate.ui.shared.explore_state import ExploreState
from convgate.ui.shared.files import draw_agent, draw_download
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.text import literal
from convgate.ui.shared.transcript import draw_transcript
from convgate.ui.shared.transcript_rows import ROWS, sent_data

SENT = "explore.sent"
_MAX_CODE = 200_000  # characters; more would make the browser slow


def draw_sent(state: ExploreState, outcome: PolicyOutcome, selected: int | None) -> None:
    """Draw every message that is sent, in the dialect of its API, and what all cost."""
    selection = outcome.selection
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="explore-sending"):
        st.caption(_describe(outcome), width="stretch")
        with st.popover("Copy or download", icon=":material/download:"):
            _draw_files(state, outcome)
    messages = [_message(message) for message in selection.messages]
    # Neighbours that an API wants as one message are no single turns.
    is_joined = len(messages) != len(selection.places)
    data = sent_data(
        messages,
        [None] * len(messages) if is_joined else list(selection.places),
        [None] * len(messages) if is_joined else turn_tokens(selection.sent).tolist(),
        selected=selected, place=f"{outcome.message.key} sent", height="fill",
    )  # fmt: skip
    draw_transcript(data, key=SENT)
    if len(messages) > ROWS:
        st.caption(f"The newest {ROWS:,} messages are shown; the download has all.")


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


def _describe(outcome: PolicyOutcome) -> str:
    """Return the number of messages, their dialect, tokens and price, as Markdown."""
    selection, history = outcome.selection, outcome.message.history
    parts = [
        pluralize(len(selection.messages), "message"),
        dialect_of(message for message in selection.messages if isinstance(message, Mapping)).label,
        pluralize(selection.tokens, "token"),
    ]
    if outcome.n_added:
        parts.append(f"{outcome.n_added:,} added, of what must hold or was quoted")
    cost, whole, name = price_of(selection)
    parts.append(f"{cost} instead of {whole} for all turns ({name})")
    if history.start:
        parts.append(f"of the newest {len(history):,} turns")
    return literal(" · ".join(parts))


def price_of(selection: Selection) -> tuple[str, str, str]:
    """Return what the input costs without a cache, what that of all turns would, and whose prices."""
    settings = services.settings()
    price = find_price(settings, settings.costs.model or DEFAULT_MODEL)
    assert price is not None
    tokens = (round(each * price.token_ratio) for each in (selection.tokens, selection.tokens_total))
    cost, cost_of_all = (format_dollars(price.cost(Usage(each, 0, 0))) for each in tokens)
    return cost, cost_of_all, price.name


def _message(message: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return who a message is from, its text, and the rest of it as JSON."""
    rest = dict(message)
    role, content = str(rest.pop("role", rest.get("type", ""))), rest.get("content")
    if isinstance(content, str):
        del rest["content"]
    else:
        content = ""
    return role, writable(content), writable(_dump(rest)) if rest else ""


def _draw_files(state: ExploreState, outcome: PolicyOutcome) -> None:
    selection, conversation = outcome.selection, outcome.message.conversation
    settings = services.settings().updated(budget={"tokens": selection.budget})
    agent = AgentSettings.of(outcome.policy, settings, pair_answers=state.pairs)
    transcript_format = writer_named(conversation.format)
    st.download_button(
        f"Download as {transcript_format.label}", lambda: _write(outcome),
        file_name=f"selected{transcript_format.suffix}",
        on_click="ignore", icon=":material/download:", key="explore.download_messages",
    )  # fmt: skip
    draw_download(agent, page="explore")
    st.download_button(
        "Download decisions (JSON)",
        lambda: decisions_json(conversation, outcome.message.current, outcome.decisions, outcome.version),
        file_name="decisions.json", mime="application/json", on_click="ignore",
        icon=":material/data_object:", key="explore.download_json",
        help="One record a turn, with score, threshold, parts and reason. Turns count from 0.",
    )  # fmt: skip
    code = writable(_dump(selection.messages))
    if len(code) <= _MAX_CODE:
        st.caption("To copy, as JSON:")
        st.code(code, language="json", height=320, wrap_lines=True)
    draw_agent(agent, asks=bool(state.question), intent=outcome.intent)


def _write(outcome: PolicyOutcome) -> str:
    """Return the messages in the format of the import, else as they are sent."""
    message = outcome.message
    try:
        return writable(write_selection(message.conversation, message.current, outcome.selection))
    except TranscriptError:
        return f"{writable(_dump(outcome.selection.messages))}\n"


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
