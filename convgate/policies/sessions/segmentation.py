"""Find where conversations and sessions begin, one message at a time, for files and running agents.

>>> talk = [Turn.of("user", "Hi"), Turn.of("assistant", "Hello!"), Turn.of("user", "New topic: tea")]
>>> segment(talk).conversation_starts
(0, 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timezone, tzinfo

from convgate.core.conversation import Turn
from convgate.core.text import format_duration
from convgate.policies.sessions.boundaries import (
    Boundaries,
    Boundary,
    BoundaryKind,
    Rule,
    moved_by,
    problems_of,
    workflow_state_of,
)
from convgate.policies.sessions.rules import BoundaryRules, Command

STAGE = "sessions"
_DEFAULT = BoundaryRules()


@dataclass(frozen=True, slots=True)
class SegmentState:
    """What the boundary of the next message depends on."""

    messages: int = 0  # so far; the index of the next one
    has_spoken: bool = False  # whether there was a message that is no instruction
    closed_at: int | None = None  # index of the message whose COMPLETE closed the current conversation
    latest: datetime | None = None  # latest time; without a zone while no message named one
    zone: tzinfo | None = None  # of the newest time that names one


def segment(turns: Iterable[Turn], rules: BoundaryRules = _DEFAULT) -> Boundaries:
    """Return what begins where in a transcript, by times, commands, workflow states and edits of people."""
    state = SegmentState()
    records: list[Boundary] = []
    continued: list[Boundary] = []
    problems: list[str] = []
    for turn in turns:
        problems += problems_of(turn, state.messages)
        state, boundary = step(state, turn, rules)
        if boundary is not None:
            (continued if boundary.outcome == "none" else records).append(boundary)
    return Boundaries(state.messages, tuple(records), tuple(continued), tuple(problems))


def step(state: SegmentState, turn: Turn, rules: BoundaryRules) -> tuple[SegmentState, Boundary | None]:
    """Return the state after the next message, and what begins with it.

    A boundary of the kind "none" says why nothing begins although something would have; None is the usual
    message. Instructions begin nothing, and no gap runs from them.
    """
    index, closed_at, gap = state.messages, state.closed_at, None
    latest, zone = state.latest, state.zone
    command = rules.command_of(turn)
    if not turn.is_instruction:
        gap, latest, zone = _measure_gap(state, turn.timestamp)
        closed_at = None
        if _continues(command) and turn.timestamp is None and rules.continue_overrides_gap:
            latest = None  # its answer continues the conversation, too
    if rules.close_on_complete and workflow_state_of(turn) == "COMPLETE":
        closed_at = index
    has_spoken = state.has_spoken or not turn.is_instruction
    boundary = _boundary(state, turn, rules, gap, command)
    return SegmentState(index + 1, has_spoken, closed_at, latest, zone), boundary


def _measure_gap(
    state: SegmentState, time: datetime | None
) -> tuple[float | None, datetime | None, tzinfo | None]:
    """Return seconds since the latest time, None where unknown, then the latest time and zone from here on.

    A time before the latest is a message out of order: its gap is 0. A time without a zone is in the zone of
    the newest time that names one.
    """
    latest, zone = state.latest, state.zone
    if time is None:
        return None, latest, zone
    if (offset := time.utcoffset()) is not None:
        zone = timezone(
            offset
        )  # the offset alone: within one zone, differences would not count a clock change
    time = time.replace(tzinfo=zone)
    if latest is None:
        return None, time, zone
    if latest.tzinfo is None:
        latest = latest.replace(tzinfo=zone)
    return max(0.0, (time - latest).total_seconds()), max(time, latest), zone


def _boundary(
    state: SegmentState, turn: Turn, rules: BoundaryRules, gap: float | None, command: Command | None
) -> Boundary | None:
    """Return what begins with a message, for the strongest reason."""
    index, closed_at = state.messages, state.closed_at
    if index == 0:
        return _begin(index, "session", "first", "it is the first message.")
    if kind := moved_by(turn):
        return _begin(index, kind, "person", _PERSON[kind])
    if turn.is_instruction or not state.has_spoken:
        return None
    continues = _continues(command)
    passed = _passed(gap, rules)
    if passed and not (continues and rules.continue_overrides_gap):
        override = f' "{command.words}" does not override it.' if command and continues else ""
        return _begin(index, "session", "idle_gap", f"{passed}.{override}")
    if command and not continues:
        return _begin(index, "conversation", "new_command", f'"{command.words}" asks for a new conversation.')
    if closed_at is not None:  # nothing is left to continue; where the gap has passed, the session goes on
        reason = (
            f"the workflow reached COMPLETE at message {closed_at}, which closed the conversation before."
        )
        return _begin(index, "conversation", "workflow_complete", reason)
    if command and passed:
        gap_text = _passed(gap, rules, "after {}")
        reason = f'"{command.words}" goes on with the conversation, {gap_text}.'
        return _begin(index, "none", "continue_command", reason)
    return None


_PERSON = {
    "session": "a person began a new session here.",
    "conversation": "a person began a new conversation here.",
    "none": "a person had the conversation go on here.",
}


def _begin(index: int, kind: BoundaryKind, rule: Rule, reason: str) -> Boundary:
    return Boundary(index, kind, rule, reason, STAGE)


def _continues(command: Command | None) -> bool:
    return command is not None and command.kind == "continue"


def _passed(gap: float | None, rules: BoundaryRules, words: str = "{} since the last message") -> str:
    """Return the gap in words when it is longer than the idle gap, else ""."""
    if gap is None or gap <= rules.idle_gap_seconds:
        return ""
    length, limit = format_duration(gap), format_duration(rules.idle_gap_seconds)
    return f"{words.format(length)}, {'just ' * (length == limit)}more than the idle gap of {limit}"
