"""What saving would change in the library: counted beside the editor, listed by conversation."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from convgate.gatekeeper.decision import SKIP
from convgate.ui.rules import state
from convgate.ui.rules.flips import Changes, changes
from convgate.ui.rules.listing import draw_list
from convgate.ui.rules.looking import Extent, look_through
from convgate.ui.rules.view import FLIPS
from convgate.ui.rules.work import Work
from convgate.ui.text import literal
from convgate.ui.wording import counted

ONLY, WHOLE = "rules.only", "rules.whole"
MUCH = 0.5
"""A skip rule that decides more than this share of the exchanges is warned of."""


def with_library(work: Work, place: DeltaGenerator) -> Work:
    """The work with the library looked through, and what the draft changes in it; progress is told there."""

    def progress(done: int, aim: int) -> None:
        told = f"Looking through the library: {done:,} of {counted(aim, 'turn')} …"
        place.progress(min(1.0, done / max(1, aim)), told)

    extent = look_through(work.app, progress, whole=bool(st.session_state.get(WHOLE)))
    place.empty()
    asked = (extent.keys, work.in_use, work.shown)
    found = work.held.last("changes", asked, lambda: changes(work.held, *asked))
    return replace(work, extent=extent, changes=found)


def draw_summary(work: Work) -> None:
    """How many exchanges flip, what is left to look through, and rules that decide too much, saved or not."""
    if work.typed.rules is None or work.changes is None or work.extent is None:
        return
    found = work.changes
    if not work.is_changed:
        _warn(work, found)
        return
    if not found.exchanges:
        st.caption("There is no exchange in the library yet that this could change.")
        return
    parts = [
        f"↓\u00a0{len(found.of('skipped')):,} skipped now",
        f"↑\u00a0{len(found.of('kept')):,} kept now",
        f"{len(found.of('category')):,} of another category",
    ]
    verb = "changes" if len(found.flips) == 1 else "change"
    st.markdown(
        f"**What changes in the library: {counted(len(found.flips), 'exchange')}** of {found.exchanges:,}"
        f" {verb}: {', '.join(parts)}."
    )
    _warn(work, found)
    draw_rest(work.extent)
    if found.flips and work.view.look != "changes":
        st.button("Show what changes", key="rules.show_changes", icon=":material/list:", on_click=_show)


def _warn(work: Work, found: Changes) -> None:
    """Which rules skip more than a rule should."""
    for rule, number in found.decided_by.items():
        if rule in work.shown.skip_patterns and number > MUCH * found.exchanges:
            st.warning(
                f"The rule in line {rule.line} ({literal(rule.pattern, limit=60)}) alone skips {number:,} of"
                f" {counted(found.exchanges, 'exchange')}: more than half.",
                icon=":material/warning:",
            )


def draw_rest(extent: Extent) -> None:
    """That some of the library was not looked at, with the button that does."""
    if extent.damaged:
        st.caption(f"{counted(extent.damaged, 'conversation')} cannot be read and is left out.")
    if not extent.is_whole:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(
                f"The newest {counted(len(extent.keys), 'conversation')} of {extent.conversations:,} were"
                " looked through.",
                width="content",
            )
            st.button(
                f"Look through the rest ({counted(extent.turns_left, 'turn')})", key="rules.rest",
                on_click=_look_through_all,
            )  # fmt: skip


def draw_changes(work: Work) -> None:
    """The flips, by conversation, with the old and the new reason; and what each rule decides."""
    found, extent = work.changes, work.extent
    assert found is not None
    assert extent is not None
    if work.typed.rules is None:
        st.info(
            "The text in the editor has problems; once they are mended, what it changes stands here.",
            icon=":material/error:",
        )
        return
    if not found.flips:
        st.info(
            "Nothing changes: the editor has the saved rules, or rules that decide alike. Change one,"
            " or make one of an exchange, and see here what it would do before it is saved.",
            icon=":material/difference:",
        )
    else:
        state.put(ONLY, work.view.only)
        st.pills(
            "Which", list(FLIPS), key=ONLY, required=True, wrap=True, on_change=_chose_only,
            label_visibility="collapsed", format_func=lambda name: f"{FLIPS[name]} {len(found.of(name)):,}",
        )  # fmt: skip
        rows = [flip.now for flip in found.of(work.view.only)]
        if not rows:
            st.caption("No exchange changes like that.")
        draw_list(work, rows, name=f"changes.{work.view.only}.{work.draft.revision}", titles=extent.titles)
    _draw_rules(work, found)


def _draw_rules(work: Work, found: Changes) -> None:
    """How many exchanges each rule decides: one that decides none is written in vain."""
    rules = [*work.shown.skip_patterns, *work.shown.keep_patterns]
    if not rules:
        return
    lines = ["| Line | Rule | Decides |", "|---:|:---|---:|"]
    for rule in sorted(rules, key=lambda rule: rule.line or 0)[:50]:
        outcome = SKIP if rule in work.shown.skip_patterns else "keep"
        told = literal(rule.pattern, limit=60)
        lines.append(f"| {rule.line} | {outcome} {told} | {found.decided_by.get(rule, 0):,} |")
    with st.expander("What each rule decides", expanded=not found.flips), st.container(key="rules-own"):
        st.markdown("\n".join(lines))
        st.caption(f"Of {counted(found.exchanges, 'exchange')} that were looked through.")


def _chose_only() -> None:
    state.change(only=st.session_state[ONLY], page=1)


def _show() -> None:
    state.change(look="changes", only="all", page=1)


def _look_through_all() -> None:
    st.session_state[WHOLE] = True
    state.touched()
