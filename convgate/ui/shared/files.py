"""Files to download: settings for an agent, and the choice to redact secrets."""

from __future__ import annotations

import streamlit as st

from convgate.policies.agent_settings import FILE_NAME, AgentSettings


def draw_download(agent: AgentSettings, *, page: str) -> None:
    """Draw the download of an agent's settings; `page` begins its key."""
    st.download_button(
        "Download settings", agent.to_toml, file_name=FILE_NAME, mime="application/toml", on_click="ignore",
        icon=":material/settings:", key=f"{page}.download_settings",
        help="Policy, version, rule and limits as they are now; with this file a program decides the same",
    )  # fmt: skip


def draw_agent(agent: AgentSettings, *, asks: bool = False, intent: str | None = None) -> None:
    """Draw the code that uses the settings, and what else it needs."""
    st.caption("Use in my agent: save the file next to your program.")
    st.code(agent.to_python(asks=asks, intent=intent), language="python")
    for need in agent.needs():
        st.caption(f":material/deployed_code: It also needs {need}")


def redact_checkbox(key: str) -> bool:
    """Draw the choice to redact secrets, and return it."""
    return st.checkbox(
        "Redact secrets", key=key, help="API keys, tokens, passwords and private keys become [redacted: …]."
    )
