"""The messages to send, as JSON to copy, and the settings with which a program builds the same context."""

from __future__ import annotations

import json

import streamlit as st

from convgate.core.text import pluralize, truncate, writable
from convgate.policies.agent_settings import FILE_NAME, AgentSettings
from convgate.ui.context.build import ContextResult
from convgate.ui.files import draw_download

_MAX_SHOWN = 200_000  # characters; more would make the browser slow


def draw_messages(result: ContextResult) -> None:
    """Draw the list of messages with its downloads, and the program that builds it."""
    bundle = result.bundle
    text = writable(json.dumps(bundle.messages, ensure_ascii=False, indent=2, default=str)) + "\n"
    st.caption(f"{pluralize(len(bundle.messages), 'message')}, {pluralize(bundle.tokens, 'token')}")
    agent = AgentSettings.of(result.policy, result.settings, pair_answers=result.settings.pair_answers)
    with st.container(horizontal=True):
        st.download_button(
            "Download messages", text, "context.json", "application/json", on_click="ignore",
            icon=":material/download:", key="context.download",
        )  # fmt: skip
        draw_download(agent, page="context")
    if len(text) > _MAX_SHOWN:
        st.caption(f"The first {_MAX_SHOWN:,} of {len(text):,} characters; the file has all.")
    st.code(truncate(text, _MAX_SHOWN), language="json", wrap_lines=True, height=420)
    with st.expander("Use in my agent", icon=":material/code:"):
        st.code(_program(result), language="python")
        for need in agent.needs():
            st.caption(f"It also needs {need}")


def _program(result: ContextResult) -> str:
    arguments = ["messages"]
    if result.index is None:
        arguments.append("question=question")
    if result.intent is not None:
        arguments.append(f"intent={result.intent!r}")
    return "\n".join(
        [
            "import convgate",
            "",
            f'builder = convgate.load_context(settings="{FILE_NAME}")  # once',
            f"context = builder.build({', '.join(arguments)})",
            "context.messages  # what to send",
            "convgate.record_outcome(context.request_id, ok=True)  # whether the answer was good",
        ]
    )
