"""The text goes in as data; what is typed comes back after a short rest, at once when it is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_editor = st.components.v2.component(
    "convgate.rules_editor", html=_asset("editor.html"), css=_asset("editor.css"), js=_asset("editor.js")
)


def draw_editor(
    data: Mapping[str, Any], *, key: str, on_typed: Callable[[], None], on_save: Callable[[], None]
) -> None:
    """Draw the text of `data`: text, revision, reveal, label, problems as (line, sentence), `locked`, and
    whether it is `changed`, so that the browser asks before it loads another page.

    The text on the screen is replaced only when the revision is another. `on_typed` is called when it was
    changed, `on_save` when a person asks to save it, by key.
    """
    _editor(key=key, data=dict(data), on_typed_change=on_typed, on_save_change=on_save)


def typed(key: str, name: str = "typed") -> tuple[str, int] | None:
    """The text on the screen and the revision it began with; None for what makes no sense.

    To be read in the callback. name: "save" in that of saving.
    """
    held = st.session_state.get(key) or {}
    value = held.get(name) if isinstance(held, Mapping) else getattr(held, name, None)
    if not isinstance(value, Mapping):
        return None
    text, revision = value.get("text"), value.get("revision")
    if not isinstance(text, str) or type(revision) is not int:
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n"), revision
