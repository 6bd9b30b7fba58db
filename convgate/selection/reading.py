"""The modes and the invariants of a conversation at its current message."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from convgate.core.conversation import Turn
from convgate.embedding.base import Encoder, Progress
from convgate.embedding.cache import encode_together
from convgate.embedding.states import excerpt, states_beside
from convgate.gate.facts import cue_text
from convgate.guardrails.request import Fallback
from convgate.invariants.finding import InvariantReader
from convgate.invariants.invariant import Invariant
from convgate.invariants.statements import mark_statements, read_statements
from convgate.messages.units import is_from_user
from convgate.modes.classifier import ModeClassifier
from convgate.modes.conversation import ConversationModes, TurnLabels
from convgate.modes.mode import Mode, ModeDecision, no_mode
from convgate.selection.request import Request


@dataclass(frozen=True, eq=False)
class ConversationReading:
    """The modes of a conversation at its current message, and what must hold there."""

    mode: Mode  # that is applied
    mode_decision: ModeDecision  # of the message to answer, by itself; of its question, for a tool's result
    labels: TurnLabels
    invariants: Sequence[Invariant]  # that the turns state, the current one included
    goals: tuple[int, ...]  # users' turns that set a task, by themselves
    fallback: Fallback | None  # why `mode` is GENERAL instead of the one found

    @cached_property
    def held(self) -> list[Invariant]:
        """The invariants that must be sent."""
        return [invariant for invariant in self.invariants if invariant.held]


def read_conversation(
    request: Request, modes: ConversationModes, invariants: Sequence[Invariant]
) -> ConversationReading:
    """Return the reading at the message to answer."""
    table = request.table
    asked = table.user_turn(table.current)
    mode = request.intent or modes.at(table.current)
    fallback = request.overruled(mode)
    return ConversationReading(
        mode="GENERAL" if fallback else mode,
        mode_decision=no_mode("nobody asked anything yet.") if asked is None else modes.decisions[asked],
        labels=modes.labels,
        invariants=invariants,
        goals=modes.goals,
        fallback=fallback,
    )


def encode_turns(
    turns: Sequence[Turn],
    progress: Progress | None = None,
    *,
    encoder: Encoder | None,
    classifier: ModeClassifier | None = None,
    reader: Callable[[], InvariantReader] | None = None,
) -> None:
    """Encode the turns for scores, modes and statements in one pass, into the encoders' caches.

    encoder: the policy's; None for a policy without. classifier, reader: None where modes or statements are
    not read; the reader is loaded where there are statements.
    """
    wanted: list[tuple[Encoder, list[str]]] = []
    if classifier is not None:
        wanted.append((classifier.encoder, [excerpt(turn.text) for turn in turns if is_from_user(turn)]))
    users = (turn.text for turn in turns if turn.role == "user" and reader is not None)
    statements = [mark_statements(text) for text in users if read_statements(text)]
    if statements and reader is not None:
        wanted.append((reader().judge.encoder, statements))
    if encoder is not None:
        wanted.append((encoder, [turn.scored_text for turn in turns]))
        wanted.append((states_beside(encoder), list(filter(str.strip, map(cue_text, turns)))))
    encode_together(*wanted, progress=progress)
