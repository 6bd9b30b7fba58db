"""The transcript with its search, the buttons that lead to turns, and what a click in it does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation
from convgate.core.errors import ContextError
from convgate.core.text import format_number
from convgate.store.conversations import terms
from convgate.ui.answering import Answering, take_answers, transcript_labelling
from convgate.ui.changes import Indices, following
from convgate.ui.explore import state
from convgate.ui.explore.outcome import Outcome
from convgate.ui.frame import App
from convgate.ui.keys import NEXT_DROPPED, NEXT_FLIPPED, NEXT_FOUND, NEXT_KEPT
from convgate.ui.modes import are_modes_ready, conversation_modes, find_ahead
from convgate.ui.text import literal
from convgate.ui.transcript import Marks, asked, draw_transcript, transcript_data

TRANSCRIPT, SEARCH = "explore.transcript", "explore.search"
_FOCUS, _OPENED = "explore.focus", "explore.opened"  # of one conversation: (its key, the turns)
_SHOWN = "explore.shown"
_HEIGHT = "max(24rem, calc(100vh - 8rem))"
_MAX_TURNS_WITH_MODES = 120  # in longer conversations it takes too long to find the modes unasked


def draw_reading(app: App, outcome: Outcome, selected: int | None, answering: Answering) -> None:
    """Draw the search, the buttons, and the turns, which can be answered for."""
    key, conversation = outcome.moment.key, outcome.moment.conversation
    search = st.session_state.get(SEARCH) or ""
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-jumps"):
        st.text_input(
            "Search the transcript", key=SEARCH, type="search", live=True, on_change=state.touched,
            label_visibility="collapsed", placeholder="Search", width=165, persist_state="session",
        )  # fmt: skip
        _draw_jumps(outcome, selected, search)
    opened, focus = _of(_OPENED, key), _of(_FOCUS, key)
    marks = Marks(
        selected=selected,
        focus=focus if isinstance(focus, int) else None,
        flips=outcome.flips,
        terms=terms(search),
        opened=opened if isinstance(opened, frozenset) else frozenset(),
        labelling=transcript_labelling(answering, selected),
        modes=_find_modes(app, outcome),
    )
    data = transcript_data(
        conversation, outcome.moment.situation, outcome.decisions, marks, place=key, height=_HEIGHT
    )
    st.session_state[_SHOWN] = key
    draw_transcript(data, key=TRANSCRIPT, on_asked=_on_asked, on_answers=_on_answers)


def find_turns(conversation: Conversation, search: str) -> Indices:
    """Return the turns whose speaker or text has every word of the search; "words in quotes" stay together.

    Words are found inside longer ones, in any case, as in the Library. A blank search finds nothing.
    """
    wanted = [term.casefold() for term in terms(search)]
    texts = (f"{turn.speaker}\n{turn.scored_text}".casefold() for turn in conversation.turns)
    matches = [bool(wanted) and all(term in text for term in wanted) for text in texts]
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
        found = find_turns(outcome.moment.conversation, search)
        jumps.append(("found", f"Next of {len(found):,} found", NEXT_FOUND, found))
    for name, label, shortcut, turns in jumps:
        st.button(
            label, key=f"explore.next_{name}", shortcut=shortcut, disabled=not len(turns),
            on_click=_select, args=(following(turns, selected),),
        )  # fmt: skip


def _find_modes(app: App, outcome: Outcome) -> Mapping[int, tuple[str, str]]:
    """Return the mode of each user's turn, with its reason; nothing where finding them takes long."""
    key, conversation = outcome.moment.key, outcome.moment.conversation
    is_encoded = getattr(outcome.policy, "encoder", None) is not None
    if not is_encoded or len(conversation) > _MAX_TURNS_WITH_MODES or not are_modes_ready(app):
        return {}
    try:
        find_ahead(app, key, conversation)
        modes = conversation_modes(app, key, conversation)
    except ContextError as error:  # decisions do not depend on modes
        st.warning(f"Modes cannot be found: {literal(str(error))}", icon=":material/category:")
        return {}
    return {
        turn: (
            f"{mode.likeliest}{'' if mode.mode == mode.likeliest else '?'} {format_number(mode.confidence)}",
            mode.reason,
        )
        for turn, mode in modes.found.items()
    }


def _of(name: str, key: str) -> object:
    kept = st.session_state.get(name)
    return kept[1] if kept and kept[0] == key else None


def _select(turn: int | None) -> None:
    st.session_state.pop(_FOCUS, None)
    state.select(turn)


def _on_answers() -> None:
    st.session_state.pop(_FOCUS, None)
    state.touched()
    take_answers(TRANSCRIPT)


def _on_asked() -> None:
    request, key = asked(TRANSCRIPT), st.session_state[_SHOWN]
    state.touched()
    if request is None:
        return
    if request.what == "select":
        _select(request.turn)
    elif request.what == "answer":
        st.session_state.pop(_FOCUS, None)
        state.change(turn=request.turn, question="", selected=None)
    elif request.what == "show":
        st.session_state[_FOCUS] = (key, request.turn)
    else:
        before = _of(_OPENED, key)
        opened = before if isinstance(before, frozenset) else frozenset()
        st.session_state[_OPENED] = (key, opened | {request.turn})
