"""Disagreements: the list of them, and settling one after the other; everybody's answers are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from convgate.store import SituationKey
from convgate.store.label_counts import Disagreement, LabelCounts
from convgate.transcripts.characters import isolate, writable
from convgate.ui.annotator import annotator
from convgate.ui.answering import CALLED, MARKS
from convgate.ui.explore import state
from convgate.ui.explore.answers import go
from convgate.ui.explore.outcome import Outcome
from convgate.ui.frame import App
from convgate.ui.state import selected_rows
from convgate.ui.wording import ago, counted

TABLE, PAGE, SETTLED = "label.disagreements", "label.disagreements.page", "label.disagreements.settled"
_LISTED = "label.disagreements.listed"
PER_PAGE = 10


def open_newest(app: App) -> None:
    """Show the newest disagreement that is not settled, if there is one."""
    for one in LabelCounts(app.store).disagreements(per_page=1).rows:
        go(one.situation, one.turn)


def draw_disagreements(app: App) -> None:
    """The list; a click on a row shows that turn."""
    settled = bool(st.session_state.get(SETTLED, False))
    page = int(st.session_state.get(PAGE, 1))
    found = LabelCounts(app.store).disagreements(page, PER_PAGE, settled=settled)
    pages = max(1, -(-found.total // PER_PAGE))
    if page > pages:
        found = LabelCounts(app.store).disagreements(pages, PER_PAGE, settled=settled)
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        what = "settled" if settled else "to be settled"
        st.markdown(
            f"**{counted(found.total, 'disagreement')} {what}.** Your answer settles a turn; what each person"
            " said is kept beside it."
            if found.total or settled
            else "**Nobody disagrees.** Turns that two people answered differently would be listed here."
        )
        st.toggle("Those that are settled", key=SETTLED, on_change=_first_page, persist_state="session")
    if annotator() is None:
        st.caption("To settle one, choose your name above.")
    if not found.rows:
        return
    st.session_state[_LISTED] = [(one.situation, one.turn) for one in found.rows]
    st.dataframe(
        [_row(one) for one in found.rows], hide_index=True, key=TABLE, on_select=_chose,
        selection_mode="single-row", alt=f"{counted(found.total, 'disagreement')}",
    )  # fmt: skip
    if pages > 1:
        st.session_state[PAGE] = min(page, pages)  # the last page empties as its turns are settled
        st.pagination(pages, key=PAGE, persist_state="session", on_change=state.touched)


def asked(app: App, outcome: Outcome) -> dict[int, str]:
    """The turns of the shown message on which people disagree, each with what they say."""
    here = outcome.moment.labelled
    turns = outcome.moment.history.stop
    rows = LabelCounts(app.store).disagreements(per_page=turns, settled=None, situation=here).rows
    return {one.turn: f"{_said(one)}." for one in reversed(rows)}


def finished(app: App) -> bool:
    """Whether everything is settled, and what was settled is not looked at either."""
    settled = bool(st.session_state.get(SETTLED, False))
    return not settled and not LabelCounts(app.store).disagreements(per_page=1).total


def onward(app: App, here: SituationKey) -> Callable[[], bool]:
    """Goes to the next message with an unsettled disagreement; whether there is any."""

    def go_on() -> bool:
        for one in LabelCounts(app.store).disagreements(per_page=50).rows:
            if one.situation != here:
                go(one.situation, one.turn)
                return True
        return False

    return go_on


def _row(one: Disagreement) -> dict[str, Any]:
    message = "question" if one.situation.turn is None else str(one.situation.turn + 1)
    row = {"conversation": writable(one.title), "message": message, "turn": one.turn + 1}
    row |= {"answers": writable(_said(one)), "when": ago(one.at)}
    if one.settled:
        row["settled"] = f"{MARKS[one.settled]} {CALLED[one.settled]}"
    return row


def _said(one: Disagreement) -> str:
    return ", ".join(
        f"{isolate(who)} {MARKS[answer]} {CALLED[answer]}" for who, answer in one.answers.items()
    )


def _chose() -> None:
    state.touched()
    rows = selected_rows(TABLE)
    listed: list[tuple[SituationKey, int]] = st.session_state.get(_LISTED, [])
    if rows and rows[0] < len(listed):
        go(*listed[rows[0]])


def _first_page() -> None:
    st.session_state[PAGE] = 1
    state.touched()
