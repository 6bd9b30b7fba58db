"""Answers that are given in the transcript, by its own code: each is stored once, however often sent."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from convgate.labels.scopes import SCOPES
from convgate.store import SituationKey
from convgate.ui.answering.message import Answering
from convgate.ui.answering.storing import chosen_scope, refuse, store_answer
from convgate.ui.transcript import Labelling, given, situation_name

_SHOWN, _HANDLED = "answering.shown", "answering.handled"
_SHOWN_AT_MOST = 20  # messages whose answers may still be on their way


def labelling(answering: Answering, selected: int | None) -> Labelling:
    """What the transcript shows and takes of it."""
    shown: dict[str, Answering] = st.session_state.setdefault(_SHOWN, {})
    name = situation_name(answering.moment.key, answering.moment.situation)
    shown.pop(name, None)
    shown[name] = answering
    for old in list(shown)[:-_SHOWN_AT_MOST]:
        del shown[old]
    client, stored = st.session_state.get(_HANDLED, ("", 0))
    scope = chosen_scope(answering)
    targets: list[int] = []
    if scope != SCOPES[0] and selected is not None and answering.by is not None:
        targets = answering.targets(selected, scope)
    return Labelling(
        mine=answering.mine,
        theirs=answering.theirs(),
        enabled=answering.by is not None,
        open=frozenset(turn for turn in answering.history if answering.answers_for(turn)),
        scope=scope,
        targets=frozenset(targets),
        put_off=frozenset(answering.later) - answering.mine.keys(),
        client=client,
        stored=stored,
    )


def take_answers(key: str) -> None:
    """Store what came from the transcript `key`, each answer once; its callback."""
    client, answers, unreadable = given(key)
    if unreadable:
        refuse("Something came from the list of turns that is no answer; it was not stored.")
    known, stored = st.session_state.get(_HANDLED, ("", 0))
    if client != known:
        stored = 0
    shown: dict[str, Answering] = st.session_state.get(_SHOWN, {})
    for answer in answers:
        if answer.number <= stored:
            continue
        stored = answer.number
        st.session_state[_HANDLED] = (client, stored)
        if (answering := shown.get(answer.situation)) is None:
            refuse("An answer came for a message that is no longer shown, and was not stored. Give it again.")
        elif answer.scope not in SCOPES or not answering.answers_for(answer.turn):
            refuse("An answer came for a turn that is not asked about here; it was not stored.")
        elif answering.by is None:
            refuse("An answer was not stored: nobody can answer here now. Choose a name first.")
        else:
            if answer.situation != list(shown)[-1]:
                answering = replace(answering, go=_stay, onward=None)
            store_answer(answering, answer.turn, answer.value, answer.scope)


def _stay(situation: SituationKey, turn: int | None) -> None:
    """An answer for a message that was left meanwhile leads nowhere."""
