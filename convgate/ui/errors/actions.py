"""What an error leads to: an answer, a training case, a wish that is held; each with its undo."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from convgate.core.text import pluralize
from convgate.evaluation.errors import TurnError
from convgate.labels.weekly_agreement import check_not_paused
from convgate.messages import turn_tokens
from convgate.store import Answer, CurrentKey, Labels, NewConversation
from convgate.ui.errors.results import Errors
from convgate.ui.shared.actions import ActionResult
from convgate.ui.shared.annotator import annotator
from convgate.ui.shared.frame import App
from convgate.ui.shared.holding import hold

Act = Callable[[], ActionResult]


@dataclass(frozen=True, eq=False)
class ErrorActions:
    """The actions on one error. A conversation that the library does not have is added to it first."""

    app: App
    errors: Errors
    error: TurnError
    data: str  # the name of the labels or the set
    version: str  # of the gate that decided

    def answer(self, value: Answer) -> ActionResult:
        """Store the answer for the turn."""
        words = {"relevant": "relevant", "not_relevant": "not relevant"}
        number = self.error.index + 1
        return self._answer({self.error.index: value}, f"Turn {number:,} is labelled {words[value]}.")

    def use_for_training(self) -> ActionResult:
        """Store all labels of the message as answers, which training uses."""
        case, history = self.error.case, self.error.decisions.indices.tolist()
        judged = history if case.judged is None else sorted(case.judged)
        answers: dict[int, Answer] = {
            turn: "relevant" if turn in case.relevant else "not_relevant" for turn in judged
        }
        return self._answer(answers, f"Added to your labels: {pluralize(len(answers), 'turn')}.")

    def hold(self) -> ActionResult:
        """Have the turn's text sent with every later message of its conversation."""
        return hold(self.app.store, self.open_key(), self.error.conversation, self.error.index)

    def open_key(self) -> str:
        """Return the conversation's key, after adding it to the library where it is not there."""
        key = self.errors.labelled[self.error.case.conversation].key
        if key is not None:
            return key
        conversation = self.error.conversation
        tokens = int(turn_tokens(conversation.turns).sum())
        (added,) = self.app.conversations.add([NewConversation(conversation, self.data, tokens)])
        return added.key

    def _answer(self, answers: dict[int, Answer], sentence: str) -> ActionResult:
        check_not_paused(self.app.store)
        case, labels, by = self.error.case, Labels(self.app.store), annotator()
        question = case.query.text if case.query and case.turn is None else ""
        current = CurrentKey(self.open_key(), case.turn, question)
        labels.answer(current, dict(answers), by=by, version=self.version)

        def undo() -> ActionResult:
            labels.undo(by)
            return ActionResult("Undone.")

        return ActionResult(sentence, undo)
