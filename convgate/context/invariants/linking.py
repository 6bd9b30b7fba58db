"""From statements to invariants: what a later message changes, lifts or solves.

An earlier statement is looked up by the words, numbers and days that it shares with a later one, so that the
cost grows with what is shared and not with the number of rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from convgate.context.invariant import InvariantType
from convgate.context.invariants.comparing import (
    conflict,
    is_general,
    is_limit,
    other_limit,
    other_value,
    replaces,
    says_otherwise,
)
from convgate.context.invariants.rules import Rules
from convgate.context.invariants.statement import Statement
from convgate.context.invariants.words import About

_LONGEST_ERROR = 4_000  # characters from the first to the last line of one printed error


@dataclass(frozen=True)
class Message:
    """A message of the user's with what the assistant said before it."""

    turn: int
    text: str
    statements: Sequence[Statement]
    answered: About | None  # what the assistant's message before is about; None where there is none
    asked: bool  # whether that message ends with a question
    names: frozenset[bytes] = frozenset()  # in the assistant's message before

    @property
    def answered_words(self) -> frozenset[bytes]:
        """All that can be the same in the assistant's message before."""
        return self.answered.values if self.answered else frozenset()


@dataclass
class Linking:
    """What holds up to a turn; `add` reads the next message of the user's."""

    rules: Rules = field(default_factory=Rules)
    _said: dict[object, Statement] = field(default_factory=dict)  # by key: the last that has it
    _last: int | None = None  # turn of the user's message before

    def add(self, message: Message) -> None:
        """Read a message."""
        errors = [one for one in message.statements if one.error and not one.fact]
        errors = [one for one in errors if one.printed or not self._is_answer(message, one)]
        first = self._last is None and message.answered is None
        for one in message.statements:
            if one.resolves:
                self._solve(message.turn)
            if errors and one is errors[0]:
                self._add_error(message, errors)
            elif one not in errors:
                self._add(message, one, first=first)
            for key in one.about.keys:
                self._said[key] = one
        self._last = message.turn

    def _add(self, message: Message, one: Statement, *, first: bool) -> None:
        changed = self._changed(message.turn, one)
        if one.asked and not one.corrects:
            changed = []
        if one.permits and not (one.obliges or one.fact or one.asked or changed):
            allowed = self._allowed(message.turn, one)
            for place in allowed:
                self.rules.end(place, "lifted", ended_by=message.turn)
            if allowed:
                return
        if one.lifts and not one.firm and not one.fact:
            changed = [place for place in changed if self._has_other_value(one, place)]
            if not changed and self._lift(message.turn, one):
                return
        if one.lifts and one.obliges:
            changed = changed or self.rules.nearest(message.turn, one)
        kind = self._kind(message, one, changed, first=first)
        if kind is None:
            return
        for place in changed:
            self.rules.end(place, "superseded", superseded_by=message.turn)
        self.rules.add(message.turn, message.text, one, kind, (one.start, one.end))

    def _kind(
        self, message: Message, one: Statement, changed: Sequence[int], *, first: bool
    ) -> InvariantType | None:
        """The highest type of a statement; None when it is no invariant. first: nothing was said before."""
        was_critical = any(self.rules.all[place].invariant.type == "safety_requirement" for place in changed)
        if one.fact or was_critical or (one.critical and one.obliges):
            return "safety_requirement"
        if not first:
            if one.corrects and one.about.values and not self._is_comment(message, one):
                return "user_correction"
            if one.contrasts and (not one.obliges or self._were_said(message, one.old)):
                return "user_correction"
            if not one.obliges and (changed or self._puts_right(message, one)):
                return "user_correction"
        return "hard_constraint" if one.obliges else None

    def _is_comment(self, message: Message, one: Statement) -> bool:
        """Whether it only goes on about a correction that the message has already."""
        before = self.rules.all[-1].invariant if self.rules.all else None
        return bool(
            before
            and before.source == message.turn
            and before.type in ("user_correction", "safety_requirement")
            and not (one.obliges or one.old or one.about.named)
            and all(value == b"1" for _, value in one.about.numbers)
        ) or (one.resolves and not one.old)

    def _is_answer(self, message: Message, one: Statement) -> bool:
        """Whether it corrects the assistant rather than telling an error."""
        return message.answered is not None and (
            one.corrects or (one.contrasts and bool(one.old & message.answered_words))
        )

    def _were_said(self, message: Message, words: frozenset[bytes]) -> bool:
        return any(word in self._said for word in words) or bool(words & message.answered_words)

    def _puts_right(self, message: Message, one: Statement) -> bool:
        """Whether a statement says it otherwise than before, without saying that it does."""
        if one.objects and message.answered:
            return one.points or bool(one.about.values & message.answered_words)
        if one.moved and (one.points or self._were_said(message, one.about.stems)):
            return True
        newest = self.rules.all[-1] if self.rules.all else None
        if newest and newest.invariant.source == message.turn and newest.statement.corrects and not one.names:
            return False  # it goes on about what the message has put right already
        if not one.ordered and self._were_said(message, one.dismissed) and one.about.values - one.dismissed:
            return True
        if not one.plain or message.asked:
            return False
        if message.answered and says_otherwise(one, message.answered, message.names):
            return True
        short = one.points or len(one.about.stems) <= 1
        before = [self._said[key] for key in one.about.keys if key in self._said]
        known = [other.about for other in before if short or not other.ordered]
        if message.answered and (one.points or one.about.named):
            known.append(message.answered)
        return any(conflict(one, other) for other in known)

    def _changed(self, turn: int, one: Statement) -> list[int]:
        """The rules that a statement takes the place of."""
        changes = one.corrects or one.contrasts or one.modifies or one.objects
        if not (changes or one.about.numbers or one.about.named):
            return []
        found = [
            place
            for place in self.rules.candidates(turn, (*one.about.keys, *one.old))
            if replaces(
                one,
                self.rules.all[place].statement,
                self.rules.all[place].invariant.type,
                near=self.rules.source(place) == self._last,
            )
        ]
        if not found and one.corrects and one.points:
            near = (place for place in self.rules.latest(turn) if self.rules.source(place) == self._last)
            found = [place for place in near if self._may_point_at(one, place)][:1]
        if not found and (one.corrects or one.leads):
            before = (place for place in self.rules.latest(turn) if self._is_same_point(one, place))
            found = list(before)[:1]
        if not found and one.obliges and is_limit(one.about):
            same = (place for place in self.rules.latest(turn) if self._is_hard(place))
            alike = (place for place in same if other_limit(one.about, self.rules.all[place].statement.about))
            found = list(alike)[:1]
        return found

    def _is_hard(self, place: int) -> bool:
        return self.rules.all[place].invariant.type == "hard_constraint"

    def _is_same_point(self, one: Statement, place: int) -> bool:
        """Whether the message before corrected a number or a day, as this one does again."""
        rule, said = self.rules.all[place], self.rules.all[place].statement.about
        if rule.invariant.type != "user_correction" or rule.invariant.source != self._last:
            return False
        alike = (said.numbers and one.about.numbers) or (said.named and one.about.named)
        return bool(alike) and len(one.about.stems) <= 6

    def _may_point_at(self, one: Statement, place: int) -> bool:
        """Whether a correction that only points back can mean a rule; a danger only by its value."""
        rule = self.rules.all[place]
        if rule.invariant.type == "safety_requirement":
            valued = one.names or one.about.numbers or one.about.named
            return not valued or other_value(one.about, rule.statement.about, near=True)
        return rule.invariant.held

    def _has_other_value(self, one: Statement, place: int) -> bool:
        rule = self.rules.all[place].statement
        return other_value(one.about, rule.about) or bool(one.old & rule.about.values)

    def _lift(self, turn: int, one: Statement) -> bool:
        """End the rules that a statement takes away; whether there was one."""
        best = self.rules.nearest(turn, one)
        if not best:
            constraints = [place for place in self.rules.latest(turn) if self._is_hard(place)]
            if is_general(one.about) or (one.lifts_now and len(constraints) == 1):
                best = constraints[:1]
        for place in best:
            self.rules.end(place, "lifted", ended_by=turn)
        return bool(best)

    def _allowed(self, turn: int, one: Statement) -> list[int]:
        """The constraints that share a word with what a statement permits."""
        return [
            place
            for place in self.rules.nearest(turn, one)
            if self._is_hard(place) and self.rules.all[place].statement.about.stems & one.about.stems
        ]

    def _solve(self, turn: int) -> None:
        for place in self.rules.errors:
            if self.rules.source(place) != turn:
                self.rules.end(place, "resolved", ended_by=turn)
        self.rules.errors = [place for place in self.rules.errors if self.rules.all[place].invariant.active]

    def _add_error(self, message: Message, errors: Sequence[Statement]) -> None:
        """Note an error, once, whether a program or the user tells it, and unless it is known."""
        first, last = errors[0], errors[-1]
        near = last.end - first.start <= _LONGEST_ERROR
        span = (first.start if near else last.start, last.end)
        text = message.text[slice(*span)].strip()
        printed = any(one.printed for one in errors)
        for place in self.rules.errors:
            known = self.rules.all[place]
            if text in known.invariant.text or known.invariant.text in text:
                return
            if not printed and (first.same or not other_value(first.about, known.statement.about)):
                return
        self.rules.errors.append(len(self.rules.all))
        self.rules.add(message.turn, message.text, first, "blocking_error", span)
