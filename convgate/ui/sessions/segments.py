"""The list: each conversation with its time, its first words and why it begins there; and how to move it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.sessions.clock import duration
from convgate.ui.sessions import state
from convgate.ui.sessions.found import Found, Segment, kind_at, record_at, times_of
from convgate.ui.sessions.message import CALLED
from convgate.ui.sessions.moving import Changes, moved_to, put_back, said, store
from convgate.ui.sessions.state import View
from convgate.ui.text import literal, shortened
from convgate.ui.wording import counted

PER_PAGE = 8
PAGE = "sessions.page"
_OPENING = 160  # characters
_WITHIN = 5  # messages of a conversation with which something else could have begun


def draw_segments(view: View, found: Found, selected: int) -> None:
    """The conversations of the page that the view is on."""
    segments = found.segments
    pages = -(-len(segments) // PER_PAGE)
    here = found.segment_of(selected)
    page = min(view.page or (here.number - 1) // PER_PAGE + 1, pages)
    for one in segments[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _draw_segment(found, one, is_here=one is here)
    if pages > 1:
        # A key of each page's own: which page it is follows from the turn, which others change.
        key = f"{PAGE}.{page}.{pages}"
        with st.container(horizontal_alignment="center"):
            st.pagination(pages, default=page, key=key, on_change=_turned, args=(key,))


def span(start: datetime, end: datetime) -> str:
    """From one time to another.

    >>> span(datetime(2026, 3, 5, 9), datetime(2026, 3, 5, 10, 30))
    'Thu 5 Mar 2026, 09:00–10:30'
    >>> span(datetime(2026, 3, 5, 9), datetime(2026, 3, 6, 8))
    'Thu 5 Mar 2026, 09:00 – Fri 6 Mar 2026, 08:00'
    """
    told = f"{_day(start)}, {start:%H:%M}"
    if start.date() != end.date():
        return f"{told} – {_day(end)}, {end:%H:%M}"
    return told if f"{start:%H:%M}" == f"{end:%H:%M}" else f"{told}–{end:%H:%M}"


def _draw_segment(found: Found, one: Segment, *, is_here: bool) -> None:
    with st.container(border=True, gap="xsmall", key=f"sessions-segment-{one.start}"):
        mine = found.moved.get(one.start)
        begins = "" if one.boundary.kind == "session" else f" · in session {one.session:,}"
        session = f"Session {one.session:,} · " if one.boundary.kind == "session" else ""
        badges = " :blue-badge[the turn that is looked at]" if is_here else ""
        badges += " :orange-badge[:material/person: moved by a person]" if mine else ""
        st.markdown(f"**{session}Conversation {one.number:,}**{begins}{badges}")
        st.caption(_extent(found, one))
        opening = next(
            (turn for turn in found.conversation.turns[one.start : one.stop] if not turn.is_instruction),
            found.conversation.turns[one.start],
        )
        words = shortened(" ".join(opening.scored_text[: 4 * _OPENING].split()), _OPENING)
        st.markdown(f"{literal(opening.speaker, limit=40)}: {literal(words)}")
        _draw_reason(found, one)
        _draw_controls(found, one)
        _draw_within(found, one)


def _extent(found: Found, one: Segment) -> str:
    turns = (
        f"turn {one.start + 1:,}" if one.stop - one.start == 1 else f"turns {one.start + 1:,}–{one.stop:,}"
    )
    parts = [turns, counted(one.stop - one.start, "message")]
    times = times_of(found.key, found.conversation)
    if times is not None:
        said_at = times[one.start : one.stop]
        parts.append(span(min(said_at), max(said_at)))
        if one.start and (gap := (times[one.start] - max(times[: one.start])).total_seconds()) > 0:
            parts.append(f"{duration(round(gap))} after the last")
    return " · ".join(parts)


def _draw_reason(found: Found, one: Segment) -> None:
    st.markdown(f"**Why here:** {literal(on_screen(one.boundary.reason))}")
    if one.start in found.moved:
        bare = record_at(found.bare, one.start)
        reason = f": {literal(on_screen(bare.reason))}" if bare else "."
        st.caption(f"The rules alone: {CALLED[kind_at(found.bare, one.start)]}{reason}")


def _draw_controls(found: Found, one: Segment) -> None:
    key = f"sessions.{one.start}"
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
        st.button(
            "Look", key=f"{key}.look", icon=":material/visibility:", on_click=state.select, args=(one.start,),
            help="The message with which it begins",
        )  # fmt: skip
        if one.start == 0:
            return
        before = next(other for other in found.segments if other.stop == one.start)
        low, high = before.start + 1, one.stop - 1
        for label, icon, to in (
            ("earlier", ":material/arrow_upward:", one.start - 1),
            ("later", ":material/arrow_downward:", one.start + 1),
        ):
            st.button(
                label, key=f"{key}.{label}", icon=icon, disabled=not low <= to <= high, on_click=_move,
                args=(found, one.start, to), help=f"Begin with turn {to + 1:,} instead",
            )  # fmt: skip
        st.caption("at turn", width="content")
        # Its number is that of the turn, so another boundary has another control.
        st.number_input(
            "Begins at turn", low + 1, high + 1, one.start + 1, key=f"{key}.at.{low}.{high}", width=96,
            on_change=_move_typed, args=(found, one.start, f"{key}.at.{low}.{high}"),
            label_visibility="collapsed", disabled=low == high, help="The turn with which it begins",
        )  # fmt: skip
        st.button(
            "Remove", key=f"{key}.remove", icon=":material/close:", on_click=store,
            args=(found, partial(_removed, found, one.start), one.start),
            help="It goes on here: this is part of the conversation before",
        )  # fmt: skip
        if one.start in found.moved:
            st.button(
                "Put back to the rules", key=f"{key}.back", icon=":material/settings_backup_restore:",
                on_click=store, args=(found, partial(put_back, found, one.start), one.start),
            )  # fmt: skip


def _draw_within(found: Found, one: Segment) -> None:
    """Where something else could have begun in it, and why it did not."""
    passed = [record for record in found.shown.continued if one.start < record.item < one.stop]
    for record in passed[:_WITHIN]:
        turn = record.item
        mine = turn in found.moved
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            told = f":material/trending_flat: Turn {turn + 1:,}: {literal(on_screen(record.reason))}"
            if mine and (bare := record_at(found.bare, turn)) is not None and bare.kind != "none":
                told += f" The rules alone: {CALLED[bare.kind]}: {literal(on_screen(bare.reason))}"
            st.markdown(told, width="stretch")
            if mine:
                st.button(
                    "Put back to the rules", key=f"sessions.{turn}.back",
                    icon=":material/settings_backup_restore:", on_click=store,
                    args=(found, partial(put_back, found, turn), turn),
                )  # fmt: skip
            else:
                st.button(
                    "Look", key=f"sessions.{turn}.look", icon=":material/visibility:", on_click=state.select,
                    args=(turn,),
                )  # fmt: skip
    if len(passed) > _WITHIN:
        st.caption(f"… and at {counted(len(passed) - _WITHIN, 'further turn')}")


def _removed(found: Found, start: int) -> Changes:
    return {start: said(found, start, "none")}


def _move(found: Found, start: int, to: int) -> None:
    store(found, partial(moved_to, found, start, to), to)


def _move_typed(found: Found, start: int, key: str) -> None:
    _move(found, start, int(st.session_state[key]) - 1)


def _turned(key: str) -> None:
    state.change(page=int(st.session_state[key]))


def _day(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b %Y}"
