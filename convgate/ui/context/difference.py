"""What the last change brought in and threw out, and how the context differs from that of the settings."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from convgate.context.mode import Mode
from convgate.ui.context.made import edits_digest
from convgate.ui.context.shown import Shown
from convgate.ui.context.state import View
from convgate.ui.wording import counted

_LAST, _BEFORE = "context.last", "context.before"
_RUNS = 8  # numbers of turns, or ranges of them, that are told


@dataclass(frozen=True)
class Snapshot:
    """A context as far as differences are told."""

    place: tuple[str, int | None, str]  # the message
    tried: str  # what it was built with
    turns: frozenset[int]
    tokens: int
    mode: Mode

    @classmethod
    def of(cls, shown: Shown, view: View) -> Snapshot:
        """The context that is shown."""
        bundle = shown.bundle
        tried = repr((view.tried, view.intent, edits_digest(shown.moment)))
        return cls(shown.moment.place, tried, frozenset(bundle.indices), bundle.tokens, bundle.mode)


def remember(now: Snapshot) -> Snapshot | None:
    """Note the context that is shown; the one before the last change, if it was for the same message."""
    last: Snapshot | None = st.session_state.get(_LAST)
    if last is None or last.place != now.place:
        st.session_state.pop(_BEFORE, None)
    elif last.tried != now.tried:
        st.session_state[_BEFORE] = last
    st.session_state[_LAST] = now
    before: Snapshot | None = st.session_state.get(_BEFORE)
    return before


def draw_difference(now: Snapshot, before: Snapshot | None, usual: Snapshot | None) -> None:
    """A line for the last change, and one against the settings where something is tried."""
    if before is not None:
        st.markdown(f":material/difference: **Your last change:** {difference_words(now, before)}")
    if usual is not None and usual.tried != now.tried:
        st.markdown(f":material/tune: **Against the settings:** {difference_words(now, usual)}")


def difference_words(now: Snapshot, before: Snapshot) -> str:
    """How one context became the other, as Markdown."""
    came, left = sorted(now.turns - before.turns), sorted(before.turns - now.turns)
    told = [f"▲ {counted(len(came), 'turn')} came in ({runs(came)})"] if came else []
    told += [f"▼ {counted(len(left), 'turn')} left ({runs(left)})"] if left else []
    if now.mode != before.mode:
        told.append(f"{before.mode} became {now.mode}")
    if now.tokens != before.tokens:
        change = now.tokens - before.tokens
        told.append(f"{'+' if change > 0 else '−'}{abs(change):,} tokens")
    return ", ".join(told) + "." if told else "nothing in the context changes."


def marks_of(now: Snapshot, before: Snapshot | None) -> dict[int, str]:
    """By turn, what the last change did to it, as Markdown."""
    if before is None:
        return {}
    marks = dict.fromkeys(now.turns - before.turns, ":orange-badge[▲ came in] ")
    return marks | dict.fromkeys(before.turns - now.turns, ":orange-badge[▼ left] ")


def runs(turns: list[int]) -> str:
    """Turns as people number them, neighbours together.

    >>> runs([0, 1, 2, 6]), runs([])
    ('1–3, 7', '')
    """
    found: list[list[int]] = []
    for turn in turns:
        if found and turn == found[-1][1] + 1:
            found[-1][1] = turn
        else:
            found.append([turn, turn])
    told = [f"{first + 1:,}" if first == last else f"{first + 1:,}–{last + 1:,}" for first, last in found]
    return ", ".join(told[:_RUNS]) + (", …" if len(told) > _RUNS else "")
