"""The choice to redact secrets, the same wherever conversations come in or go out."""

from __future__ import annotations

import streamlit as st


def redact_checkbox(key: str) -> bool:
    """Whether secrets are to be redacted; off unless chosen."""
    return st.checkbox(
        "Redact secrets", key=key, help="API keys, tokens, passwords and private keys become [redacted: …]."
    )
