"""One message: what begins with it and why, what the rules alone say, and what a person makes of it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from convgate.figures.hover import on_screen
from convgate.sessions import Kind
from convgate.store.edits import MovedBoundaries
from convgate.text import format_duration
from convgate.ui import keys
from convgate.ui.navigation import EXPLORE
from convgate.ui.sessions import state
from convgate.ui.sessions.found import Found, commands_of, kind_at, record_at, states_of, times_of
from convgate.ui.sessions.moving import Changes, put_back, said, store, undo
from convgate.ui.steps import following
from convgate.ui.text import literal, show_text
from convgate.ui.transcript.rows import when
from convgate.ui.wording import ago

NOTE = "sessions.note"
_TEXT = 2_000  # characters of the message; the transcript in Explore has all of it
_LONGEST_NOTE = 300  # characters
CALLED: dict[Kind, str] = {
    "session": "a session begins", "conversation": "a conversation begins", "none": "nothing begins",
}  # fmt: skip
_MAKES: dict[Kind, tuple[str, str]] = {
    "conversation": ("New conversation here", ":material/subdirectory_arrow_right:"),
    "session": ("New session here", ":material/first_page:"),
    "none": ("Goes on here", ":material/trending_flat:"),
}


def draw_message(found: Found, selected: int) -> None:
    """The turn, why something begins with it or not, and the ways to say otherwise."""
    talk = found.conversation
    turn = talk.turns[selected]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        st.subheader(f"Turn {selected + 1:,}", anchor=False, width="content")
        _, exact = when(turn.timestamp, None)
        name = literal(turn.speaker, limit=60)
        st.caption(f"{name} · {exact}" if exact else f"{name} · no time", width="stretch")
    _draw_steps(found, selected)
    with st.container(key="sessions-text"):
        if text := turn.scored_text.strip():
            show_text(text, limit=_TEXT)
        else:
            st.caption("This turn has no text.")
    _draw_why(found, selected)
    if selected:
        _draw_making(found, selected)
    else:
        st.caption("The first message begins the first session; that cannot be moved.")
    _draw_undo(found)
    _draw_way_out(found, selected)


def _draw_steps(found: Found, selected: int) -> None:
    starts = found.shown.conversation_starts
    with st.container(horizontal=True, gap="xsmall"):
        st.button(
            "older", key="sessions.older", shortcut=keys.OLDER, disabled=selected == 0,
            on_click=state.select, args=(selected - 1,),
        )  # fmt: skip
        st.button(
            "newer", key="sessions.newer", shortcut=keys.NEWER, on_click=state.select, args=(selected + 1,),
            disabled=selected == len(found.conversation) - 1,
        )  # fmt: skip
        st.button(
            "next boundary", key="sessions.next", shortcut=keys.NEXT_BOUNDARY, disabled=len(starts) < 2,
            on_click=state.select, args=(following(starts, selected),),
        )  # fmt: skip


def _draw_why(found: Found, selected: int) -> None:
    """What begins here and why; beside it the rules, where a person said something."""
    record, mine = record_at(found.shown, selected), found.moved.get(selected)
    told = CALLED[kind_at(found.shown, selected)].capitalize()
    why = literal(on_screen(record.reason)) if record else "It goes on as the message before."
    by = " :orange-badge[:material/person: moved by a person]" if mine else ""
    st.markdown(f"**{told}:** {why}{by}")
    if mine:
        bare = record_at(found.bare, selected)
        reason = f": {literal(on_screen(bare.reason))}" if bare else "."
        moment = f" Said {ago(mine.at)}." if mine.at else ""
        st.caption(f"The rules alone: {CALLED[kind_at(found.bare, selected)]}{reason}{moment}")
    facts = []
    times = times_of(found.key, found.conversation)
    if (
        selected
        and times is not None
        and (gap := (times[selected] - times[selected - 1]).total_seconds()) > 0
    ):
        facts.append(f"{format_duration(round(gap))} after the message before")
    if asked := commands_of(found.key, found.tried, found.conversation).get(selected):
        facts.append(f"the command “{literal(asked[1])}”")
    if reached := states_of(found.key, found.conversation).get(selected):
        facts.append(f"reaches {reached}")
    if facts:
        st.caption(" · ".join(facts))


def _draw_making(found: Found, selected: int) -> None:
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
        if mine:
            st.button(
                "Put back to the rules", key="sessions.put_back", icon=":material/settings_backup_restore:",
                on_click=store, args=(found, partial(put_back, found, selected), selected),
            )  # fmt: skip


def _draw_undo(found: Found) -> None:
    turns = MovedBoundaries(found.app.store).changed_last(found.key)
    if turns:
        told = " and ".join(f"{turn + 1:,}" for turn in turns[:2]) + (" …" if len(turns) > 2 else "")
        st.button(
            f"Undo the last change (turn {told})", key="sessions.undo", icon=":material/undo:",
            shortcut=keys.UNDO, type="tertiary", on_click=undo, args=(found.app, found.key),
        )  # fmt: skip


def _draw_way_out(found: Found, selected: int) -> None:
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


def _make(found: Found, selected: int, kind: Kind, key: str) -> None:
    note = str(st.session_state.get(key) or "")
    store(found, partial(_as_said, found, selected, kind, note), selected)


def _noted(found: Found, selected: int, key: str) -> None:
    mine = found.moved.get(selected)
    if mine is None:
        state.touched()  # it is stored with what is chosen
        return
    note = str(st.session_state.get(key) or "")
    store(found, partial(_as_said, found, selected, mine.kind, note), selected)


def _as_said(found: Found, selected: int, kind: Kind, note: str) -> Changes:
    return {selected: said(found, selected, kind, note)}
