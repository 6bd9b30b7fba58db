"""What goes out: the messages as JSON and as plain text, and how a program builds the same."""

from __future__ import annotations

import json
from typing import Any

import streamlit as st

from convgate.agent_settings import FILE_NAME, AgentSettings
from convgate.transcripts.characters import writable
from convgate.ui.context import state
from convgate.ui.context.made import Made
from convgate.ui.context.shown import Shown
from convgate.ui.text import shortened
from convgate.ui.wording import counted

FORM = "context.form"
_FORMS = {"json": "JSON", "text": "Plain text", "python": "In my agent"}
_LONGEST = 200_000  # characters; more would make the browser slow, and is better downloaded


def draw_messages(made: Made) -> None:
    """The final list, to be copied or downloaded."""
    st.segmented_control(
        "Form", list(_FORMS), key=FORM, default="json", format_func=_FORMS.__getitem__, required=True,
        on_change=state.touched, label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    form = st.session_state[FORM]
    if form == "python":
        _draw_agent(made)
        return
    shown = made.shown
    text = messages_json(shown) if form == "json" else messages_text(shown)
    st.caption(
        f"{counted(len(shown.bundle.messages), 'message')}, {counted(shown.bundle.tokens, 'token')}, in the"
        " order in which they are sent."
    )
    name = "context.json" if form == "json" else "context.txt"
    st.download_button(
        f"Download {name}", text, file_name=name, on_click="ignore", icon=":material/download:",
        mime="application/json" if form == "json" else "text/plain", key=f"context.download.{form}",
    )  # fmt: skip
    if len(text) > _LONGEST:
        st.caption(f"The first {_LONGEST:,} of {len(text):,} characters; the file has all.")
    st.code(
        shortened(text, _LONGEST), language="json" if form == "json" else None, wrap_lines=True, height=520
    )


def messages_json(shown: Shown) -> str:
    """The messages as a list of OpenAI messages."""
    return writable(json.dumps(shown.bundle.messages, ensure_ascii=False, indent=2, default=str)) + "\n"


def messages_text(shown: Shown) -> str:
    """Who says what, a blank line between messages."""
    return writable("\n\n".join(_told(message) for message in shown.bundle.messages)) + "\n"


def _told(message: Any) -> str:
    content = message.get("content")
    if isinstance(content, list):
        parts = [part.get("text") or f"[{part.get('type', 'part')}]" for part in content]
        content = "\n".join(str(part) for part in parts)
    lines = [str(content)] if content else []
    for call in message.get("tool_calls") or ():
        function = call.get("function", {})
        lines.append(f"{function.get('name')}({function.get('arguments', '')})")
    name = message.get("name")
    return f"{message.get('role')}{f' {name}' if name else ''}:\n" + "\n".join(lines)


def _draw_agent(made: Made) -> None:
    agent = AgentSettings.of(made.policy, made.settings)
    st.caption("Put the file beside your program; with it, a program builds the same context.")
    st.download_button(
        "Download settings", agent.to_toml, file_name=FILE_NAME, mime="application/toml", on_click="ignore",
        icon=":material/settings:", key="context.download_settings",
    )  # fmt: skip
    st.code(agent.to_python(), language="python")
