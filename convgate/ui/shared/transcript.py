"""The transcript as a component: its text goes to the browser as data, and clicks and keys come back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Literal

import streamlit as st
from pydantic import BaseModel, NonNegativeInt, StrictInt, StrictStr, ValidationError

from convgate.ui.shared.explore_state import page
from convgate.ui.shared.page_state import Address

_FOCUS, _OPENED = "transcript.focus", "transcript.opened"  # by conversation
_HERE = Path(__file__).parent


def _asset(name: str) -> str:
    return (_HERE / name).read_text(encoding="utf-8")


_transcript = st.components.v2.component(
    "convgate.transcript",
    html=_asset("transcript.html"),
    css=_asset("transcript.css"),
    js="\n".join(map(_asset, ("markdown.js", "minimap.js", "rows.js", "transcript.js"))),
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
    on_answers: Callable[[], None] = lambda: None,
    address: Address[Any] = page,
) -> None:
    """Draw what `transcript_data` returns on the page of that address; `on_answers` is called for answers."""
    take = partial(_take_request, key, address)
    _transcript(key=key, data=dict(data), on_asked_change=take, on_answers_change=on_answers)


def focused_turn(conversation: str) -> int | None:
    """Return the turn to have in sight, 0-based; None for the selected one."""
    turn: int | None = st.session_state.get(f"{_FOCUS}.{conversation}")
    return turn


def opened_turns(conversation: str) -> frozenset[int]:
    """Return the turns whose whole text was asked for, 0-based."""
    turns: frozenset[int] = st.session_state.get(f"{_OPENED}.{conversation}", frozenset())
    return turns


def select(turn: int | None, address: Address[Any] = page) -> None:
    """Select a turn (0-based), if there is one, and have the selected one in sight; for callbacks."""
    st.session_state.pop(f"{_FOCUS}.{address.now().conversation}", None)
    address.select(turn)


def _take_request(key: str, address: Address[Any]) -> None:
    try:
        request = TranscriptRequest.model_validate(st.session_state[key].get("asked"))
    except ValidationError:
        return
    conversation, turn = address.now().conversation or "", request.turn
    if request.what == "show":
        st.session_state[f"{_FOCUS}.{conversation}"] = turn
    elif request.what == "read":
        st.session_state[f"{_OPENED}.{conversation}"] = opened_turns(conversation) | {turn}
    elif request.what == "select":
        select(turn, address)
    elif address is page:
        select(None)
        page.change(turn=turn, question="", selected=None)


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
