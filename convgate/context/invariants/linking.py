"""From statements to invariants: what a later message changes, lifts or solves.

An earlier statement is looked up by the words, numbers and days that it shares with a later one, so that the
cost grows with what is shared and not with the number of rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from convgate.context.invariant import Invariant, InvariantType, State
from convgate.context.invariants.comparing import (
    conflict,
    is_general,
    keys,
    other_value,
    replaces,
    shared_values,
)
from convgate.context.invariants.reading import Statement
from convgate.context.invariants.words import About, values

_CANDIDATES = 16  # rules that share something and are compared with what may change them, the latest
_LONGEST_ERROR = 4_000  # characters from the first to the last line of one printed error

_WHAT: dict[InvariantType, str] = {
    "safety_requirement": "is safety-critical",
    "user_correction": "corrects what was said",
    "hard_constraint": "has to hold",
    "blocking_error": "stops the work",
}


@dataclass
class Rule:
    """An invariant while the conversation is read."""

    invariant: Invariant
    statement: Statement


@dataclass(frozen=True)
class Message:
    """A message of the user's with what the assistant said before it."""

    turn: int
    text: str
    statements: Sequence[Statement]
    answered: About | None  # what the assistant's message before is about; None where there is none
    asked: bool  # whether that message ends with a question


@dataclass
class Linking:
    """What holds up to a turn; `add` reads the next message of the user's."""

    rules: list[Rule] = field(default_factory=list)
    _by_key: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))
    _said: dict[object, Statement] = field(default_factory=dict)  # by key: the last that has it
    _errors: list[int] = field(default_factory=list)  # those that stop the work now
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
            for key in keys(one.about):
                self._said[key] = one
        self._last = message.turn

    def _add(self, message: Message, one: Statement, *, first: bool) -> None:
        changed = self._changed(message.turn, one)
        if one.lifts and not one.firm and not one.fact:
            changed = [place for place in changed if self._has_other_value(one, place)]
            if not changed and self._lift(message.turn, one):
                return
        if one.lifts and one.obliges:
            changed = changed or self._nearest(message.turn, one)
        kind = self._kind(message, one, changed, first=first)
        if kind is None:
            return
        for place in changed:
            self._end(place, "superseded", superseded_by=message.turn)
        self._append(message, one, kind, (one.start, one.end))

    def _kind(
        self, message: Message, one: Statement, changed: Sequence[int], *, first: bool
    ) -> InvariantType | None:
        was_critical = any(self.rules[place].invariant.type == "safety_requirement" for place in changed)
        if one.fact or was_critical or (one.critical and one.obliges):
            return "safety_requirement"
        if not first:
            if one.corrects and values(one.about) and not self._is_comment(message, one):
                return "user_correction"
            if one.contrasts and (not one.obliges or one.old & self._known(message)):
                return "user_correction"
            if not one.obliges and (changed or self._puts_right(message, one)):
                return "user_correction"
        return "hard_constraint" if one.obliges else None

    def _is_comment(self, message: Message, one: Statement) -> bool:
        """Whether it only goes on about a correction that the message has already."""
        return bool(
            self.rules
            and self.rules[-1].invariant.source == message.turn
            and self.rules[-1].invariant.type in ("user_correction", "safety_requirement")
            and not (one.obliges or one.old or one.about.named)
            and all(value == b"1" for _, value in one.about.numbers)
        )

    def _is_answer(self, message: Message, one: Statement) -> bool:
        """Whether it corrects the assistant rather than telling an error."""
        return message.answered is not None and (
            one.corrects or (one.contrasts and bool(one.old & values(message.answered)))
        )

    def _known(self, message: Message) -> frozenset[object]:
        answered = values(message.answered) if message.answered else frozenset()
        return frozenset((*self._said, *answered))

    def _puts_right(self, message: Message, one: Statement) -> bool:
        """Whether a statement says it otherwise than before, without saying that it does."""
        if one.objects and message.answered:
            return bool(values(one.about) & values(message.answered)) or one.points
        if one.moved and (one.about.stems & self._known(message) or one.points):
            return True
        if not one.plain or message.asked:
            return False
        before = [self._said[key] for key in keys(one.about) if key in self._said]
        short = one.points or len(one.about.stems) <= 1
        known = [other.about for other in before if short or not other.ordered]
        if message.answered and (one.points or one.about.named):
            known.append(message.answered)
        return any(conflict(one, other) for other in known)

    def _append(
        self, message: Message, one: Statement, kind: InvariantType, span: tuple[int, int]
    ) -> None:
        about = f" ({one.critical})" if kind == "safety_requirement" and one.critical else ""
        found = Invariant(
            type=kind,
            source=message.turn,
            text=message.text[slice(*span)],
            start=span[0],
            end=span[1],
            scope=one.scope,
            state="active",
            reason=f"It {_WHAT[kind]}{about}: “{_cut(one.words or message.text[slice(*span)])}”.",
        )
        for key in keys(one.about):
            self._by_key[key].append(len(self.rules))
        self.rules.append(Rule(found, one))

    def _end(
        self, place: int, state: State, *, superseded_by: int | None = None, ended_by: int | None = None
    ) -> None:
        rule = self.rules[place]
        if rule.invariant.active:
            rule.invariant = replace(
                rule.invariant, state=state, superseded_by=superseded_by, ended_by=ended_by
            )

    def _candidates(self, turn: int, wanted: Iterable[object]) -> list[int]:
        """The latest rules with one of the keys that still hold and were not stated in this message."""
        places: set[int] = set()
        for key in wanted:
            places.update(self._by_key.get(key, ())[-_CANDIDATES:])
        return [
            place
            for place in sorted(places, reverse=True)[:_CANDIDATES]
            if (known := self.rules[place].invariant).active
            and known.source != turn
            and known.type != "blocking_error"
        ]

    def _changed(self, turn: int, one: Statement) -> list[int]:
        """The rules that a statement takes the place of."""
        changes = one.corrects or one.contrasts or one.modifies or one.objects
        if not (changes or one.about.numbers or one.about.named):
            return []
        found = [
            place
            for place in self._candidates(turn, (*keys(one.about), *one.old))
            if replaces(
                one,
                self.rules[place].statement,
                self.rules[place].invariant.type,
                near=self._source(place) == self._last,
            )
        ]
        if not found and one.corrects and one.points:
            found = [
                place
                for place in range(len(self.rules) - 1, max(-1, len(self.rules) - 1 - _CANDIDATES), -1)
                if self.rules[place].invariant.source == self._last and self.rules[place].invariant.held
            ][:1]
        return found

    def _has_other_value(self, one: Statement, place: int) -> bool:
        rule = self.rules[place].statement
        return other_value(one.about, rule.about) or bool(one.old and one.old & values(rule.about))

    def _nearest(self, turn: int, one: Statement) -> list[int]:
        """The rules of one message that share the most with a statement; none when none shares anything."""
        most, best = 0, list[int]()
        for place in self._candidates(turn, (*keys(one.about), *one.old)):
            shared = shared_values(one.about, self.rules[place].statement.about)
            if shared > most:
                most, best = shared, [place]
            elif best and shared == most and self._source(place) == self._source(best[0]):
                best.append(place)
        return best

    def _source(self, place: int) -> int:
        return self.rules[place].invariant.source

    def _lift(self, turn: int, one: Statement) -> bool:
        """End the rules that a statement takes away; whether there was one."""
        best = self._nearest(turn, one)
        if not best:
            latest = range(len(self.rules) - 1, max(-1, len(self.rules) - 1 - _CANDIDATES), -1)
            constraints = [
                place
                for place in latest
                if self.rules[place].invariant.active
                and self.rules[place].invariant.type == "hard_constraint"
                and self._source(place) != turn
            ]
            if is_general(one.about) or (one.lifts_now and len(constraints) == 1):
                best = constraints[:1]
        for place in best:
            self._end(place, "lifted", ended_by=turn)
        return bool(best)

    def _solve(self, turn: int) -> None:
        kept = []
        for place in self._errors:
            if self._source(place) == turn:
                kept.append(place)
            else:
                self._end(place, "resolved", ended_by=turn)
        self._errors = kept

    def _add_error(self, message: Message, errors: Sequence[Statement]) -> None:
        """Note an error, once, whether a program or the user tells it, and unless it is known."""
        first, last = errors[0], errors[-1]
        span = (first.start, last.end)
        if last.end - first.start > _LONGEST_ERROR:
            span = (last.start, last.end)
        text = message.text[slice(*span)].strip()
        printed = any(one.printed for one in errors)
        for place in self._errors:
            known = self.rules[place]
            if text in known.invariant.text or known.invariant.text in text:
                return
            if not printed and (
                first.same or not other_value(first.about, known.statement.about)
            ):
                return
        self._errors.append(len(self.rules))
        self._append(message, first, "blocking_error", span)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rsplit(' ', 1)[0]}…"
