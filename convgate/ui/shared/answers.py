"""What is asked about a message, and the annotator's answers for the turns before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from convgate.labels.calibration import calibration
from convgate.store import ADJUDICATED, CurrentLabels, Labels
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.frame import App
from convgate.ui.shared.scoring import OpenMessage

Scope = Literal["turn", "rest"]  # what an answer is for: one turn, or all turns without an answer


@dataclass(frozen=True, eq=False)
class Work:
    """What is asked about a message; by default, all turns before it."""

    reasons: Mapping[int, str] = field(default_factory=dict)  # by turn to ask about first, in order
    adjudicating: bool = False  # answers adjudicate disagreements, on the turns of `reasons` alone
    calibrating: bool = False  # a calibration, which goes on while labelling pauses
    finished: bool = False  # nothing is left to ask about, of any message
    next_message: Callable[[], bool] | None = None  # goes on when no turn is left; whether there is any
    skip: Callable[[], None] | None = None  # moves the message to the end of the queue


@dataclass(frozen=True, eq=False)
class Answering:
    """A message whose earlier turns an annotator answers for."""

    labels: Labels
    message: OpenMessage
    held: CurrentLabels
    by: str | None  # None while no name was chosen
    version: str | None  # of the gate that decides
    work: Work
    paused: str = ""  # why labelling pauses, if it does

    @property
    def history(self) -> range:
        """Return the turns before the message."""
        return range(self.message.history.start, self.message.history.stop)

    @cached_property
    def mine(self) -> dict[int, str]:
        """Return the annotator's answers, or the adjudicated ones when adjudicating, by turn."""
        annotator = ADJUDICATED if self.work.adjudicating else self.by
        return self.held.of(annotator) if annotator else {}

    @cached_property
    def ask(self) -> list[int]:
        """Return the turns without an answer in the order of asking: those of the work, then the newest."""
        others = () if self.work.adjudicating else reversed(self.history)
        return [turn for turn in dict.fromkeys((*self.work.reasons, *others)) if turn not in self.mine]

    def can_answer(self, turn: int) -> bool:
        """Return whether a turn can be answered for; when adjudicating, only turns with a disagreement."""
        turns = self.work.reasons if self.work.adjudicating else self.history
        return not self.work.finished and not self.paused and turn in turns

    def following(self, turn: int) -> int | None:
        """Return the turn to ask about after this one; None when all have an answer."""
        ask = [other for other in self.ask if other != turn]
        if not ask or {ask[0], turn} & self.work.reasons.keys():
            return ask[0] if ask else None
        return next((other for other in ask if other < turn), ask[0])

    def targets(self, turn: int, scope: Scope) -> list[int]:
        """Return the turns that an answer is for; "rest" leaves out instructions and empty turns."""
        if scope == "turn":
            return [turn]
        turns = enumerate(self.message.history, self.message.history.start)
        return [
            index
            for index, other in turns
            if not other.is_instruction and other.scored_text.strip() and index not in self.mine
        ]

    def reloaded(self) -> Answering:
        """Return the message with the answers that are stored now."""
        return replace(self, held=self.labels.of(self.message.labelled))

    def others(self) -> dict[int, list[tuple[str, str]]]:
        """Return the answers of others by turn, as (annotator, answer).

        Before this annotator has answered a turn, the others' answers would bias theirs.
        """
        return {
            turn: [
                ("adjudicated" if who == ADJUDICATED else who, answer)
                for who, answer in answers.items()
                if who != (ADJUDICATED if self.work.adjudicating else self.by)
            ]
            for turn, answers in self.held.answers.items()
            if turn in self.mine or self.work.adjudicating or self.by is None
        }


def read_answers(app: App, message: OpenMessage, version: str | None, work: Work) -> Answering:
    """Return the annotator's answers for a message; version: of the gate that decides."""
    labels, paused = Labels(app.store), ""
    if not work.adjudicating and not work.calibrating:
        state = calibration(app.store)
        paused = state.summary if state.state == "paused" else ""
    return Answering(labels, message, labels.of(message.labelled), annotator(), version, work, paused)
