"""One turn on screen: its label, its text, its heading."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import streamlit as st

from convgate.core.conversation import Conversation, Turn
from convgate.core.text import writable
from convgate.figures.hover import on_screen
from convgate.policies.sessions.boundaries import moved_by
from convgate.ui.shared import keys
from convgate.ui.shared.text import literal, show_text
from convgate.ui.shared.transcript_rows import when

_LABEL = 80  # characters of a turn on hover


@st.cache_resource(max_entries=16, show_spinner=False)
def turn_labels(key: str, _conversation: Conversation) -> list[str]:
    """Return speaker and first words of every turn."""
    return [writable(f"{turn.speaker}: {turn.scored_text[:_LABEL]}") for turn in _conversation.turns]


def moves(conversation: Conversation) -> str:
    """Return a text that differs when somebody moves a session boundary of the conversation."""
    moved = enumerate(moved_by(turn) for turn in conversation.turns)
    return repr([(index, kind) for index, kind in moved if kind is not None])


_STYLE = Path(__file__).with_suffix(".css")
_LONGEST = 4_000  # characters; the transcript in Explore has all of it


def draw_turn_text(turn: Turn) -> None:
    """Draw its text and tool calls in a box that scrolls."""
    text = turn.scored_text.strip()
    st.html(_STYLE)
    with st.container(key="turn-text"):
        if text:
            show_text(text, limit=_LONGEST)
        else:
            st.caption("This turn has no text.")


@dataclass(frozen=True)
class Step:
    """A button that leads to another turn; `to` is None without one."""

    name: str
    label: str
    shortcut: str | None
    to: int | None
    help: str | None = None
    act: Callable[[int], None] | None = None  # in place of selecting


def draw_turn_head(
    page: str,
    conversation: Conversation,
    selected: int,
    select: Callable[[int], None],
    *more: Step,
    reference: datetime | None = None,
) -> None:
    """Draw the turn's number, speaker and time, and buttons to other turns; `page` begins the keys."""
    turn = conversation.turns[selected]
    relative, exact = when(turn.timestamp, reference)
    who = literal(turn.speaker, limit=60) + (f" · {literal(turn.role)}" if turn.name else "")
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"{page}-head"):
        st.subheader(f"Turn {selected + 1:,}", anchor=False, width="content")
        st.caption(" · ".join(part for part in (who, relative) if part), help=exact or None, width="stretch")
    draw_steps(page, conversation, selected, select, *more)


def draw_steps(
    page: str, conversation: Conversation, selected: int, select: Callable[[int], None], *more: Step
) -> None:
    """Draw the buttons to the older and the newer turn, and further ones."""
    last = len(conversation) - 1
    older = Step("older", "older", keys.OLDER, selected - 1 if selected else None)
    newer = Step("newer", "newer", keys.NEWER, selected + 1 if selected < last else None)
    with st.container(horizontal=True, gap="xsmall", key=f"{page}-neighbours"):
        for step in (older, newer, *more):
            help = step.help
            if help is None and step.to is not None:
                help = f"Turn {step.to + 1}: {literal(conversation.turns[step.to].scored_text, limit=120)}"
            st.button(
                step.label, key=f"{page}.{step.name}", shortcut=step.shortcut, disabled=step.to is None,
                on_click=step.act or select, args=(step.to,), help=help,
            )  # fmt: skip


def format_explanation(explanation: str) -> str:
    """Return the explanation of a decision as Markdown that begins with a capital."""
    text = on_screen(explanation)
    return literal(text[:1].upper() + text[1:])
