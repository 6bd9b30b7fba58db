"""Where conversations and sessions begin: one step a message, the same for a file and for a running agent.

>>> talk = [Turn.of("user", "Hi"), Turn.of("assistant", "Hello!"), Turn.of("user", "New topic: tea")]
>>> segment(talk).conversation_starts
(0, 2)
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from convgate.core.conversation import Turn
from convgate.core.text import format_duration
from convgate.policies.sessions.boundaries import Boundaries, Boundary, Kind, Rule, moved_by, unknown_move
from convgate.policies.sessions.clock import Clock
from convgate.policies.sessions.rules import BoundaryRules, Command
from convgate.policies.sessions.workflow import COMPLETE, unknown_state, workflow_state_of

STAGE = "sessions"
_DEFAULT = BoundaryRules()


@dataclass(frozen=True, slots=True)
class State:
    """All that the next message has to know of those before it."""

    messages: int = 0  # so far; the index of the next one
    spoken: bool = False  # whether anybody said anything; instructions do not count
    closed_at: int | None = None  # index of the message whose COMPLETE closed the present conversation
    clock: Clock = field(default_factory=Clock)


def segment(turns: Iterable[Turn], rules: BoundaryRules = _DEFAULT) -> Boundaries:
    """What begins where in a transcript: by times, commands and workflow states, and by what a person set."""
    state = State()
    begun: list[Boundary] = []
    continued: list[Boundary] = []
    problems: list[str] = []
    for turn in turns:
        problems += problems_of(turn, state.messages)
        state, boundary = step(state, turn, rules)
        if boundary is not None:
            (continued if boundary.outcome == "none" else begun).append(boundary)
    return Boundaries(state.messages, tuple(begun), tuple(continued), tuple(problems))


def step(state: State, turn: Turn, rules: BoundaryRules) -> tuple[State, Boundary | None]:
    """The state after the next message, and what begins with it.

    A boundary of the kind "none" says why nothing begins although something would have; None is the usual
    message. Instructions are no part of the talk: they begin nothing, and no gap runs from them.
    """
    index, clock, closed_at, gap = state.messages, state.clock, state.closed_at, None
    command = rules.command_of(turn)
    if not turn.is_instruction:
        gap, clock = clock.tick(turn.timestamp)
        closed_at = None  # it opens another conversation, or goes on with this one
        if _continues(command) and turn.timestamp is None and rules.continue_overrides_gap:
            clock = Clock(
                zone=clock.zone
            )  # nobody knows when it was asked, but what answers it goes on as well
    if rules.close_on_complete and workflow_state_of(turn) == COMPLETE:
        closed_at = index
    boundary = _boundary(state, turn, rules, gap, command)
    return State(index + 1, state.spoken or not turn.is_instruction, closed_at, clock), boundary


def problems_of(turn: Turn, index: int) -> list[str]:
    """What the message says about boundaries and cannot be taken; it is message `index`."""
    return [f"message {index}: {problem}" for problem in (unknown_state(turn), unknown_move(turn)) if problem]


def _boundary(
    state: State, turn: Turn, rules: BoundaryRules, gap: float | None, command: Command | None
) -> Boundary | None:
    """What begins with a message, the strongest reason first."""
    index, closed_at = state.messages, state.closed_at
    if index == 0:
        return _made(index, "session", "first", "It is the first message.")
    if moved := moved_by(turn):
        kind, note = moved
        return _made(index, kind, "person", f"{_PERSON[kind]}{f': {note}' if note else '.'}")
    if turn.is_instruction or not state.spoken:
        return None
    continues = _continues(command)
    passed = _passed(gap, rules)
    if passed and not (continues and rules.continue_overrides_gap):
        beside = f' "{command.words}" does not override it.' if command and continues else ""
        return _made(index, "session", "idle_gap", f"{passed}.{beside}")
    if command and not continues:
        return _made(index, "conversation", "new_command", f'"{command.words}" asks for a new conversation.')
    if closed_at is not None:  # nothing is left to continue; where the gap has passed, the session goes on
        reason = (
            f"The workflow reached COMPLETE at message {closed_at}, which closed the conversation before."
        )
        return _made(index, "conversation", "workflow_complete", reason)
    if command and passed:
        over = _passed(gap, rules, "after {}")
        reason = f'"{command.words}" goes on with the conversation, {over}.'
        return _made(index, "none", "continue_command", reason)
    return None


_PERSON = {
    "session": "A person began a new session here",
    "conversation": "A person began a new conversation here",
    "none": "A person had the conversation go on here",
}


def _made(index: int, kind: Kind, rule: Rule, reason: str) -> Boundary:
    return Boundary(index, kind, rule, reason, STAGE)


def _continues(command: Command | None) -> bool:
    return command is not None and command.kind == "continue"


def _passed(gap: float | None, rules: BoundaryRules, words: str = "{} since the last message") -> str:
    """The gap in words, when it is longer than the idle gap; else nothing."""
    if gap is None or gap <= rules.idle_gap:
        return ""
    told, limit = format_duration(gap), format_duration(rules.idle_gap)
    return f"{words.format(told)}, {'just ' * (told == limit)}more than the idle gap of {limit}"
