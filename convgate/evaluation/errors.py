"""Where decisions contradict the labels: needed turns that are dropped, others that are kept, and why.

Disputed are labels that a policy whose scores are probabilities calls improbable: they may be wrong.

The cause of an error is the part of the logit that misled: of a missed turn the part that is furthest below
its median over the turns of the history, of a needless one the part that is furthest above it. A part that is
the same for all turns is never a cause.

Without labels, what hybrid search and the last exchange have stands in for them, see `suggest_case`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from convgate.core.conversation import Conversation, CurrentMessage, History
from convgate.core.decisions import TurnDecision, TurnDecisions
from convgate.core.text import format_share, pluralize, to_line
from convgate.embedding.base import Encoder
from convgate.evaluation.judged_cases import JudgedCase, judge_case
from convgate.gate.rule import best_first
from convgate.gatekeeper.checks import check
from convgate.gatekeeper.exchange import exchanges_of
from convgate.messages.tokens import turn_tokens
from convgate.messages.units import split_exchanges
from convgate.policies.search import Hybrid
from convgate.transcripts.cases import Case

ErrorKind = Literal["missed", "needless", "disputed"]

THRESHOLD = "threshold"
"""The cause where no part of the score speaks for the error, and of policies without parts."""

OTHER_RULE = "other rule"
"""The cause where something else than the score decided: what must hold, a valid list, a limit, a budget."""

HYBRID, LAST_EXCHANGE = "hybrid search", "the last exchange"
BEST = 3
"""Turns that hybrid search suggests for a message."""

MAX_LABEL = 0.1
"""The highest probability that a policy gives a label that it disputes."""

_MIN_GUESS = 0.05  # score of a dropped turn that is suggested; of those below, 1 of 20 is needed

_TEXT = 200  # characters of a turn in JSON

Choices = Mapping[str, frozenset[int]]
"""The turns that each of some policies suggests, by its name."""


@dataclass(frozen=True, eq=False, slots=True)
class TurnError:
    """One turn whose decision contradicts its label."""

    conversation: Conversation
    case: Case
    index: int  # of the turn in its conversation, 0-based
    kind: ErrorKind  # "missed": needed and dropped; "needless": kept and not relevant; "disputed": any
    cause: str  # a part of the logit, `THRESHOLD` or `OTHER_RULE`
    effect: float  # logit: that part less its median, in the direction of the error, or 0
    score: float | None
    tokens: int
    decisions: TurnDecisions  # about the whole history
    against: tuple[str, ...] = ()  # who decides otherwise, where the label is a suggestion

    @property
    def is_relevant(self) -> bool:
        """Whether the label or suggestion calls the turn relevant."""
        return self.index in self.case.relevant

    @property
    def decision(self) -> TurnDecision:
        """The decision with its reason, made when it is read."""
        return self.decisions.of(self.index)

    def to_json(self) -> dict[str, Any]:
        """Return the error as plain JSON values; indices are 0-based, texts cut after 200 characters."""
        question = self.case.query
        turns = self.conversation.turns
        message = turns[-1 if self.case.turn is None else self.case.turn]
        return {
            "kind": self.kind,
            "cause": self.cause,
            "effect": self.effect,
            "case": self.case.id,
            "conversation": self.case.conversation,
            "turn": self.case.turn,
            "message": to_line((question or message).scored_text, _TEXT),
            "text": to_line(turns[self.index].scored_text, _TEXT),
            "tokens": self.tokens,
            "against": list(self.against),
            "decision": self.decision.to_json(),
        }


@dataclass(frozen=True, eq=False, slots=True)
class JudgedMessage:
    """A message with decisions on its history, and what is relevant."""

    conversation: Conversation
    judged: JudgedCase
    choices: Choices = field(default_factory=dict)  # where they stand in for labels


@dataclass(frozen=True, eq=False)
class ErrorReport:
    """The errors of some messages, with the counts that they belong to."""

    errors: Sequence[TurnError]
    messages: int
    needed: int  # judged turns
    kept: int  # judged turns
    tokens: int  # of the kept ones
    is_suggested: bool  # whether other policies stand in for labels

    @classmethod
    def of(cls, messages: Sequence[JudgedMessage]) -> ErrorReport:
        """Return the report of these messages."""
        judged = [each.judged for each in messages]
        return cls(
            errors=find_errors(messages),
            messages=len(judged),
            needed=sum(int(each.needed.sum()) for each in judged),
            kept=sum(int(each.kept.sum()) for each in judged),
            tokens=sum(int(each.tokens[each.kept].sum()) for each in judged),
            is_suggested=any(each.choices for each in messages),
        )

    def of_kind(self, kind: ErrorKind) -> list[TurnError]:
        """Return the errors of a kind, in order."""
        return [error for error in self.errors if error.kind == kind]

    @property
    def summary(self) -> str:
        """What is missed, and what is sent needlessly, in a sentence."""
        if not self.messages:
            return "There is no message to judge."
        missed, needless = len(self.of_kind("missed")), self.of_kind("needless")
        share = format_share(sum(error.tokens for error in needless) / max(self.tokens, 1))
        if self.is_suggested:
            may = (
                "No turn seems to be missing" if not missed else f"{pluralize(missed, 'turn')} may be missing"
            )
            return f"{may}, and {share} of the tokens sent may not be needed."
        verb = "was" if missed == 1 else "were"
        sent = f"{share} of the tokens sent were not relevant" if self.kept else "nothing was sent"
        return f"{missed or 'None'} of {pluralize(self.needed, 'needed turn')} {verb} not sent; {sent}."


def judge_messages(
    conversation: Conversation,
    cases: Sequence[Case],
    decide: Callable[[CurrentMessage, History], TurnDecisions],
    encoder: Encoder,
    *,
    n_newest: int,
) -> Iterator[JudgedMessage]:
    """Yield the cases of a conversation with what `decide` decides about their histories.

    Without a case, the `n_newest` last messages that a model would answer, with suggestions for labels: about
    none of the exchanges that the gatekeeper would skip.
    """
    tokens = turn_tokens(conversation.turns)
    for case in cases:
        current, history = case.current(conversation)
        decisions = decide(current, history)
        judged = judge_case(case, decisions, tokens[history.start : history.stop])
        yield JudgedMessage(conversation, judged)
    if cases:
        return
    skipped = {
        turn
        for placed in exchanges_of(conversation)
        # A short message that nothing answers yet may ask for something.
        if placed.exchange.assistant and not check(placed.exchange).keep
        for turn in placed.turns
    }
    newest = [index for index in conversation.answerable() if index and index not in skipped]
    for index in newest[-n_newest:]:
        current, history = conversation.at(index)
        suggested, choices = suggest_case(current, history, encoder, left_out=skipped)
        judged = judge_case(suggested, decide(current, history), tokens[:index])
        yield JudgedMessage(conversation, judged, choices)


def find_errors(messages: Iterable[JudgedMessage]) -> list[TurnError]:
    """Return the errors, missed turns first, then needless ones and disputed labels, the clearest first.

    A turn that is missed or needless may be listed again as disputed.

    That is the lowest score of what is needed and the highest of what is not. Suggestions may be wrong: those
    that several policies make come first, then missed turns that the policy itself contradicts least, and
    needless ones by the tokens that they probably waste.
    """
    errors = [error for each in messages for error in _errors_of(each)]

    def order(error: TurnError) -> tuple[int, int, float]:
        score = error.score or 0.0
        if error.kind == "disputed":
            rank = -abs(error.is_relevant - score)
        elif error.kind == "needless" and error.against:
            rank = (score - 1) * error.tokens
        else:
            rank = score if (error.kind == "missed") != bool(error.against) else -score
        return _ORDER.index(error.kind), -len(error.against), rank

    return sorted(errors, key=order)


def group_by_cause(errors: Sequence[TurnError]) -> dict[str, list[TurnError]]:
    """Return the errors by cause, the most frequent cause first, in their order."""
    groups: dict[str, list[TurnError]] = {}
    for error in errors:
        groups.setdefault(error.cause, []).append(error)
    return dict(sorted(groups.items(), key=lambda item: -len(item[1])))


def suggest_case(
    current: CurrentMessage, history: History, encoder: Encoder, *, left_out: Collection[int] = ()
) -> tuple[Case, Choices]:
    """Return a case by what hybrid search and the last exchange have, and what each has.

    Relevant is what hybrid search ranks `BEST` or better, and the last exchange; not relevant what else it
    ranks in its lower half; other turns are not judged, nor are instructions, empty turns and those left out.
    """
    hybrid = Hybrid(encoder, k=BEST).decide(current, history)
    assert hybrid.scores is not None
    lower = hybrid.indices[best_first(hybrid.scores)[(len(history) + 1) // 2 :]]
    last = [history.start + row for row in (split_exchanges(history.turns) or [[]])[-1]]
    choices = {HYBRID: frozenset(hybrid.kept_indices), LAST_EXCHANGE: frozenset(last)}
    relevant = frozenset[int]().union(*choices.values())
    judged = frozenset(
        index
        for index in relevant.union(lower.tolist())
        if index not in left_out
        and not (turn := history.conversation.turns[index]).is_instruction
        and turn.scored_text.strip()
    )
    conversation = history.conversation.id
    case = Case(
        id=f"{conversation}-{history.stop}",
        conversation=conversation,
        turn=current.index,
        query=current.turn if current.index is None else None,
        relevant=relevant & judged,
        judged=judged,
    )
    return case, choices


def _errors_of(message: JudgedMessage) -> Iterable[TurnError]:
    judged, choices = message.judged, message.choices
    decisions = judged.decisions
    scores = np.full(len(judged.indices), np.nan) if judged.scores is None else judged.scores
    missed, needless = judged.needed & ~judged.kept, judged.kept & ~judged.relevant
    disputed = np.zeros_like(missed)
    if choices:
        missed &= ~(scores < _MIN_GUESS)
        needless &= ~np.isin(judged.indices, list(decisions.overrides))  # what must hold needs no likeness
    elif decisions.is_probability:
        disputed = np.where(judged.relevant, judged.needed & (scores <= MAX_LABEL), scores >= 1 - MAX_LABEL)
    if not (missed | needless | disputed).any():
        return
    names = list(decisions.parts)
    columns = np.array([decisions.parts[name] for name in names]).reshape(len(names), len(decisions))
    effects = columns - np.nanmedian(columns, axis=1, keepdims=True)  # (parts, turns of the history)
    places = [
        (place, kind)
        for kind, mask in zip(_ORDER, (missed, needless, disputed), strict=True)
        for place in np.flatnonzero(mask).tolist()
    ]
    for place, kind in places:
        index, is_needed = int(judged.indices[place]), bool(judged.needed[place])
        row = index - int(decisions.indices[0])
        score = decisions.value(decisions.scores, row)
        cause, effect = THRESHOLD, 0.0
        if index in decisions.overrides or (decisions.scores is not None and score is None):
            cause = OTHER_RULE
        elif names:
            part = int(effects[:, row].argmin() if is_needed else effects[:, row].argmax())
            if (effects[part, row] < 0) == is_needed and effects[part, row]:
                cause, effect = names[part], float(effects[part, row])
        yield TurnError(
            conversation=message.conversation,
            case=judged.case,
            index=index,
            kind=kind,
            cause=cause,
            effect=effect,
            score=score,
            tokens=int(judged.tokens[place]),
            decisions=decisions,
            against=tuple(name for name, turns in choices.items() if (index in turns) == is_needed),
        )


_ORDER: Sequence[ErrorKind] = ("missed", "needless", "disputed")
