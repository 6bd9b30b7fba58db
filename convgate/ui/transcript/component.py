"""The transcript as one component: text goes in as data, and what a person asks for comes back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import streamlit as st

_HERE = Path(__file__).parent


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_transcript = st.components.v2.component(
    "convgate.transcript",
    html=_asset("transcript.html"),
    css=_asset("transcript.css"),
    js=_asset("transcript.js"),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a person did in the transcript."""

    what: Literal["select", "answer", "show", "read"]  # explain it, make it current, go there, its full text
    turn: int  # 0-based


def draw_transcript(data: Mapping[str, Any], *, key: str, on_asked: Callable[[], None]) -> None:
    """Draw what `transcript_data` made; `on_asked` is called when a person did something."""
    _transcript(key=key, data=dict(data), on_asked_change=on_asked)


def asked(key: str) -> Asked | None:
    """What was asked for in the transcript `key`, read in its callback; None for what makes no sense."""
    state = st.session_state.get(key) or {}
    value = state.get("asked") if isinstance(state, Mapping) else getattr(state, "asked", None)
    if not isinstance(value, Mapping):
        return None
    what, turn = value.get("what"), value.get("turn")
    if what not in ("select", "answer", "show", "read") or not isinstance(turn, int) or turn < 0:
        return None
    return Asked(what, turn)
