"""Rules from top to bottom: choose, decide, the numbers, then exchanges beside the editor."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import streamlit as st

from convgate.figures.hover import percent
from convgate.settings import FILE_NAME
from convgate.ui.frame import App
from convgate.ui.picking import Picker
from convgate.ui.rules import state
from convgate.ui.rules.changing import draw_changes, draw_summary, with_library
from convgate.ui.rules.counting import draw_statistics
from convgate.ui.rules.draft import current_draft
from convgate.ui.rules.editing import draw_editing, draw_words
from convgate.ui.rules.exchanges import draw_exchanges
from convgate.ui.rules.looking import looked, talk_of
from convgate.ui.rules.rows import colours
from convgate.ui.rules.rules_file import read_file, rules_path
from convgate.ui.rules.trying import draw_trying
from convgate.ui.rules.view import LOOKS, View
from convgate.ui.rules.work import Work
from convgate.ui.text import literal
from convgate.ui.theme import current_palette
from convgate.ui.wording import counted

LOOK = "rules.look"
_STYLE = Path(__file__).with_name("rules.css")


def rules_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    st.html(colours(current_palette()))
    view, problems = state.current_view()
    picked = _picker.pick_conversation(app, view.conversation)
    if picked is not None:
        view = replace(view, conversation=picked[0])
    state.keep(view)
    with st.container():
        for problem in problems:
            st.warning(literal(problem), icon=":material/link_off:")
    file = read_file(rules_path(app.settings))
    work = Work(app, view, file, current_draft(file), looked(app), talk_of(app, *picked) if picked else None)
    _draw_mode(app)
    with st.container():
        if work.talk is not None:
            _draw_strip(work)
    place = st.empty()
    if (
        work.is_changed
        or work.shown.skip_patterns
        or view.look == "changes"
        or (view.look == "statistics" and view.library)
    ):
        work = with_library(work, place)
    with st.container(key="rules-body"):
        left, right = st.columns([1.45, 1], gap="medium")
        with left:
            _draw_look(work)
        with right, st.container(key="rules-editor"):
            draw_editing(work)
            draw_summary(work)
            draw_words(work)
            draw_trying(work)


def _draw_look(work: Work) -> None:
    state.put(LOOK, work.view.look)
    st.segmented_control(
        "Look at", list(LOOKS), key=LOOK, required=True, on_change=_chose_look, label_visibility="collapsed",
        format_func=lambda name: LOOKS[name],
    )  # fmt: skip
    if work.view.look == "changes":
        draw_changes(work)
    elif work.view.look == "statistics":
        draw_statistics(work)
    elif work.talk is not None:
        draw_exchanges(work)


def _draw_strip(work: Work) -> None:
    """The conversation in numbers."""
    rows = work.rows
    kept = sum(1 for row in rows if row.keep)
    default = sum(1 for row in rows if row.is_default)
    own = sum(1 for row in rows if row.own)
    with st.container(horizontal=True, key="rules-strip", gap="medium"):
        for label, value, told, help in (
            ("Exchanges", f"{len(rows):,}", "in this conversation", "A user's message with what answers it"),
            (
                "Kept",
                f"{kept:,}",
                f"{percent(kept / len(rows))} kept" if rows else "none",
                "Worth storing",
            ),
            ("Skipped", f"{len(rows) - kept:,}", "not stored", "Greetings, confirmations, short exchanges"),
            (
                "Kept by default",
                f"{default:,}",
                "to be looked at",
                "Nothing says that these can be left out, and nothing says why they matter",
            ),
            (
                "By your rules",
                f"{own:,}",
                f"by {counted(len(work.shown), 'rule')}",
                "Decided by a rule of your own",
            ),
        ):
            st.metric(label, value, told, delta_color="off", delta_arrow="off", width="content", help=help)


def _draw_mode(app: App) -> None:
    """Which way to decide is set, and where that is done."""
    mode = app.settings.gatekeeper_mode
    told = {
        "pattern": "by words alone; no model is asked.",
        "hybrid": "by words, and a language model is asked where they say nothing. This page shows what the"
        " words say, and asks the model only when you do.",
        "llm": "by a language model, after your rules. This page shows what the words say, and asks the model"
        " only when you do.",
        "disabled": "switched off: agents store everything. This page shows what the words would say.",
    }[mode]
    icon = ":material/warning:" if mode == "disabled" else ":material/settings:"
    st.caption(
        f"{icon} Mode **{mode}**: {told}",
        help=f"Set by gatekeeper\\_mode in {literal(str(app.settings.home / FILE_NAME))}, or by the"
        " environment variable CONVGATE\\_GATEKEEPER\\_MODE: pattern, hybrid, llm or disabled.",
    )


def _chose_look() -> None:
    state.change(look=st.session_state[LOOK], page=1)


def _open(key: str | None) -> None:
    if key is not None:
        view: View = st.session_state[state.VIEW]
        st.session_state[state.VIEW] = view.opened(key)
    state.touched()


_picker = Picker("rules", state.change, _open)
