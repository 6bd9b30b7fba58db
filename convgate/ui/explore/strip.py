"""The conversation as a strip: needed turns in full, others folded, with search, jumps and a minimap."""

from __future__ import annotations

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.core.conversation import Conversation
from convgate.core.decisions import TurnDecisions
from convgate.store.conversations import terms
from convgate.ui.explore.invariants import draw_invariants
from convgate.ui.explore.sending import draw_sent
from convgate.ui.explore.summary import draw_details, find_subjects
from convgate.ui.shared import scoring
from convgate.ui.shared.answering import Answering, take_answers, transcript_labelling
from convgate.ui.shared.changes import Indices, following
from convgate.ui.shared.explore_state import COLUMNS, LISTED, ExploreState, page
from convgate.ui.shared.frame import App
from convgate.ui.shared.keys import NEXT_DROPPED, NEXT_FLIPPED, NEXT_FOUND, NEXT_KEPT
from convgate.ui.shared.outcome import PolicyOutcome
from convgate.ui.shared.transcript import draw_transcript, focused_turn, opened_turns, select
from convgate.ui.shared.transcript_rows import RowMarks, transcript_data

TRANSCRIPT, SEARCH = "explore.transcript", "explore.search"


def draw_strip(
    app: App,
    state: ExploreState,
    outcome: PolicyOutcome,
    selected: int | None,
    answering: Answering,
) -> DeltaGenerator:
    """Draw what the strip shows: the turns, which can be answered for, what is sent, or the invariants.

    Returns the place of further controls.
    """
    with st.container(horizontal=True, gap="xsmall", key="explore-list"):
        _draw_listed(outcome)
        # An expander and no popover, whose buttons would have no keys until it is opened.
        with (
            st.expander("More", type="compact", key="explore-more"),
            st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="explore-further"),
        ):
            if state.listed in ("all", "dropped"):
                _draw_jumps(outcome, selected)
            _draw_view(outcome)
            draw_details(outcome)
            place = st.container(width="content")
    _draw_turns(app, state, outcome, selected, answering)
    return place


def _draw_turns(
    app: App,
    state: ExploreState,
    outcome: PolicyOutcome,
    selected: int | None,
    answering: Answering,
) -> None:
    if state.listed == "invariants":
        last = len(outcome.message.conversation) - 1
        with st.container(key="explore-invariants"):
            draw_invariants(app.store, outcome, state, last if selected is None else selected)
        return
    if state.listed == "sent":
        draw_sent(state, outcome, selected)
        return
    message, is_strip = outcome.message, state.listed == "all"
    conversation, current = message.conversation, message.current
    marks = RowMarks(
        selected=selected,
        focus=focused_turn(message.key),
        flips=outcome.flips,
        terms=terms(st.session_state.get(SEARCH) or ""),
        opened=opened_turns(message.key),
        labelling=transcript_labelling(answering, selected),
        modes={turn: mode.capitalize() for turn, mode in outcome.labels.items()},
        only=None if is_strip else _dropped_turns(outcome.decisions),
        subjects=find_subjects(message) if is_strip else None,
        columns=state.columns,
        passage=scoring.passage_finder(outcome.gate, message) if outcome.gate else None,
        missed=outcome.missed,
    )
    data = transcript_data(
        conversation, current, outcome.decisions, marks, place=f"{message.key} {state.listed}", height="fill"
    )
    draw_transcript(data, key=TRANSCRIPT, on_answers=_on_answers)


def _draw_listed(outcome: PolicyOutcome) -> None:
    """Draw the choice of what the strip shows, with the number of each."""
    decisions = outcome.decisions
    n_sent = int(decisions.kept.sum())
    selection = outcome.selection
    n_added = outcome.n_added
    added = f" + {n_added:,}" if n_added > 0 else ""  # messages that are no turns
    counts = {
        "all": f"{len(outcome.message.conversation):,}",
        "sent": f"{len(selection.messages) - n_added:,}{added}",
        "dropped": f"{len(decisions) - n_sent:,}",
        "invariants": f"{sum(invariant.active for invariant in selection.invariants):,}",
    }
    page.draw_choice("listed", "Show", {name: f"{LISTED[name]} {n}" for name, n in counts.items()})


def _draw_view(outcome: PolicyOutcome) -> None:
    """Draw the choice of the numbers of each turn, and of the chart."""
    with st.popover("View", icon=":material/tune:", key="explore-view"):
        if outcome.decisions.parts:
            st.pills(
                "Numbers of each turn", list(COLUMNS), format_func=COLUMNS.__getitem__,
                selection_mode="multi", **page.control("columns"),
                help="Turn alone: the bilinear score. With linked turns: the attention score. Share of links:"
                " that of the attention tier in the final score.",
            )  # fmt: skip
        st.toggle("Scores as dots, over turns", **page.control("chart"))
        st.toggle(
            "Spread low and high scores", **page.control("logit"),
            help="Gives scores near 0 and 1 more room, on the slider and in the chart.",
        )  # fmt: skip


def _dropped_turns(decisions: TurnDecisions) -> list[int]:
    turns: list[int] = decisions.indices[~decisions.kept].tolist()
    return turns


def find_turns(conversation: Conversation, search: str) -> Indices:
    """Return the turns whose speaker or text has every word of the search; "words in quotes" stay together.

    Words are found inside longer ones, in any case, as in the Library. A blank search finds nothing.
    """
    words = [term.casefold() for term in terms(search)]
    texts = (f"{turn.speaker}\n{turn.scored_text}".casefold() for turn in conversation.turns)
    matches = [bool(words) and all(word in text for word in words) for text in texts]
    return np.flatnonzero(matches)


def _draw_jumps(outcome: PolicyOutcome, selected: int | None) -> None:
    """Draw the search, and the buttons to the next kept, dropped, flipped and found turn."""
    st.text_input(
        "Search the transcript", key=SEARCH, type="search", live=True,
        label_visibility="collapsed", placeholder="Search", width=120, persist_state="session",
    )  # fmt: skip
    search = st.session_state.get(SEARCH) or ""
    decisions = outcome.decisions
    jumps = [
        ("kept", "Kept", NEXT_KEPT, decisions.indices[decisions.kept]),
        ("dropped", "Dropped", NEXT_DROPPED, decisions.indices[~decisions.kept]),
    ]
    if outcome.flips is not None and len(outcome.flips):
        jumps.append(("flipped", "Changed", NEXT_FLIPPED, outcome.flips.indices))
    if search.strip():
        matches = find_turns(outcome.message.conversation, search)
        jumps.append(("found", f"{len(matches):,} found", NEXT_FOUND, matches))
    for name, label, shortcut, turns in jumps:
        st.button(
            label, key=f"explore.next_{name}", shortcut=shortcut, disabled=not len(turns),
            on_click=_go_on, args=(turns, selected), help=f"The next turn: {label.lower()}",
        )  # fmt: skip


def _go_on(turns: Indices, first: int | None) -> None:
    """Select the next of these turns; first: the selected one until another was."""
    selected = page.now().selected
    select(following(turns, first if selected is None else selected))


def _on_answers() -> None:
    select(None)
    take_answers(TRANSCRIPT)
