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


@dataclass(frozen=True, slots=True)
class Given:
    """An answer that a person gave in the transcript."""

    number: int  # 1 for the first of its list; each is one higher than the one before
    situation: str  # see `situation_name`
    turn: int  # 0-based
    value: Literal["relevant", "not_relevant", "unsure"] | None  # None takes the answer back
    scope: str


def draw_transcript(
    data: Mapping[str, Any],
    *,
    key: str,
    on_asked: Callable[[], None],
    on_answers: Callable[[], None] | None = None,
) -> None:
    """Draw what `transcript_data` made.

    `on_asked` is called when a person asked for something, `on_answers` when they answered.
    """
    _transcript(key=key, data=dict(data), on_asked_change=on_asked, on_answers_change=on_answers or _ignore)


def given(key: str) -> tuple[str, list[Given], int]:
    """The list that answers came from, those it does not know to be stored, and how many make no sense.

    To be read in the callback.
    """
    value = _value(key, "answers")
    if not isinstance(value, Mapping) or not isinstance(value.get("answers"), list):
        return "", [], int(value is not None)
    answers = [found for one in value["answers"] if (found := _given(one)) is not None]
    return str(value.get("client", ""))[:40], answers, len(value["answers"]) - len(answers)


def asked(key: str) -> Asked | None:
    """What was asked for in the transcript `key`, read in its callback; None for what makes no sense."""
    value = _value(key, "asked")
    if not isinstance(value, Mapping):
        return None
    what, turn = value.get("what"), value.get("turn")
    if what not in ("select", "answer", "show", "read") or not isinstance(turn, int) or turn < 0:
        return None
    return Asked(what, turn)


def _given(one: Any) -> Given | None:
    if not isinstance(one, Mapping):
        return None
    number, situation, turn, scope = (one.get(name) for name in ("number", "situation", "turn", "scope"))
    # Not isinstance, for which True is a number too.
    if type(number) is not int or type(turn) is not int:
        return None
    if not isinstance(situation, str) or not isinstance(scope, str):
        return None
    value = one.get("value")
    if value not in ("relevant", "not_relevant", "unsure", None):
        return None
    return Given(number, situation, turn, value, scope)


def _value(key: str, name: str) -> Any:
    state = st.session_state.get(key) or {}
    return state.get(name) if isinstance(state, Mapping) else getattr(state, name, None)


def _ignore() -> None:
    pass
