"""A message whose earlier turns are labelled: which turns have an answer, and which comes next."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from convgate.store import ADJUDICATED, Labels, SituationKey, SituationLabels, Store
from convgate.ui.scoring import Moment

MARKS: dict[str, str] = {"relevant": "✓", "not_relevant": "✕", "unsure": "?"}
NAMES: dict[str, str] = {"relevant": "relevant", "not_relevant": "not relevant", "unsure": "unsure"}

Scope = Literal["turn", "rest"]  # what an answer is for: one turn, or all turns without an answer


@dataclass(frozen=True, eq=False)
class Answering:
    """A message whose earlier turns an annotator answers for, on a page."""

    store: Store
    moment: Moment
    held: SituationLabels
    by: str | None  # None while no name was chosen
    go: Callable[[SituationKey, int | None], None]  # shows a message with one of its earlier turns selected
    version: str | None = None  # of the gate that decides
    asked: Sequence[int] = ()  # turns to ask about first, in this order
    adjudicating: bool = False  # answers adjudicate disagreements, on the turns `asked` alone
    finished: bool = False  # nothing is left to ask about
    paused: str = ""  # why this annotator cannot answer at present
    next_message: Callable[[], bool] | None = None  # goes on when no turn is left; whether there is any

    @property
    def labels(self) -> Labels:
        """The store's labels."""
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
    def annotator(self) -> str | None:
        """The name under which answers are stored."""
        return ADJUDICATED if self.adjudicating else self.by

    @cached_property
    def mine(self) -> dict[int, str]:
        """The annotator's answers, or the adjudicated ones when adjudicating, by turn."""
        return self.held.of(self.annotator) if self.annotator else {}

    @cached_property
    def ask(self) -> list[int]:
        """The turns without an answer, in the order in which they are asked: `asked`, then the newest."""
        others = () if self.adjudicating else reversed(self.history)
        return [turn for turn in dict.fromkeys((*self.asked, *others)) if turn not in self.mine]

    def can_answer(self, turn: int) -> bool:
        """Return whether a turn can be answered for; when adjudicating, only turns with a disagreement."""
        return not self.finished and turn in (self.asked if self.adjudicating else self.history)

    def following(self, turn: int) -> int | None:
        """Return the turn to ask about after this one; None when all have an answer."""
        ask = [other for other in self.ask if other != turn]
        if not ask or ask[0] in self.asked or turn in self.asked:
            return ask[0] if ask else None
        return next((other for other in ask if other < turn), ask[0])

    def targets(self, turn: int, scope: Scope) -> list[int]:
        """Return the turns that an answer is for; "rest" leaves out instructions and empty turns."""
        if scope == "turn":
            return [turn]
        turns = enumerate(self.moment.history, self.moment.history.start)
        labellable = [i for i, one in turns if not one.is_instruction and one.scored_text.strip()]
        return [i for i in labellable if i not in self.mine]

    def reloaded(self) -> Answering:
        """Return the message with the answers that are stored now."""
        return replace(self, held=self.labels.of(self.situation))

    def others(self) -> dict[int, list[tuple[str, str]]]:
        """Return the answers of others by turn, as (annotator, answer).

        Before this annotator has answered a turn, the others' answers would bias theirs.
        """
        return {
            turn: [
                ("adjudicated" if who == ADJUDICATED else who, said.value)
                for who, said in answers.items()
                if who != self.annotator
            ]
            for turn, answers in self.held.answers.items()
            if turn in self.mine or self.adjudicating or self.by is None
        }
