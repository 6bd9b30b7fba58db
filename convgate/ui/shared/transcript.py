"""The transcript as a component: its text goes to the browser as data, and clicks and keys come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from pydantic import BaseModel, NonNegativeInt, StrictInt, StrictStr, ValidationError

_HERE = Path(__file__).parent


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_transcript = st.components.v2.component(
    "convgate.transcript",
    html=_asset("transcript.html"),
    css=_asset("transcript.css"),
    js=_asset("transcript.js"),
)


class TranscriptRequest(BaseModel):
    """A request of the user in the transcript."""

    what: Literal["select", "answer", "show", "read"]  # explain it, make it current, go there, its full text
    turn: NonNegativeInt  # 0-based


class TranscriptAnswer(BaseModel):
    """An answer that was given in the transcript."""

    number: StrictInt  # 1 for the first of its list; each is one higher than the one before
    current: StrictStr  # see `current_name`
    turn: StrictInt  # 0-based
    value: Literal["relevant", "not_relevant", "unsure"] | None  # None clears the answer
    scope: Literal["turn", "rest"]  # see `convgate.ui.shared.answering.Scope`


def draw_transcript(
    data: Mapping[str, Any],
    *,
    key: str,
    on_asked: Callable[[], None],
    on_answers: Callable[[], None] = lambda: None,
) -> None:
    """Draw what `transcript_data` returns; `on_asked` is called for requests, `on_answers` for answers."""
    _transcript(key=key, data=dict(data), on_asked_change=on_asked, on_answers_change=on_answers)


def read_new_answers(key: str) -> tuple[str, list[TranscriptAnswer], int]:
    """Return the id of the browser's list, its answers that are not stored yet, and how many are invalid.

    For the callback `on_answers`.
    """
    value = st.session_state[key].get("answers") or {}
    answers, items = [], value.get("answers", [])
    for item in items:
        try:
            answers.append(TranscriptAnswer.model_validate(item))
        except ValidationError:
            continue
    return str(value.get("client", "")), answers, len(items) - len(answers)


def read_request(key: str) -> TranscriptRequest | None:
    """Return the request in the transcript `key`, for the callback `on_asked`; None when it is invalid."""
    try:
        return TranscriptRequest.model_validate(st.session_state[key].get("asked"))
    except ValidationError:
        return None
