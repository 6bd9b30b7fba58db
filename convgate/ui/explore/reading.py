"""The transcript with its search, its keys, and what a click in it does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import streamlit as st

from convgate.core.conversation import Conversation
from convgate.store.conversations import terms
from convgate.ui.answering import Answering, take_answers, transcript_labelling
from convgate.ui.changes import Indices, following
from convgate.ui.explore import state
from convgate.ui.explore.modes import NO_MODES, Modes
from convgate.ui.explore.outcome import Outcome
from convgate.ui.keys import NEXT_DIFFERENT, NEXT_DROPPED, NEXT_FLIPPED, NEXT_FOUND, NEXT_KEPT
from convgate.ui.transcript import Marks, asked, draw_transcript, transcript_data


def matching(conversation: Conversation, search: str) -> Indices:
    """The turns whose speaker or text has every word of the search; "words in quotes" stay together.

    Words are found inside longer ones, in any case, as in the Library. Blank finds nothing.
    """
    wanted = [term.casefold() for term in terms(search)]
    if not wanted:
        return np.zeros(0, dtype=np.int64)
    found = []
    for index, turn in enumerate(conversation.turns):
        text = f"{turn.speaker}\n{turn.scored_text}".casefold()
        if all(term in text for term in wanted):
            found.append(index)
    return np.array(found, dtype=np.int64)


TRANSCRIPT, SEARCH = "explore.transcript", "explore.search"
_FOCUS, _OPENED = "explore.focus", "explore.opened"  # of one conversation: (its key, the turns)
HEIGHT = "clamp(24rem, calc(100vh - 14rem), 46rem)"


@dataclass(frozen=True)
class _Jump:
    """A button that goes to the next turn of a kind."""

    name: str
    label: str
    shortcut: str
    help: str
    turns: Indices


def draw_reading(
    outcome: Outcome, selected: int | None, answering: Answering, modes: Modes = NO_MODES
) -> None:
    """Search, jumps and the list, in which turns are answered for; of one mode alone when one is chosen."""
    key, conversation = outcome.moment.key, outcome.moment.conversation
    search = st.session_state.get(SEARCH) or ""
    found = matching(conversation, search)
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-jumps"):
        st.text_input(
            "Search the transcript", key=SEARCH, type="search", live=True, on_change=state.touched,
            label_visibility="collapsed", placeholder="Search", width=165,
            persist_state="session",
        )  # fmt: skip
        for jump in _jumps(outcome, found, search):
            st.button(
                jump.label, key=f"explore.next_{jump.name}",
                shortcut=jump.shortcut, disabled=not len(jump.turns), help=jump.help,
                on_click=_select, args=(following(jump.turns, selected),),
            )  # fmt: skip
    opened, focus = _of(_OPENED, key), _of(_FOCUS, key)
    marks = Marks(
        selected=selected,
        focus=focus if isinstance(focus, int) else None,
        flips=outcome.flips,
        other=outcome.other.decisions if outcome.other else None,
        other_label=outcome.other_label,
        terms=terms(search),
        opened=opened if isinstance(opened, frozenset) else frozenset(),
        labelling=transcript_labelling(answering, selected),
        modes=modes.told,
        only=modes.only,
    )
    data = transcript_data(
        conversation, outcome.moment.situation, outcome.decisions, marks, place=key, height=HEIGHT
    )
    st.session_state["explore.shown"] = key
    draw_transcript(data, key=TRANSCRIPT, on_asked=_asked, on_answers=_answered)


def _jumps(outcome: Outcome, found: Indices, search: str) -> list[_Jump]:
    decisions = outcome.decisions
    jumps = [
        _Jump("kept", "kept", NEXT_KEPT, "The next kept turn", decisions.indices[decisions.kept]),
        _Jump(
            "dropped", "dropped", NEXT_DROPPED, "The next dropped turn", decisions.indices[~decisions.kept]
        ),
    ]
    if outcome.flips is not None:
        help = "The next turn that flips against the baseline"
        jumps.append(
            _Jump("flipped", f"flipped {len(outcome.flips):,}", NEXT_FLIPPED, help, outcome.flips.indices)
        )
    if outcome.agreement is not None:
        help = f"The next turn on which {outcome.other_label} decides otherwise"
        jumps.append(
            _Jump(
                "different",
                f"differ {len(outcome.agreement):,}",
                NEXT_DIFFERENT,
                help,
                outcome.agreement.indices,
            )
        )
    if search.strip():
        jumps.append(
            _Jump(
                "found",
                f"found {len(found):,}",
                NEXT_FOUND,
                "The next turn with these words",
                np.asarray(found),
            )
        )
    return jumps


def _of(name: str, key: str) -> object:
    kept = st.session_state.get(name)
    return kept[1] if kept and kept[0] == key else None


def _select(turn: int | None) -> None:
    if turn is not None:
        st.session_state.pop(_FOCUS, None)
        state.change(selected=turn)


def _answered() -> None:
    st.session_state.pop(_FOCUS, None)
    state.touched()
    take_answers(TRANSCRIPT)


def _asked() -> None:
    request, key = asked(TRANSCRIPT), st.session_state["explore.shown"]
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
