"""Any number of columns on one conversation: the answer, the picture, every turn, and the why of one."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from convgate.errors import ConvgateError
from convgate.ui.compare import state
from convgate.ui.compare.chart import draw_timeline
from convgate.ui.compare.choosing import draw_choosing, draw_too_few
from convgate.ui.compare.events import events_of
from convgate.ui.compare.made import Compared, decide_all
from convgate.ui.compare.reasons import draw_reasons
from convgate.ui.compare.state import View
from convgate.ui.compare.summary import draw_agreement, draw_summary
from convgate.ui.compare.table import draw_table
from convgate.ui.frame import App
from convgate.ui.picking import Picker
from convgate.ui.text import literal

_PICKER = Picker("compare", state.change, state.open_conversation)


def draw_talk(app: App, view: View, choosers: Mapping[str, str]) -> None:
    """The choice of conversation, message and columns, then how they differ."""
    picked = _PICKER.pick_conversation(app, view.conversation)
    if picked is None:
        return
    key, conversation = picked
    view, missing = view.showing(key).within(conversation)
    state.keep(view)
    for problem in missing:
        st.warning(literal(problem), icon=":material/link_off:")
    moment = _PICKER.pick_moment(key, conversation, view.turn, view.question)
    labels = draw_choosing(app, view, choosers)
    if draw_too_few(view):
        return
    against = view.against
    assert against is not None
    compared, failed = decide_all(app, view.policies, against, labels, moment)
    for label, error in failed.items():
        draw_failed(label, error)
    if compared is None:
        return
    if not len(compared.indices):
        st.info(
            "Nothing to decide: this message is the first turn, so nothing stands before it to keep or drop."
            " Choose a later message on the left.",
            icon=":material/first_page:",
        )
        return
    _draw_compared(app, view, compared)


def draw_failed(label: str, error: ConvgateError) -> None:
    """Why a column cannot decide; the others go on."""
    st.error(f"**{literal(label, limit=80)}** is left out: {literal(str(error))}", icon=":material/error:")


def _draw_compared(app: App, view: View, compared: Compared) -> None:
    draw_summary(compared)
    selected = _first_shown(compared) if view.selected is None else view.selected
    draw_timeline(compared, events_of(app, compared.moment), selected)
    draw_reasons(view, compared, selected)
    draw_table(view, compared)
    draw_agreement(compared)


def _first_shown(compared: Compared) -> int:
    """The newest turn that not all decide alike, else the newest."""
    differ = compared.differ
    return int(differ[-1] if len(differ) else compared.indices[-1])
