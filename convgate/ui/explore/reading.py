"""The transcript with its search, the buttons that jump to turns, and its clicks."""

from __future__ import annotations

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.decisions import TurnDecisions
from convgate.store.conversations import terms
from convgate.ui.explore.invariants import draw_invariants
from convgate.ui.shared.answering import take_answers, transcript_labelling
from convgate.ui.shared.answers import Answering
from convgate.ui.shared.changes import Indices, following
from convgate.ui.shared.explore_state import LISTED, ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.keys import NEXT_DROPPED, NEXT_FLIPPED, NEXT_FOUND, NEXT_KEPT
from convgate.ui.shared.outcome import Outcome
from convgate.ui.shared.transcript import draw_transcript, read_request
from convgate.ui.shared.transcript_rows import Marks, transcript_data

TRANSCRIPT, SEARCH = "explore.transcript", "explore.search"
_FOCUS, _OPENED = "explore.focus", "explore.opened"  # the turn in view, the expanded turns; by conversation
_SHOWN = "explore.shown"  # the conversation that was drawn last
_HEIGHT = "max(24rem, calc(100vh - 8rem))"


def draw_reading(
    app: App, state: ExploreState, outcome: Outcome, selected: int | None, answering: Answering
) -> None:
    """Draw the search, the buttons, and the turns, which can be answered for, or the invariants."""
    _draw_listed(state, outcome)
    if state.listed == "invariants":
        last = len(outcome.message.conversation) - 1
        draw_invariants(app.store, outcome, state, last if selected is None else selected)
        return
    key, conversation = outcome.message.key, outcome.message.conversation
    search = st.session_state.get(SEARCH) or ""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-jumps"):
        st.text_input(
            "Search the transcript", key=SEARCH, type="search", live=True,
            label_visibility="collapsed", placeholder="Search", width=165, persist_state="session",
        )  # fmt: skip
        _draw_jumps(outcome, selected, search)
    marks = Marks(
        selected=selected,
        focus=st.session_state.get(f"{_FOCUS}.{key}"),
        flips=outcome.flips,
        terms=terms(search),
        opened=st.session_state.get(f"{_OPENED}.{key}", frozenset()),
        labelling=transcript_labelling(answering, selected),
        modes={turn: mode.capitalize() for turn, mode in outcome.labels.items()},
        only=_listed_turns(state, outcome.decisions),
    )
    data = transcript_data(
        conversation,
        outcome.message.current,
        outcome.decisions,
        marks,
        place=f"{key} {state.listed}",
        height=_HEIGHT,
    )
    st.session_state[_SHOWN] = key
    draw_transcript(data, key=TRANSCRIPT, on_asked=_on_asked, on_answers=_on_answers)


def _draw_listed(state: ExploreState, outcome: Outcome) -> None:
    decisions = outcome.decisions
    n_sent = int(decisions.kept.sum())
    counts = {
        "all": len(outcome.message.conversation),
        "sent": n_sent,
        "dropped": len(decisions) - n_sent,
        "invariants": len(outcome.selection.invariants),
    }
    with st.container(key="explore-list"):
        st.segmented_control(
            "Show", list(LISTED), required=True, label_visibility="collapsed",
            **page.control("listed", state.listed),
            format_func=lambda name: f"{LISTED[name]} {counts[name]:,}",
        )  # fmt: skip


def _listed_turns(state: ExploreState, decisions: TurnDecisions) -> list[int] | None:
    if state.listed == "all":
        return None
    turns: list[int] = decisions.indices[decisions.kept == (state.listed == "sent")].tolist()
    return turns


def find_turns(conversation: Conversation, search: str) -> Indices:
    """Return the turns whose speaker or text has every word of the search; "words in quotes" stay together.

    Words are found inside longer ones, in any case, as in the Library. A blank search finds nothing.
    """
    words = [term.casefold() for term in terms(search)]
    texts = (f"{turn.speaker}\n{turn.scored_text}".casefold() for turn in conversation.turns)
    matches = [bool(words) and all(word in text for word in words) for text in texts]
    return np.flatnonzero(matches)


def _draw_jumps(outcome: Outcome, selected: int | None, search: str) -> None:
    """Draw the buttons to the next kept, dropped, flipped and found turn."""
    decisions = outcome.decisions
    jumps = [
        ("kept", "Next kept", NEXT_KEPT, decisions.indices[decisions.kept]),
        ("dropped", "Next dropped", NEXT_DROPPED, decisions.indices[~decisions.kept]),
    ]
    if outcome.flips is not None and len(outcome.flips):
        jumps.append(("flipped", "Next flipped", NEXT_FLIPPED, outcome.flips.indices))
    if search.strip():
        matches = find_turns(outcome.message.conversation, search)
        jumps.append(("found", f"Next of {len(matches):,} found", NEXT_FOUND, matches))
    for name, label, shortcut, turns in jumps:
        st.button(
            label, key=f"explore.next_{name}", shortcut=shortcut, disabled=not len(turns),
            on_click=_select, args=(following(turns, selected),),
        )  # fmt: skip


def _select(turn: int | None) -> None:
    _forget_focus()
    page.select(turn)


def _on_answers() -> None:
    _forget_focus()
    take_answers(TRANSCRIPT)


def _forget_focus() -> None:
    st.session_state.pop(f"{_FOCUS}.{st.session_state[_SHOWN]}", None)


def _on_asked() -> None:
    request, key = read_request(TRANSCRIPT), st.session_state[_SHOWN]
    if request is None:
        return
    if request.what == "select":
        _select(request.turn)
    elif request.what == "answer":
        _forget_focus()
        page.change(turn=request.turn, question="", selected=None)
    elif request.what == "show":
        st.session_state[f"{_FOCUS}.{key}"] = request.turn
    else:
        name = f"{_OPENED}.{key}"
        st.session_state[name] = st.session_state.get(name, frozenset()) | {request.turn}
