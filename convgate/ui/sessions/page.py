"""Sessions: rules, summary, the conversation in its parts, the selected message, and stored sessions."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import streamlit as st
import tomli_w

from convgate.core.decisions import TurnDecisions
from convgate.core.errors import ConvgateError, SessionError
from convgate.core.home import app_root
from convgate.core.text import format_duration, format_time, join_words, pluralize, writable
from convgate.figures.hover import on_screen
from convgate.figures.sessions import HEIGHT, Event, Timeline, describe_timeline, timeline_figure
from convgate.policies.base import Policy
from convgate.policies.sessions import Boundaries, BoundaryRules
from convgate.policies.sessions.policy import SessionPolicy
from convgate.store.sessions import Sessions
from convgate.ui.sessions.boundaries import (
    LABELS,
    ConversationBoundaries,
    begin_conversations,
    draw_turn,
    example_boundaries,
    load_boundaries,
    states_of,
    times_of,
)
from convgate.ui.sessions.strip import draw_strip, explain_part, parts_of, subject_changes, tokens_of
from convgate.ui.shared import scoring
from convgate.ui.shared.actions import draw_problem, reporting_problems, run_action
from convgate.ui.shared.charts import draw_figure
from convgate.ui.shared.codecs import TURN, Codec, share
from convgate.ui.shared.frame import App
from convgate.ui.shared.navigation import EXPLORE
from convgate.ui.shared.page_state import Address, PageState, param
from convgate.ui.shared.picker import pick_conversation
from convgate.ui.shared.samples import load_samples
from convgate.ui.shared.session_state import clicked, selected_cell
from convgate.ui.shared.text import literal
from convgate.ui.shared.theme import current_palette
from convgate.ui.shared.turn import turn_labels

EXAMPLE = "purple_button_one_day.json"
"""The sample that an empty library shows."""

CHART = "sessions.chart"
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
_MAX_NAMED = 8  # turns
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
    _draw_parts(app, state, boundaries, rules)


def _draw_example(app: App, state: SessionsState, problems: Sequence[str]) -> None:
    """Draw the boundaries of a sample, which is not in the library."""
    samples = load_samples(app_root() / "sample_conversations")
    sample = next(each for each in samples if each.file == EXAMPLE)
    state, unknown = state.drop_unknown(len(sample.conversations[0]))
    page.keep(state, [*problems, *unknown])
    st.caption(f"The library is empty, so this is a sample: {literal(sample.title)}.")
    rules = state.rules(BoundaryRules())
    _draw_parts(app, state, example_boundaries(app, page, sample.conversations[0], rules), rules)


def _draw_parts(
    app: App, state: SessionsState, boundaries: ConversationBoundaries, rules: BoundaryRules
) -> None:
    """Draw what Session sends, and the conversation in its parts beside the selected turn."""
    decisions = _decide(app, boundaries, SessionPolicy(rules=rules))
    _draw_summary(boundaries, decisions)
    place = st.container()
    changes = subject_changes(app, boundaries)
    with place:
        _draw_suggestions(boundaries, changes)
    parts = parts_of(boundaries, changes)
    starts = [part.turns.start for part in parts]
    selected = starts[-1] if state.selected is None else state.selected
    number = bisect_right(starts, selected) - 1
    is_suggested = selected == starts[number] and parts[number].begins is None
    suggestion = f"{explain_part(parts[number]).capitalize()}." if is_suggested else ""
    with st.container(key="sessions-body"):
        left, right = st.columns([1.7, 1], gap="medium")
        with left:
            draw_strip(boundaries, parts, selected, decisions, _decide_now(app, boundaries))
        with right, st.container(key="sessions-message"):
            draw_turn(boundaries, selected, starts, suggestion)
            _draw_link(boundaries)
    if times_of(boundaries.key, boundaries.conversation) is not None:
        chart = st.expander("Over time", key="sessions.times", icon=":material/timeline:", on_change="rerun")
        if chart.open:
            with chart:
                _draw_chart(boundaries, selected, rules.idle_gap_seconds)


def _draw_link(boundaries: ConversationBoundaries) -> None:
    if boundaries.key:
        st.page_link(
            EXPLORE, label="Explore with the policy Session", icon=":material/query_stats:",
            query_params={
                "conversation": boundaries.key, "policy": SessionPolicy.name,
                "turn": str(boundaries.conversation.current_index() + 1),
            },
            help="By the saved rules.",
        )  # fmt: skip


def _decide(app: App, boundaries: ConversationBoundaries, policy: Policy) -> TurnDecisions:
    """Return what a model gets for the last message by a policy, with the turns that state what must hold.

    Of a sample what the policy alone decides. Raises ConvgateError when the policy cannot be loaded.
    """
    edited = app.conversation(boundaries.key) if boundaries.key else boundaries.conversation
    message = scoring.OpenMessage(boundaries.key, *edited.at(edited.current_index()))
    if not boundaries.key:
        return policy.decide(message.current, message.history)
    pairs = app.settings.pair_answers
    return scoring.select(app, policy, message, pair_answers=pairs).decisions


def _decide_now(app: App, boundaries: ConversationBoundaries) -> TurnDecisions | None:
    """Return what a model gets as the settings have it; None for a sample, and where that cannot be said."""
    try:
        return (
            _decide(app, boundaries, scoring.load_policy(app, app.settings.policy))
            if boundaries.key
            else None
        )
    except ConvgateError:  # Explore says what is wrong
        return None


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


def _draw_summary(boundaries: ConversationBoundaries, decisions: TurnDecisions) -> None:
    """Draw what Session sends for the last message, and who uses it."""
    shown, conversation = boundaries.shown, boundaries.conversation
    last = conversation.current_index()
    begun = shown.begun(last).index
    tokens = tokens_of(boundaries.key, conversation)
    sentence = f"Nothing begins after the first message, so Session sends all {last:,} earlier turns"
    if begun:
        turns = f"turns {begun + 1:,} to {last:,}" if begun < last - 1 else f"turn {last:,}"
        parts = [turns] * (begun < last)
        if n_held := int(decisions.kept[decisions.indices < begun].sum()):
            parts.append(
                f"{pluralize(n_held, 'earlier turn')} that state{'s' * (n_held == 1)} what must hold"
            )
        n_dropped = len(decisions) - int(decisions.kept.sum())
        sentence = (
            f"For the last message, Session sends {join_words(parts) or 'no earlier turn'}, and leaves out"
            f" {pluralize(n_dropped, 'other')}"
        )
    st.markdown(f"##### {sentence}")
    n_sent = sum(tokens[turn] for turn in decisions.indices[decisions.kept].tolist())
    n_edited = len(boundaries.edits)
    edited = f" {pluralize(n_edited, 'turn')} edited; by the rules alone, {_count(boundaries.by_rules)}."
    st.markdown(
        f"{n_sent:,} of {sum(tokens[:last]):,} tokens.{edited if n_edited else ''} Session is not the"
        " default: it is for an agent that gets unrelated tasks in one long chat, such as a bot that is asked"
        " for an invoice on Monday and about a broken router on Friday."
    )
    if shown.problems:
        more = f" … and {len(shown.problems) - _MAX_PROBLEMS:,} more" * (len(shown.problems) > _MAX_PROBLEMS)
        problems = on_screen("; ".join(shown.problems[:_MAX_PROBLEMS]))
        st.warning(f"{literal(problems)}{more}", icon=":material/warning:")


def _draw_suggestions(boundaries: ConversationBoundaries, changes: Mapping[int, float]) -> None:
    """Draw where the subject may change, and what setting it would do."""
    if not changes:
        return
    turns = sorted(changes)
    numbers = join_words([f"{turn + 1:,}" for turn in turns[:_MAX_NAMED]])
    numbers += f" and {len(turns) - _MAX_NAMED:,} more" * (len(turns) > _MAX_NAMED)
    with st.container(horizontal=True, vertical_alignment="center", key="sessions-suggested"):
        st.markdown(
            f"**The subject may change** at turn{'s' * (len(turns) > 1)} {numbers}. Session cuts only where"
            " you say so.",
            width="content",
        )
        if boundaries.key:
            st.button(
                "Cut there" if len(turns) == 1 else f"Cut at all {len(turns):,}",
                key="sessions.accept", icon=":material/content_cut:", type="tertiary", on_click=run_action,
                args=(page, partial(begin_conversations, boundaries, turns), boundaries.key),
            )  # fmt: skip


def _count(boundaries: Boundaries) -> str:
    conversations = pluralize(len(boundaries.conversation_starts), "conversation")
    return f"{conversations} in {pluralize(len(boundaries.session_starts), 'session')}"


def _draw_chart(boundaries: ConversationBoundaries, selected: int, gap: float) -> None:
    """Draw the messages over time; gap: seconds that end a session."""
    conversation, times = boundaries.conversation, times_of(boundaries.key, boundaries.conversation)
    longest = max(((later - time).total_seconds() for time, later in pairwise(times or ())), default=0.0)
    words = f"{_count(boundaries.shown)}."
    words += f" The longest time without a message is {format_duration(round(longest))}."
    if not math.isinf(gap):
        words += f" A session ends after {format_duration(gap)} without one."
    st.caption(words)
    states = [
        Event(turn, "state", f"The workflow is {name.lower()}.")
        for turn, name in states_of(boundaries.key, conversation).items()
    ]
    timeline = Timeline(
        labels=turn_labels(boundaries.key, conversation),
        is_user=[turn.role == "user" for turn in conversation.turns],
        events=sorted([*_events(boundaries.shown), *states], key=lambda event: event.turn),
        sessions=boundaries.shown.session_starts,
        times=times,
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
