"""Settings to try: the boundaries follow at once, and what differs from the settings in use is told."""

from __future__ import annotations

import math
import os
from typing import Any

import streamlit as st
import tomli_w

from convgate.core.settings import FILE_NAME, PREFIX
from convgate.core.text import format_duration, pluralize
from convgate.figures.hover import on_screen
from convgate.policies.sessions import Boundaries, BoundaryRules
from convgate.ui.frame import App
from convgate.ui.sessions import state
from convgate.ui.sessions.boundaries import ConversationBoundaries, record_at
from convgate.ui.sessions.state import View, split_commands
from convgate.ui.text import literal

GAP_ON, GAP, OVERRIDE, CLOSE = "sessions.gap_on", "sessions.gap", "sessions.override", "sessions.close"
NEW, ONWARD = "sessions.new", "sessions.onward"
_GAPS = tuple(
    60.0 * minutes
    for minutes in (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720, 1440, 2880, 4320, 10080)
)
_USUAL = 7_200.0  # seconds; where the slider stands while no gap ends a session
_TOLD = 8  # differences
_SETTINGS = {
    "idle_gap": "session_idle_gap",
    "continue_overrides_gap": "session_continue_overrides_gap",
    "close_on_complete": "session_auto_close_on_workflow_complete",
    "new_commands": "session_new_commands",
    "continue_commands": "session_continue_commands",
}


def draw_trying(view: View, in_use: BoundaryRules, tried: BoundaryRules) -> None:
    """The controls, in the sidebar."""
    off = math.isinf(tried.idle_gap)
    with st.sidebar:
        st.markdown(
            "**Settings to try**",
            help="Only looked at here, until you make them the settings: nothing is stored.",
        )
        state.put(GAP_ON, not off)
        st.toggle(
            "A long gap ends a session", key=GAP_ON, on_change=_changed, args=(in_use,),
            help="Off: only commands and workflow states begin something. Conversations that last for"
            " months are real.",
        )  # fmt: skip
        gaps = sorted({*_GAPS, *(one for one in (tried.idle_gap, in_use.idle_gap) if not math.isinf(one))})
        state.put(GAP, _shown_gap(tried, in_use))
        st.select_slider(
            "Idle gap", gaps, key=GAP, format_func=format_duration, disabled=off, on_change=_changed,
            args=(in_use,),
            help="Longer without a message, and the next one begins a session. Exactly this long does not.",
        )  # fmt: skip
        state.put(OVERRIDE, tried.continue_overrides_gap)
        st.toggle(
            "“Continue” wins over the gap", key=OVERRIDE, on_change=_changed, args=(in_use,),
            help="Whoever asks to go on goes on, however long ago the last message was.",
        )  # fmt: skip
        state.put(CLOSE, tried.close_on_complete)
        st.toggle(
            "COMPLETE closes the conversation", key=CLOSE, on_change=_changed, args=(in_use,),
            help="The message after one that reached the workflow state COMPLETE begins a conversation.",
        )  # fmt: skip
        with st.expander("Commands"):
            _draw_commands("Begin a conversation", NEW, tried.new_commands, in_use)
            _draw_commands("Go on with it", ONWARD, tried.continue_commands, in_use)
        st.button(
            "As the settings have it", key="sessions.reset", icon=":material/undo:",
            disabled=not view.is_trial, on_click=state.change, kwargs=_NO_TRIAL, width="stretch",
        )  # fmt: skip


def draw_trial(app: App, view: View, found: ConversationBoundaries) -> None:
    """What the settings that are tried change, and how they become the settings."""
    if not view.is_trial:
        return
    told = differences(found)
    with st.container(border=True, key="sessions-trial"):
        if told:
            st.markdown(
                f"**You are trying settings.** {_extent(found.shown)}; by the settings in use"
                f" {_extent(found.used)}."
            )
            st.markdown("\n".join(f"- {line}" for line in told[:_TOLD]))
            if len(told) > _TOLD:
                st.caption(f"… and {pluralize(len(told) - _TOLD, 'more difference')}")
        else:
            st.markdown("**You are trying settings.** In this conversation they change nothing.")
        with st.expander("Make them the settings", icon=":material/settings:"):
            _draw_lines(app, found)


def differences(found: ConversationBoundaries) -> list[str]:
    """What begins otherwise than by the settings in use, a sentence of Markdown each."""
    now, used = _starts(found.shown), _starts(found.used)
    told = []
    for turn in sorted(now.keys() | used.keys()):
        if now.get(turn) == used.get(turn):
            continue
        one = record_at(found.shown if turn in now else found.used, turn)
        why = literal(on_screen(one.reason)) if one else ""
        if turn not in now:
            told.append(f"Turn {turn + 1:,}: no {used[turn]} begins any more. By the settings in use: {why}")
        elif turn not in used:
            told.append(f"Turn {turn + 1:,}: a {now[turn]} begins. {why}")
        else:
            told.append(f"Turn {turn + 1:,}: a {now[turn]} begins, not a {used[turn]}. {why}")
    return told


def settings_lines(tried: BoundaryRules, in_use: BoundaryRules) -> str:
    """The lines of a settings file with which the rules in use become those that are tried."""
    changed = {
        name: getattr(tried, field)
        for field, name in _SETTINGS.items()
        if getattr(tried, field) != getattr(in_use, field)
    }
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in changed.items()}
    return tomli_w.dumps(plain)


def _draw_lines(app: App, found: ConversationBoundaries) -> None:
    lines = settings_lines(found.tried, found.in_use)
    file = os.environ.get(f"{PREFIX}CONFIG") or str(app.settings.home / FILE_NAME)
    st.markdown(
        f"Put these lines into {literal(file)}, in place of lines of the same names. They hold for the app,"
        " for `convgate sessions` and for agents that read this file."
    )
    st.code(lines, language="toml")
    named = [name for name in _SETTINGS.values() if f"{PREFIX}{name.upper()}" in os.environ and name in lines]
    for name in named:
        st.caption(
            f":material/warning: The environment variable {literal(PREFIX + name.upper())} is set, and wins"
            " over the file."
        )


def _draw_commands(label: str, key: str, commands: tuple[str, ...], in_use: BoundaryRules) -> None:
    state.put(key, "\n".join(commands))
    st.text_area(
        label, key=key, on_change=_changed, args=(in_use,), height="content",
        help="One a line. A user's message that is one of them, or opens with it, is a command.",
    )  # fmt: skip


_NO_TRIAL: dict[str, Any] = {
    "gap": None, "override": None, "close": None, "new": None, "onward": None, "page": 0,
}  # fmt: skip


def _changed(in_use: BoundaryRules) -> None:
    held = st.session_state
    values = {
        "gap": float(held[GAP]) if held[GAP_ON] else math.inf,
        "override": bool(held[OVERRIDE]),
        "close": bool(held[CLOSE]),
        "new": split_commands(held.get(NEW) or "", "\n"),
        "onward": split_commands(held.get(ONWARD) or "", "\n"),
    }
    state.change(page=0, **{name: _tried(name, value, in_use) for name, value in values.items()})


def _tried(name: str, value: Any, in_use: BoundaryRules) -> Any:
    """What the view has of a value: nothing where the settings in use have the same."""
    fields = {
        "gap": in_use.idle_gap, "override": in_use.continue_overrides_gap, "close": in_use.close_on_complete,
        "new": in_use.new_commands, "onward": in_use.continue_commands,
    }  # fmt: skip
    return None if fields[name] == value else value


def _shown_gap(tried: BoundaryRules, in_use: BoundaryRules) -> float:
    finite = (one for one in (tried.idle_gap, in_use.idle_gap) if not math.isinf(one))
    return next(finite, _USUAL)


def _starts(boundaries: Boundaries) -> dict[int, str]:
    return {record.item: record.kind for record in boundaries.records}


def _extent(boundaries: Boundaries) -> str:
    return (
        f"{pluralize(len(boundaries.conversation_starts), 'conversation')} in"
        f" {pluralize(len(boundaries.session_starts), 'session')}"
    )
