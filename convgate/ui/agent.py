"""Use in my agent: the settings of a page for a program, as a file and the lines of Python that read it."""

from __future__ import annotations

import streamlit as st

from convgate.policies.agent_settings import FILE_NAME, AgentSettings


def draw_download(agent: AgentSettings, *, page: str) -> None:
    """The button for the file; `page` tells its key from those of other pages."""
    st.download_button(
        "Download settings", agent.to_toml, file_name=FILE_NAME, mime="application/toml", on_click="ignore",
        icon=":material/settings:", key=f"{page}.download_settings",
        help="Policy, version, rule and limits as they are now; with this file a program decides the same",
    )  # fmt: skip


def draw_agent(agent: AgentSettings, *, asks: bool = False) -> None:
    """The lines that use the file, and what else the agent's machine needs."""
    st.caption("Use in my agent: put the file beside your program.")
    st.code(agent.to_python(asks=asks), language="python")
    for need in agent.needs():
        st.caption(f":material/deployed_code: It also needs {need}")
