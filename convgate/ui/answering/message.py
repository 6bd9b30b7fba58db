"""A message whose earlier turns can be answered for: which are, which are not, and which comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property

from convgate.decisions import TurnDecisions
from convgate.labels.scopes import Scope, turns_of
from convgate.store import ADJUDICATED, Labels, SituationKey, SituationLabels, Store
from convgate.ui.scoring import Moment

Go = Callable[[SituationKey, int | None], None]
"""Shows a message with one of its earlier turns selected."""


@dataclass(frozen=True, eq=False)
class Answering:
    """A message whose earlier turns can be answered for, by somebody, on a page."""

    store: Store
    moment: Moment
    decisions: TurnDecisions
    held: SituationLabels
    by: str | None  # None while nobody has chosen a name
    go: Go
    version: str | None = None  # of the gate that is shown
    asked: Sequence[int] = ()  # turns to be answered first, in this order
    later: Sequence[int] = ()  # turns that this person put off, to be answered last, in this order
    topic: Callable[[int], range] | None = None  # the topic segment of a turn
    settling: bool = False  # answers settle what others disagree on, the turns `asked` alone
    finished: bool = False  # nothing is asked any more: the queue is done, or everything is settled
    paused: str = ""  # why this person does not answer at present
    onward: Callable[[], bool] | None = None  # goes to what comes when no turn is left; whether there was any
    read_at: datetime = field(default_factory=lambda: datetime.now(UTC))  # when `held` held

    @property
    def labels(self) -> Labels:
        """Where answers are stored."""
        return Labels(self.store)

    @property
    def situation(self) -> SituationKey:
        """The message, as labels name it."""
        return self.moment.labelled

    @property
    def history(self) -> range:
        """The turns before the message."""
        return range(self.moment.history.start, self.moment.history.stop)

    @property
    def whose(self) -> str | None:
        """Under whose name answers are stored."""
        return ADJUDICATED if self.settling else self.by

    @cached_property
    def mine(self) -> dict[int, str]:
        """What this person says, or what was settled when that is what they do."""
        return self.held.of(self.whose) if self.whose else {}

    @cached_property
    def silent(self) -> set[int]:
        """Turns that answers for several leave out: instructions, which are always sent, and empty ones."""
        history = self.moment.history
        return {
            index
            for index, turn in enumerate(history, history.start)
            if turn.is_instruction or not turn.scored_text.strip()
        }

    @cached_property
    def ask(self) -> list[int]:
        """The turns that are not answered yet: those asked for, all others, then those that were put off.

        Of the others the newest comes first.
        """
        if self.settling:
            return [turn for turn in self.asked if turn not in self.mine]
        last = dict.fromkeys(turn for turn in self.later if turn in self.history)
        first = dict.fromkeys(turn for turn in (*self.asked, *reversed(self.history)) if turn not in last)
        return [turn for turn in (*first, *last) if turn not in self.mine]

    def answers_for(self, turn: int) -> bool:
        """Whether that turn can be answered for; who settles is asked about what is disputed alone."""
        if self.finished:
            return False
        return turn in self.history and (not self.settling or turn in self.asked)

    def refreshed(self) -> Answering:
        """With what holds now."""
        later = Labels(self.store).turns_put_off(self.situation, self.by) if self.by else ()
        return replace(self, read_at=datetime.now(UTC), held=self.labels.of(self.situation), later=later)

    def following(self, turn: int) -> int | None:
        """The turn to ask about after this one; None when all are answered."""
        ask = [other for other in self.ask if other != turn]
        if not ask or ask[0] in self.asked or turn in self.asked:
            return ask[0] if ask else None
        last = set(self.later)
        return next((other for other in ask if other < turn and other not in last), ask[0])

    def targets(self, turn: int, scope: Scope) -> list[int]:
        """The turns that an answer about this one is for. In a long conversation topics take seconds."""
        decisions = self.decisions
        anyway = {index for index, override in decisions.overrides.items() if override.kept}
        above = [int(index) for index in decisions.indices[decisions.kept] if int(index) not in anyway]
        topic = self.topic(turn) if scope == "topic" and self.topic and turn in self.history else None
        answered = {*self.mine, *self.silent}
        return turns_of(scope, turn, self.history, topic=topic, above=above, answered=answered)

    def theirs(self) -> dict[int, list[tuple[str, str]]]:
        """What others say, of the turns that this person answered: before, it would sway them.

        Who settles a turn sees everybody's answer, their own among them.
        """
        return {
            turn: [
                ("settled" if who == ADJUDICATED else who, one.value)
                for who, one in said.items()
                if who != self.whose
            ]
            for turn, said in self.held.answers.items()
            if turn in self.mine or self.settling or self.by is None
        }
