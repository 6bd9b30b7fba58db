"""The mode and the invariants of a conversation, read incrementally."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import GrowingCache
from convgate.embedding.base import Encoder, Progress
from convgate.embedding.cache import encode_together
from convgate.embedding.states import excerpt, states_beside
from convgate.gate.facts import cue_text
from convgate.guardrails.request import Fallback, Guard
from convgate.invariants.finding import InvariantFinder
from convgate.invariants.invariant import Invariant
from convgate.invariants.judge import KindJudge
from convgate.invariants.statements import mark_statements, read_statements
from convgate.messages.units import is_from_user
from convgate.modes.classifier import ModeClassifier
from convgate.modes.conversation import ConversationModes, ModeTracker, TurnLabels
from convgate.modes.mode import Mode, ModeDecision, no_mode
from convgate.selection.memory import NamedIntents
from convgate.selection.turn_table import TurnTable


@dataclass(frozen=True, eq=False)
class ConversationReading:
    """The modes of a conversation at its current message, and what must hold there."""

    mode: Mode  # that is applied
    mode_decision: ModeDecision  # of the message to answer, by itself; of its question, for a tool's result
    labels: TurnLabels
    invariants: list[Invariant]  # that the turns state, the current one included
    goals: tuple[int, ...]  # users' turns that set a task, by themselves
    intents: NamedIntents | None  # that callers named so far
    fallback: Fallback | None  # why `mode` is GENERAL instead of the one found

    @cached_property
    def held(self) -> list[Invariant]:
        """The invariants that every context must have."""
        return [invariant for invariant in self.invariants if invariant.held]


@dataclass(eq=False, slots=True)
class _Progress:
    """A conversation as far as it was read."""

    intents: dict[int, Mode]
    turns: list[Turn] = field(default_factory=list)
    modes: ModeTracker = field(default_factory=ModeTracker)
    invariants: InvariantFinder = field(default_factory=InvariantFinder)

    def precedes(self, turns: list[Turn], intents: Mapping[int, Mode]) -> bool:
        """Return whether the turns begin with those that were read, under the same intents."""
        known = len(self.turns)
        return (
            known <= len(turns)
            and self.intents == {index: mode for index, mode in intents.items() if index < known}
            and self.turns == turns[:known]
        )


class ConversationReader:
    """Reads conversations; of those read last, one that goes on is read where it grew. Thread-safe."""

    def __init__(self, judge: KindJudge) -> None:
        self.judge = judge
        self._known: GrowingCache[_Progress] = GrowingCache()

    def read(
        self, turns: list[Turn], classifier: ModeClassifier, intents: Mapping[int, Mode]
    ) -> tuple[ConversationModes, list[Invariant]]:
        """Return the modes of all turns, and every invariant that they state."""
        progress = self._known.take(lambda known: known.precedes(turns, intents)) or _Progress(dict(intents))
        new = turns[len(progress.turns) :]
        if new:
            progress.modes.add(new, classifier, intents)
            progress.invariants.add(new, self.judge)
            progress.turns, progress.intents = list(turns), dict(intents)
        result = progress.modes.modes, progress.invariants.invariants
        self._known.put(progress)
        return result


def encode_turns(
    turns: Sequence[Turn],
    progress: Progress | None = None,
    *,
    encoder: Encoder | None,
    classifier: ModeClassifier,
    judge: KindJudge,
) -> None:
    """Encode the turns for scores, modes and statements in one pass, into the encoders' caches.

    encoder: the policy's; None for a policy without.
    """
    modes = [excerpt(turn.text) for turn in turns if is_from_user(turn)]
    statements = [
        mark_statements(turn.text) for turn in turns if turn.role == "user" and read_statements(turn.text)
    ]
    wanted = [(classifier.encoder, modes), (judge.encoder, statements)]
    if encoder is not None:
        wanted.append((encoder, [turn.scored_text for turn in turns]))
        wanted.append((states_beside(encoder), list(filter(str.strip, map(cue_text, turns)))))
    encode_together(*wanted, progress=progress)


def read_conversation(
    table: TurnTable,
    reader: ConversationReader,
    classifier: ModeClassifier,
    guard: Guard | None,
    intent: Mode | None,
    before: NamedIntents | None,
) -> ConversationReading:
    """Return the reading at the current message; before: the intents of earlier requests."""
    asked = table.user_turn[table.current]
    intents = before
    if intent is not None:
        intents = NamedIntents(table.current if asked is None else asked, intent, before)
    modes, invariants = reader.read(table.turns, classifier, intents.by_turn() if intents else {})
    mode = intent or modes.at(table.current)
    fallback = guard.overruled(mode) if guard else None
    return ConversationReading(
        mode="GENERAL" if fallback else mode,
        mode_decision=no_mode("nobody asked anything yet.") if asked is None else modes.decisions[asked],
        labels=modes.labels,
        invariants=invariants,
        goals=modes.goals,
        intents=intents,
        fallback=fallback,
    )
