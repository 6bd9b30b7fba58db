"""What goes out: the messages as JSON and as plain text, and how a program builds the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import streamlit as st

from convgate.agent_settings import FILE_NAME
from convgate.errors import TranscriptError
from convgate.transcripts import format_named, write_conversation
from convgate.transcripts.characters import writable
from convgate.ui.context import state
from convgate.ui.context.agent import agent_of, context_lines
from convgate.ui.context.made import Made
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.text import literal, shortened
from convgate.ui.wording import counted

FORM = "context.form"
JSON, OWN, TEXT, AGENT = "json", "own", "text", "agent"
_OPENAI = "openai"  # the format that is JSON already
_LONGEST = 200_000  # characters; more would make the browser slow, and is better downloaded


def draw_messages(made: Made, view: View) -> None:
    """The final list, to be copied or downloaded."""
    shown = made.shown
    forms = {JSON: "JSON", TEXT: "Plain text", AGENT: "In my agent"}
    if shown.conversation.format != _OPENAI:
        forms = {JSON: "JSON", OWN: format_named(shown.conversation.format).label, **forms}
    if st.session_state.get(FORM) not in forms:
        state.put(FORM, JSON)
    st.segmented_control(
        "Form", list(forms), key=FORM, format_func=forms.__getitem__, required=True,
        on_change=state.touched, label_visibility="collapsed", persist_state="session",
    )  # fmt: skip
    form = str(st.session_state[FORM])
    if form == AGENT:
        _draw_agent(made, view)
        return
    try:
        text, name, language = _written(shown, form)
    except TranscriptError as error:
        st.warning(literal(str(error)), icon=":material/warning:")
        return
    st.caption(
        f"{counted(len(shown.bundle.messages), 'message')}, {counted(shown.bundle.tokens, 'token')}, in the"
        " order in which they are sent."
    )
    st.download_button(
        f"Download {name}", text, file_name=name, on_click="ignore", icon=":material/download:",
        mime="application/json" if form == JSON else "text/plain", key=f"context.download.{form}",
    )  # fmt: skip
    if len(text) > _LONGEST:
        st.caption(f"The first {_LONGEST:,} of {len(text):,} characters; the file has all.")
    st.code(shortened(text, _LONGEST), language=language, wrap_lines=True, height=520)


def messages_json(shown: Shown) -> str:
    """The messages as a list of OpenAI messages."""
    return writable(json.dumps(shown.bundle.messages, ensure_ascii=False, indent=2, default=str)) + "\n"


def messages_text(shown: Shown) -> str:
    """Who says what, a blank line between messages."""
    return writable("\n\n".join(_told(message) for message in shown.bundle.messages)) + "\n"


def messages_as_read(shown: Shown) -> str:
    """The same turns in the format of the transcript; TranscriptError when it cannot hold them."""
    talk, indices = shown.conversation, list(shown.bundle.indices)
    if shown.index is None:
        indices.append(len(talk))
        talk = replace(talk, turns=(*talk.turns, shown.moment.situation.turn))
    return writable(write_conversation(talk, indices=indices))


def _written(shown: Shown, form: str) -> tuple[str, str, str | None]:
    """The text, the name of its file, and its language for colours."""
    if form == OWN:
        ending = format_named(shown.conversation.format).suffix
        return messages_as_read(shown), f"context{ending}", None
    if form == TEXT:
        return messages_text(shown), "context.txt", None
    return messages_json(shown), "context.json", "json"


def _told(message: Mapping[str, Any]) -> str:
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


def _draw_agent(made: Made, view: View) -> None:
    agent = agent_of(made)
    st.caption("Put the file beside your program; it then builds contexts as they are built here.")
    st.download_button(
        "Download settings", agent.to_toml, file_name=FILE_NAME, mime="application/toml", on_click="ignore",
        icon=":material/settings:", key="context.download_settings",
    )  # fmt: skip
    st.code(context_lines(intent=view.intent, asks=made.shown.index is None), language="python")
    for need in agent.needs():
        st.caption(f"It needs {need}")
    with st.expander("The file", icon=":material/description:"):
        st.code(agent.to_toml(), language="toml")
