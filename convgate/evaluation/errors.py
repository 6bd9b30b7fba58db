"""Where decisions contradict the labels: needed turns that are dropped, others that are kept, and why.

The cause of an error is the part of the logit that misled: of a missed turn the part that is furthest below
its median over the turns of the history, of a needless one the part that is furthest above it. A part that is
the same for all turns is never a cause.

Without labels, the choices of two simpler policies stand in for them, see `suggest_case`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecision, TurnDecisions
from convgate.core.text import to_line
from convgate.embedding.base import Encoder
from convgate.evaluation.judged_cases import JudgedCase
from convgate.messages.units import split_exchanges
from convgate.policies.search import Hybrid
from convgate.transcripts.cases import Case

ErrorKind = Literal["missed", "needless"]

THRESHOLD = "threshold"
"""The cause where no part of the score speaks for the error, and of policies without parts."""

OTHER_RULE = "other rule"
"""The cause where something else than the score decided: what must hold, a valid list, a limit, a budget."""

HYBRID, LAST_EXCHANGE = "hybrid", "last exchange"
_MAX_HYBRID = 10_000  # turns that it can be asked for
_TEXT = 200  # characters of a turn in JSON

Choices = Mapping[str, frozenset[int]]
"""The turns that each of some policies keeps, by its name."""


@dataclass(frozen=True, eq=False, slots=True)
class TurnError:
    """One turn whose decision contradicts its label."""

    case: Case
    index: int  # of the turn in its conversation, 0-based
    kind: ErrorKind  # "missed": needed and dropped; "needless": kept and not relevant
    cause: str  # a part of the logit, `THRESHOLD` or `OTHER_RULE`
    effect: float  # logit: that part less its median; negative if missed, positive if needless, or 0
    score: float | None
    tokens: int
    decisions: TurnDecisions  # about the whole history
    against: tuple[str, ...] = ()  # who decides otherwise, where the label is a suggestion

    @property
    def decision(self) -> TurnDecision:
        """The decision with its reason, made when it is read."""
        return self.decisions.of(self.index)

    def to_json(self, conversation: Conversation) -> dict[str, Any]:
        """Return the error as plain JSON values; indices are 0-based, texts cut after 200 characters."""
        question = self.case.query
        message = conversation.turns[-1 if self.case.turn is None else self.case.turn]
        return {
            "kind": self.kind,
            "cause": self.cause,
            "effect": self.effect,
            "case": self.case.id,
            "conversation": self.case.conversation,
            "turn": self.case.turn,
            "message": to_line((question or message).scored_text, _TEXT),
            "text": to_line(conversation.turns[self.index].scored_text, _TEXT),
            "tokens": self.tokens,
            "against": list(self.against),
            "decision": self.decision.to_json(),
        }


def find_errors(
    judged: Iterable[JudgedCase], suggested: Mapping[str, Choices] | None = None
) -> list[TurnError]:
    """Return the errors, missed turns first, each kind with the clearest first.

    That is the lowest score of missed turns and the highest of needless ones; of suggestions those on which
    most policies agree come first. suggested: by case id, what stands in for labels.
    """
    errors = [error for each in judged for error in _errors_of(each, (suggested or {}).get(each.case.id, {}))]

    def order(error: TurnError) -> tuple[bool, int, float]:
        is_needless = error.kind == "needless"
        score = error.score or 0.0
        return is_needless, -len(error.against), -score if is_needless else score

    return sorted(errors, key=order)


def group_by_cause(errors: Sequence[TurnError]) -> dict[str, list[TurnError]]:
    """Return the errors by cause, the most frequent cause first, in their order."""
    groups: dict[str, list[TurnError]] = {}
    for error in errors:
        groups.setdefault(error.cause, []).append(error)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def suggest_case(
    current: CurrentMessage, history: History, decisions: TurnDecisions, encoder: Encoder
) -> tuple[Case, Choices]:
    """Return a case that calls relevant what hybrid search or the last exchange has, and what each has.

    Hybrid search keeps as many turns as the decisions do. Instructions and empty turns are not judged.
    """
    n_kept = min(int(decisions.kept.sum()), _MAX_HYBRID)
    hybrid = Hybrid(encoder, k=n_kept).decide(current, history)
    last = [history.start + row for row in (split_exchanges(history.turns) or [[]])[-1]]
    choices = {HYBRID: frozenset(hybrid.kept_indices), LAST_EXCHANGE: frozenset(last)}
    judged = frozenset(
        index
        for index, turn in enumerate(history.turns, history.start)
        if not turn.is_instruction and turn.scored_text.strip()
    )
    conversation = history.conversation.id
    case = Case(
        id=f"{conversation}-{history.stop}",
        conversation=conversation,
        turn=current.index,
        query=current.turn if current.index is None else None,
        relevant=frozenset[int]().union(*choices.values()) & judged,
        judged=judged,
    )
    return case, choices


def _errors_of(judged: JudgedCase, choices: Choices) -> Iterable[TurnError]:
    missed, needless = judged.needed & ~judged.kept, judged.kept & ~judged.relevant
    if not (missed | needless).any():
        return
    decisions = judged.decisions
    names = list(decisions.parts)
    columns = np.array([decisions.parts[name] for name in names]).reshape(len(names), len(decisions))
    effects = columns - np.nanmedian(columns, axis=1, keepdims=True)  # (parts, turns of the history)
    for place in np.flatnonzero(missed | needless).tolist():
        index, kind = int(judged.indices[place]), _KINDS[bool(missed[place])]
        row = index - int(decisions.indices[0])
        score = decisions.value(decisions.scores, row)
        cause, effect = THRESHOLD, 0.0
        if index in decisions.overrides or (decisions.scores is not None and score is None):
            cause = OTHER_RULE
        elif names:
            part = int(effects[:, row].argmin() if kind == "missed" else effects[:, row].argmax())
            if (effects[part, row] < 0) == (kind == "missed") and effects[part, row]:
                cause, effect = names[part], float(effects[part, row])
        yield TurnError(
            case=judged.case,
            index=index,
            kind=kind,
            cause=cause,
            effect=effect,
            score=score,
            tokens=int(judged.tokens[place]),
            decisions=decisions,
            against=tuple(name for name, kept in choices.items() if (index in kept) == (kind == "missed")),
        )


_KINDS: Mapping[bool, ErrorKind] = {True: "missed", False: "needless"}
