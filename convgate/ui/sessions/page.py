"""Sessions: rules, summary, table of boundaries, timeline, the selected message, and stored sessions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import streamlit as st
import tomli_w

from convgate.core.errors import SessionError
from convgate.core.home import app_root
from convgate.core.text import format_duration, format_time, pluralize, truncate, writable
from convgate.figures.hover import on_screen
from convgate.figures.sessions import HEIGHT, Event, Timeline, describe_timeline, timeline_figure
from convgate.policies.sessions import Boundaries, BoundaryKind, BoundaryRules
from convgate.store.sessions import Sessions
from convgate.ui.sessions.boundaries import (
    LABELS,
    ConversationBoundaries,
    boundary_at,
    draw_turn,
    example_boundaries,
    load_boundaries,
    states_of,
    subjects_of,
    times_of,
)
from convgate.ui.shared.actions import draw_problem, reporting_problems
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.codecs import TURN, Codec, share
from convgate.ui.shared.frame import App
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.picker import pick_conversation
from convgate.ui.shared.samples import load_samples
from convgate.ui.shared.session_state import clicked, selected_cell
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.turn import turn_labels

EXAMPLE = "purple_button_one_day.json"
"""The sample that an empty library shows."""

CHART, TABLE = "sessions.chart", "sessions.boundaries"
_STYLE = Path(__file__).with_name("sessions.css")
_GAPS = tuple(
    60.0 * minutes
    for minutes in (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240, 360, 480, 720, 1440, 2880, 4320, 10080)
)
_SETTINGS = {
    "idle_gap_seconds": "idle_gap_seconds",
    "continue_overrides_gap": "continue_overrides_gap",
    "close_on_complete": "auto_close_on_workflow_complete",
}
_MAX_PROBLEMS = 5
_MAX_ROWS_HEIGHT = 354  # pixels
_MAX_WORDS = 120  # characters
STORED = "sessions.stored"
_MAX_ROWS = 50
_SECONDS = share(0, math.inf)
GAP = Codec(
    lambda gap: "off" if math.isinf(gap) else _SECONDS.write(gap),
    lambda text: math.inf if text == "off" else _SECONDS.read(text),
    "a number of seconds, or off",
)


@dataclass(frozen=True)
class SessionsState(PageState):
    """One conversation under some rules; None for the saved ones.

    ?conversation=KEY&selected=13&gap=1800&override=0
    """

    selected: int | None = param(None, TURN, of_conversation=True)
    gap: float | None = param(None, GAP)  # seconds, inf for none
    override: bool | None = None  # whether a continue command continues after a longer gap
    complete: bool | None = None  # whether COMPLETE closes the conversation

    def rules(self, saved: BoundaryRules) -> BoundaryRules:
        """Return the saved rules with what the page changes."""
        return replace(
            saved,
            idle_gap_seconds=saved.idle_gap_seconds if self.gap is None else self.gap,
            continue_overrides_gap=saved.continue_overrides_gap if self.override is None else self.override,
            close_on_complete=saved.close_on_complete if self.complete is None else self.complete,
        )


page = Address("sessions", SessionsState)


def draw_page(app: App) -> None:
    """Draw the page."""
    st.html(_STYLE)
    _draw_conversation(app)
    draw_stored(app)


def _draw_conversation(app: App) -> None:
    state, problems = page.current()
    if state.conversation is None and not app.conversations.keys():
        _draw_example(app, state, problems)
        return
    picked = pick_conversation(page, app, state, problems)
    if picked is None:
        return
    state, key, _ = picked
    try:
        saved_rules = BoundaryRules.of(app.settings)
    except SessionError as error:
        st.error(literal(f"The settings of sessions are not valid: {error}"), icon=":material/error:")
        return
    rules = state.rules(saved_rules)
    boundaries = load_boundaries(app, page, key, rules)
    _draw_rules(boundaries, rules, saved_rules)
    selected = boundaries.shown.conversation_starts[-1] if state.selected is None else state.selected
    _draw_boundaries(boundaries, selected, rules.idle_gap_seconds)


def _draw_example(app: App, state: SessionsState, problems: Sequence[str]) -> None:
    """Draw the boundaries of a sample, which is not in the library."""
    samples = load_samples(app_root() / "sample_conversations")
    sample = next(each for each in samples if each.file == EXAMPLE)
    state, unknown = state.drop_unknown(len(sample.conversations[0]))
    page.keep(state, [*problems, *unknown])
    st.caption(f"The library is empty, so this is a sample: {literal(sample.title)}.")
    rules = state.rules(BoundaryRules())
    boundaries = example_boundaries(app, page, sample.conversations[0], rules)
    selected = sample.turn if state.selected is None else state.selected
    _draw_boundaries(boundaries, selected, rules.idle_gap_seconds)


def _draw_boundaries(boundaries: ConversationBoundaries, selected: int, gap: float) -> None:
    _draw_summary(boundaries, gap)
    with st.container(key="sessions-body"):
        left, right = st.columns([1.45, 1], gap="medium")
        with left:
            _draw_table(boundaries)
            _draw_chart(boundaries, selected)
        with right, st.container(key="sessions-message"):
            draw_turn(boundaries, selected)


def _draw_rules(boundaries: ConversationBoundaries, rules: BoundaryRules, saved: BoundaryRules) -> None:
    """Draw the rules that this conversation can follow in the sidebar."""
    has_times = times_of(boundaries.key, boundaries.conversation) is not None
    has_states = bool(states_of(boundaries.key, boundaries.conversation))
    with st.sidebar:
        if has_times or has_states:
            st.markdown("**Rules**", help="Changes apply to this page only. The lines below save them.")
        if has_times:
            _draw_gap(rules, saved)
        if has_states:
            st.toggle(
                "A finished workflow ends the conversation",
                **page.control("complete", rules.close_on_complete),
                help="The message after the workflow state COMPLETE begins a conversation.",
            )
        if rules != saved:
            st.button(
                "Reset the rules", key="sessions.reset", icon=":material/undo:", width="stretch",
                on_click=page.change, kwargs={"gap": None, "override": None, "complete": None},
            )  # fmt: skip
            st.caption("To save these rules, add to convgate.toml:")
            st.code(settings_lines(rules, saved), language="toml")


def _draw_gap(rules: BoundaryRules, saved: BoundaryRules) -> None:
    """Draw how long a session lasts without a message, and what continues it."""
    st.select_slider(
        "Time without a message that ends a session",
        sorted({*_GAPS, math.inf, rules.idle_gap_seconds, saved.idle_gap_seconds}),
        format_func=lambda gap: "none" if math.isinf(gap) else format_duration(gap),
        **page.control("gap", rules.idle_gap_seconds),
    )  # fmt: skip
    st.toggle(
        "“Continue” goes on after a longer time",
        **page.control("override", rules.continue_overrides_gap),
        help="A message that begins with “continue” continues the conversation after any gap.",
    )


def settings_lines(rules: BoundaryRules, saved: BoundaryRules) -> str:
    """Return the lines of a settings file that save the rules."""
    values = ((name, getattr(rules, field), getattr(saved, field)) for field, name in _SETTINGS.items())
    changed = {name: value for name, value, saved_value in values if value != saved_value}
    return tomli_w.dumps({"session": changed} if changed else {})


def _draw_summary(boundaries: ConversationBoundaries, gap: float) -> None:
    """Draw what the newest boundary changes, and how many there are; gap: seconds that end a session."""
    shown = boundaries.shown
    total, before = len(boundaries.conversation), shown.conversation_starts[-1]
    sentence = f"A model gets all {total:,} turns: nothing new begins after the first"
    if before:
        sentence = (
            f"A model gets the last {total - before:,} of {total:,} turns: with turn {before + 1:,} something"
            " new begins"
        )
    st.markdown(f"##### {sentence}")
    times = times_of(boundaries.key, boundaries.conversation)
    longest = max(((later - time).total_seconds() for time, later in pairwise(times or ())), default=0.0)
    words = f"{pluralize(len(boundaries.conversation), 'message')}: {_count(shown)}."
    if times is not None and not math.isinf(gap):
        words += f" A session ends after {format_duration(gap)} without a message."
    if longest > 0:
        words += f" The longest time without one is {format_duration(round(longest))}."
    if boundaries.edits:
        edited = pluralize(len(boundaries.edits), "turn")
        words += f" {edited} edited; by the rules alone, {_count(boundaries.by_rules)}."
    if times is None:
        words += (
            " A session begins after a pause or a new subject. Most messages have no time, so pauses are not"
            " known."
        )
    st.markdown(words)
    if shown.problems:
        more = f" … and {len(shown.problems) - _MAX_PROBLEMS:,} more" * (len(shown.problems) > _MAX_PROBLEMS)
        problems = on_screen("; ".join(shown.problems[:_MAX_PROBLEMS]))
        st.warning(f"{literal(problems)}{more}", icon=":material/warning:")


def _count(boundaries: Boundaries) -> str:
    conversations = pluralize(len(boundaries.conversation_starts), "conversation")
    return f"{conversations} in {pluralize(len(boundaries.session_starts), 'session')}"


def _draw_chart(boundaries: ConversationBoundaries, selected: int) -> None:
    conversation = boundaries.conversation
    states = [
        Event(turn, "state", f"The workflow is {name.lower()}.")
        for turn, name in states_of(boundaries.key, conversation).items()
    ]
    timeline = Timeline(
        labels=turn_labels(boundaries.key, conversation),
        is_user=[turn.role == "user" for turn in conversation.turns],
        events=sorted(
            [*_events(boundaries.shown), *states, *_subjects(boundaries)], key=lambda event: event.turn
        ),
        sessions=boundaries.shown.session_starts,
        times=times_of(boundaries.key, conversation),
        edits=[
            Event(turn, "state", f"Edited: {LABELS[edit.kind].lower()}")
            for turn, edit in boundaries.edits.items()
            if turn < len(conversation)
        ],
    )
    figure = timeline_figure(timeline, palette=current_palette(), selected=selected)
    words = describe_timeline(timeline, selected)
    draw_figure(figure, CHART, words, on_click=lambda: page.select(clicked(CHART)), height=HEIGHT)


def _events(boundaries: Boundaries) -> list[Event]:
    """Return where conversations and sessions begin, without the first message."""
    return [
        Event(record.index, kind, f"{LABELS[kind]}: {on_screen(record.reason)}")
        for record in boundaries.records
        if record.index and (kind := record.kind) != "none"
    ]


def _subjects(boundaries: ConversationBoundaries) -> list[Event]:
    """Return where a subject may begin, if neither times nor words of the rules say where something does."""
    key, conversation = boundaries.key, boundaries.conversation
    is_known = times_of(key, conversation) is not None and len(boundaries.by_rules.records) > 1
    words = {} if is_known else subjects_of(key, conversation)
    return [
        Event(turn, "subject", f"Perhaps another subject: {text}")
        for turn, text in words.items()
        if boundary_at(boundaries.shown, turn) is None
    ]


def _draw_table(boundaries: ConversationBoundaries) -> None:
    rows = table_rows(boundaries)
    st.dataframe(
        rows, hide_index=True, key=TABLE, on_select=_select_row, selection_mode="single-cell",
        height=min(38 + 35 * len(rows), _MAX_ROWS_HEIGHT), alt=f"{len(rows):,} boundaries",
        column_config={"reason": st.column_config.TextColumn(width=430)},
    )  # fmt: skip
    st.session_state[f"{TABLE}.turns"] = [int(row["turn"]) - 1 for row in rows]
    st.caption("Click a row to see its message and to edit the boundary.")


def table_rows(boundaries: ConversationBoundaries) -> list[dict[str, str | int]]:
    """Return a row for each boundary, and for each message that could have been one or may be one."""
    shown, turns = boundaries.shown, boundaries.conversation.turns
    starts = (*shown.conversation_starts, shown.messages)
    lengths = {start: stop - start for start, stop in pairwise(starts)}
    times = times_of(boundaries.key, boundaries.conversation)
    rows: list[dict[str, str | int]] = []
    reasons = [(record.index, record.kind, record.reason) for record in (*shown.records, *shown.continued)]
    may_be: list[tuple[int, BoundaryKind, str]] = [
        (each.turn, "none", each.text) for each in _subjects(boundaries)
    ]
    for index, kind, reason in sorted([*reasons, *may_be]):
        words = " ".join(turns[index].scored_text[: 4 * _MAX_WORDS].split())
        rows.append(
            {
                "turn": index + 1,
                "begins": "nothing" if kind == "none" else kind,
                "reason": writable(on_screen(reason)),
                **({"time": f"{times[index]:%a %d %b %Y, %H:%M}"} if times else {}),
                "messages": lengths.get(index, 0),
                "text": writable(truncate(words, _MAX_WORDS)),
            }
        )
    return rows


def _select_row() -> None:
    row, turns = selected_cell(TABLE), st.session_state.get(f"{TABLE}.turns", [])
    page.select(turns[row] if row is not None and row < len(turns) else None)


def draw_stored(app: App) -> None:
    """Draw the table of sessions, and the button that deletes the selected one."""
    with st.expander("Sessions that your agents stored", icon=":material/history:"):
        draw_problem()
        sessions = Sessions(app.store).recent(limit=_MAX_ROWS)
        if not sessions:
            st.caption("No sessions yet. Agents add them with `convgate.SessionManager`.")
            return
        rows = [
            {
                "workspace": writable(session.workspace),
                "begin": format_time(session.started),
                "end": format_time(session.ended) if session.ended else "active",
                "conversations": session.conversation_count,
            }
            for session in sessions
        ]
        st.dataframe(
            rows, hide_index=True, key=STORED, on_select="rerun", selection_mode="single-cell",
            alt=f"The newest {len(rows):,} sessions",
        )  # fmt: skip
        st.caption(f"The newest sessions, at most {_MAX_ROWS}. Click a row to delete its session.")
        row = selected_cell(STORED)
        if row is not None and row < len(sessions):
            with st.popover(f"Delete {sessions[row].id}", icon=":material/delete:"):
                st.caption("This cannot be undone. The library keeps the conversations.")
                st.button(
                    "Delete session", key="sessions.delete", on_click=_delete, args=(app, sessions[row].id)
                )


def _delete(app: App, id: str) -> None:
    with reporting_problems():
        Sessions(app.store).delete(id)
    st.session_state.pop(STORED, None)
