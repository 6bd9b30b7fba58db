"""The conversations of a transcript and one message of it: why it begins there, and how to move it."""

from __future__ import annotations

from datetime import datetime
from functools import partial

import streamlit as st

from convgate.core.text import format_age, pluralize, truncate
from convgate.core.text import format_duration as duration
from convgate.figures.hover import on_screen
from convgate.policies.sessions import Kind
from convgate.store.edits import MovedBoundaries
from convgate.ui import keys
from convgate.ui.actions import draw_undo
from convgate.ui.changes import following
from convgate.ui.navigation import EXPLORE
from convgate.ui.sessions import state
from convgate.ui.sessions.boundaries import (
    Changes,
    ConversationBoundaries,
    Segment,
    commands_of,
    kind_at,
    moved_to,
    put_back,
    record_at,
    said,
    states_of,
    store,
    times_of,
    undo,
)
from convgate.ui.sessions.state import View
from convgate.ui.text import literal
from convgate.ui.turn import Step, draw_turn_head, draw_turn_text

NOTE = "sessions.note"
_LONGEST_NOTE = 300  # characters
CALLED: dict[Kind, str] = {
    "session": "a session begins", "conversation": "a conversation begins", "none": "nothing begins",
}  # fmt: skip
_MAKES: dict[Kind, tuple[str, str]] = {
    "conversation": ("New conversation here", ":material/subdirectory_arrow_right:"),
    "session": ("New session here", ":material/first_page:"),
    "none": ("Goes on here", ":material/trending_flat:"),
}


def draw_message(found: ConversationBoundaries, selected: int) -> None:
    """The turn, why something begins with it or not, and the ways to say otherwise."""
    talk = found.conversation
    turn = talk.turns[selected]
    starts = found.shown.conversation_starts
    boundary = following(starts, selected) if len(starts) > 1 else None
    draw_turn_head(
        "sessions", talk, selected, state.select,
        Step("next", "next boundary", keys.NEXT_BOUNDARY, boundary, "Where the next conversation begins"),
    )  # fmt: skip
    draw_turn_text(turn)
    _draw_why(found, selected)
    if selected:
        _draw_making(found, selected)
    else:
        st.caption("The first message begins the first session; that cannot be moved.")
    moved = MovedBoundaries(found.app.store)
    draw_undo(state.page, moved.changed_last(found.key), partial(undo, found.app, found.key))
    _draw_way_out(found, selected)


def _draw_why(found: ConversationBoundaries, selected: int) -> None:
    """What begins here and why; beside it the rules, where a person said something."""
    record, mine = record_at(found.shown, selected), found.moved.get(selected)
    told = CALLED[kind_at(found.shown, selected)].capitalize()
    why = literal(on_screen(record.reason)) if record else "It goes on as the message before."
    by = " :orange-badge[:material/person: moved by a person]" if mine else ""
    st.markdown(f"**{told}:** {why}{by}")
    if mine:
        st.caption(_by_rules(found, selected) + (f" Said {format_age(mine.at)}." if mine.at else ""))
    facts = []
    times = times_of(found.key, found.conversation)
    if (
        selected
        and times is not None
        and (gap := (times[selected] - times[selected - 1]).total_seconds()) > 0
    ):
        facts.append(f"{duration(round(gap))} after the message before")
    if asked := commands_of(found.key, found.tried, found.conversation).get(selected):
        facts.append(f"the command “{literal(asked[1])}”")
    if reached := states_of(found.key, found.conversation).get(selected):
        facts.append(f"reaches {reached}")
    if facts:
        st.caption(" · ".join(facts))


def _by_rules(found: ConversationBoundaries, turn: int) -> str:
    bare = record_at(found.bare, turn)
    reason = f": {literal(on_screen(bare.reason))}" if bare else "."
    return f"The rules alone: {CALLED[kind_at(found.bare, turn)]}{reason}"


def _draw_put_back(found: ConversationBoundaries, turn: int, key: str) -> None:
    if turn in found.moved:
        st.button(
            "Put back to the rules", key=key, icon=":material/settings_backup_restore:",
            on_click=store, args=(found, partial(put_back, found, turn), turn),
        )  # fmt: skip


def _draw_making(found: ConversationBoundaries, selected: int) -> None:
    kind, mine = kind_at(found.shown, selected), found.moved.get(selected)
    # A key of each message's own, and of what is stored of it: an undo shows the note of before.
    key = f"{NOTE}.{found.key}.{selected}.{mine.at if mine else ''}"
    st.text_input(
        "Why", mine.note if mine else "", key=key, max_chars=_LONGEST_NOTE, on_change=_noted,
        args=(found, selected, key), placeholder="A note, if you like: it stands with what you choose below",
        label_visibility="collapsed",
    )  # fmt: skip
    with st.container(horizontal=True, gap="xsmall", key="sessions-making"):
        for wanted, (label, icon) in _MAKES.items():
            st.button(
                label, key=f"sessions.make.{wanted}", icon=icon, disabled=kind == wanted,
                on_click=_make, args=(found, selected, wanted, key),
            )  # fmt: skip
        _draw_put_back(found, selected, "sessions.put_back")


def _draw_way_out(found: ConversationBoundaries, selected: int) -> None:
    """The way to what the policy `session` keeps for the last message of this part to answer."""
    part = found.segment_of(selected)
    answered = [turn for turn in found.conversation.answerable() if part.start <= turn < part.stop]
    message = answered[-1] if answered else part.stop - 1
    st.page_link(
        EXPLORE, label=f"See what this keeps for turn {message + 1:,}, in Explore",
        icon=":material/query_stats:",
        query_params={"conversation": found.key, "turn": str(message + 1), "policy": "session"},
        help="The policy “Session”, with the settings in use: it keeps what was said since the conversation"
        " began.",
    )  # fmt: skip


def _make(found: ConversationBoundaries, selected: int, kind: Kind, key: str) -> None:
    note = str(st.session_state.get(key) or "")
    store(found, partial(_as_said, found, selected, kind, note), selected)


def _noted(found: ConversationBoundaries, selected: int, key: str) -> None:
    mine = found.moved.get(selected)
    if mine is None:
        state.touched()  # it is stored with what is chosen
        return
    note = str(st.session_state.get(key) or "")
    store(found, partial(_as_said, found, selected, mine.kind, note), selected)


def _as_said(found: ConversationBoundaries, selected: int, kind: Kind, note: str) -> Changes:
    return {selected: said(found, selected, kind, note)}


PER_PAGE = 8
_OPENING = 160  # characters
_WITHIN = 5  # messages of a conversation with which something else could have begun


def draw_segments(view: View, found: ConversationBoundaries, selected: int) -> None:
    """The conversations of the page that the view is on."""
    segments = found.segments
    pages = -(-len(segments) // PER_PAGE)
    here = found.segment_of(selected)
    page = min(view.page or (here.number - 1) // PER_PAGE + 1, pages)
    for one in segments[(page - 1) * PER_PAGE : page * PER_PAGE]:
        _draw_segment(found, one, is_here=one is here)
    state.page.draw_pages(len(segments), PER_PAGE, page)


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


def _draw_segment(found: ConversationBoundaries, one: Segment, *, is_here: bool) -> None:
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
        words = truncate(" ".join(opening.scored_text[: 4 * _OPENING].split()), _OPENING)
        st.markdown(f"{literal(opening.speaker, limit=40)}: {literal(words)}")
        _draw_reason(found, one)
        _draw_controls(found, one)
        _draw_within(found, one)


def _extent(found: ConversationBoundaries, one: Segment) -> str:
    turns = (
        f"turn {one.start + 1:,}" if one.stop - one.start == 1 else f"turns {one.start + 1:,}–{one.stop:,}"
    )
    parts = [turns, pluralize(one.stop - one.start, "message")]
    times = times_of(found.key, found.conversation)
    if times is not None:
        said_at = times[one.start : one.stop]
        parts.append(span(min(said_at), max(said_at)))
        if one.start and (gap := (times[one.start] - max(times[: one.start])).total_seconds()) > 0:
            parts.append(f"{duration(round(gap))} after the last")
    return " · ".join(parts)


def _draw_reason(found: ConversationBoundaries, one: Segment) -> None:
    st.markdown(f"**Why here:** {literal(on_screen(one.boundary.reason))}")
    if one.start in found.moved:
        st.caption(_by_rules(found, one.start))


def _draw_controls(found: ConversationBoundaries, one: Segment) -> None:
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
        _draw_put_back(found, one.start, f"{key}.back")


def _draw_within(found: ConversationBoundaries, one: Segment) -> None:
    """Where something else could have begun in it, and why it did not."""
    passed = [record for record in found.shown.continued if one.start < record.item < one.stop]
    for record in passed[:_WITHIN]:
        turn = record.item
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            told = f":material/trending_flat: Turn {turn + 1:,}: {literal(on_screen(record.reason))}"
            if turn in found.moved:
                told += f" {_by_rules(found, turn)}"
            st.markdown(told, width="stretch")
            _draw_put_back(found, turn, f"sessions.{turn}.back")
            st.button(
                "Look", key=f"sessions.{turn}.look", icon=":material/visibility:", on_click=state.select,
                args=(turn,),
            )  # fmt: skip
    if len(passed) > _WITHIN:
        st.caption(f"… and at {pluralize(len(passed) - _WITHIN, 'further turn')}")


def _removed(found: ConversationBoundaries, start: int) -> Changes:
    return {start: said(found, start, "none")}


def _move(found: ConversationBoundaries, start: int, to: int) -> None:
    store(found, partial(moved_to, found, start, to), to)


def _move_typed(found: ConversationBoundaries, start: int, key: str) -> None:
    _move(found, start, int(st.session_state[key]) - 1)


def _day(moment: datetime) -> str:
    return f"{moment:%a} {moment.day} {moment:%b %Y}"
