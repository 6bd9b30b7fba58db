"""From statements to invariants: what a later message changes, lifts or solves.

An earlier statement is looked up by the words, numbers and days that it shares with a later one, so that the
cost grows with what is shared and not with the number of rules.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace

from convgate.context.invariant import Invariant, InvariantType
from convgate.context.invariants.reading import Statement
from convgate.context.invariants.words import MEASURES, About

_MOST_CANDIDATES = 64  # rules that share a word and are compared with what may change them, the latest
_LONGEST_ERROR = 4_000  # characters from the first to the last line of one printed error

_WHAT: dict[InvariantType, str] = {
    "safety_requirement": "is safety-critical",
    "user_correction": "corrects what was said",
    "hard_constraint": "has to hold",
    "blocking_error": "stops the work",
}


@dataclass
class _Rule:
    """An invariant while the conversation is read."""

    invariant: Invariant
    statement: Statement


@dataclass
class Linking:
    """What held up to a turn; `add` reads the next message of the user's."""

    rules: list[_Rule] = field(default_factory=list)
    _by_word: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))
    _said: dict[object, int] = field(default_factory=dict)  # word, number or day: the last turn that has it
    _last_turn: int | None = None  # of the user's, before this one
    _assistant: About | None = None  # of the message before this one

    def add(self, turn: int, text: str, statements: tuple[Statement, ...], answered: About | None) -> None:
        """Read a message. answered: what the assistant's message before is about, None where there is none."""
        first = self._last_turn is None and answered is None
        errors = [one for one in statements if one.error]
        for one in statements:
            if one.resolves:
                self._solve(turn)
            if one.lifts and not one.fact and not one.corrects and self._lift(turn, one):
                continue
            if one.error and not one.fact:
                if one is errors[0]:
                    self._add_error(turn, text, errors)
                continue
            self._add_statement(turn, text, one, answered, first=first)
        for one in statements:
            self._remember(turn, one.about)
        self._last_turn = turn

    def _add_statement(
        self, turn: int, text: str, one: Statement, answered: About | None, *, first: bool
    ) -> None:
        corrects = 0 if first else one.corrects
        changed = self._changed(turn, one, corrects)
        differs = bool(changed) or (not first and self._differs(one, answered))
        if corrects == 1 and not differs:
            corrects = 0
        if one.lifts and not changed and self._lift(turn, one):
            return
        kind: InvariantType | None = None
        if one.fact or (one.critical and (one.obliges or corrects)):
            kind = "safety_requirement"
        elif corrects or changed:
            kind = "user_correction"
        elif one.obliges:
            kind = "hard_constraint"
        if kind is None:
            return
        for place in changed:
            self._end(place, "superseded", superseded_by=turn)
        self._append(turn, text, one, kind, (one.start, one.end))

    def _append(
        self, turn: int, text: str, one: Statement, kind: InvariantType, span: tuple[int, int]
    ) -> None:
        about = f" ({one.critical})" if kind == "safety_requirement" and one.critical else ""
        found = Invariant(
            type=kind,
            source=turn,
            text=text[slice(*span)],
            start=span[0],
            end=span[1],
            scope=one.scope,
            state="active",
            reason=f"It {_WHAT[kind]}{about}: “{_cut(one.words)}”.",
        )
        place = len(self.rules)
        self.rules.append(_Rule(found, one))
        for word in _keys(one.about):
            self._by_word[word].append(place)

    def _end(self, place: int, state: str, **by: int) -> None:
        rule = self.rules[place]
        if rule.invariant.state == "active":
            rule.invariant = replace(rule.invariant, state=state, **by)  # type: ignore[arg-type]

    # What a statement changes

    def _candidates(self, about: About, extra: frozenset[bytes] = frozenset()) -> list[int]:
        counted: dict[int, None] = {}
        for word in (*_keys(about), *extra):
            for place in self._by_word.get(word, ())[-_MOST_CANDIDATES:]:
                if self.rules[place].invariant.state == "active":
                    counted[place] = None
        return sorted(counted, reverse=True)[:_MOST_CANDIDATES]

    def _changed(self, turn: int, one: Statement, corrects: int) -> list[int]:
        """The rules that a statement takes the place of."""
        if one.error or not (corrects or one.obliges or one.about.numbers or one.about.named):
            return []
        found = []
        for place in self._candidates(one.about, one.old):
            rule = self.rules[place]
            if rule.invariant.source == turn or rule.invariant.type == "blocking_error":
                continue
            if _replaces(one, rule.statement, corrects, rule.invariant.type):
                found.append(place)
        return found

    def _differs(self, one: Statement, answered: About | None) -> bool:
        """Whether it says of something that was said before that it is otherwise."""
        if one.old & self._said.keys() or (answered and one.old & _values(answered)):
            return True
        return bool(answered and len(one.about.stems & answered.stems) >= 1) or bool(
            one.about.stems & self._said.keys()
        )

    # What ends a rule

    def _lift(self, turn: int, one: Statement) -> bool:
        """End the rules that a statement takes away; whether there was one."""
        best: list[int] = []
        most = 0
        for place in self._candidates(one.about):
            rule = self.rules[place]
            if rule.invariant.source == turn or rule.invariant.type == "blocking_error":
                continue
            shared = len(_shared(one.about, rule.statement.about))
            if shared > most:
                best, most = [place], shared
            elif shared == most and rule.invariant.source == self.rules[best[0]].invariant.source:
                best.append(place)
        if not best and _is_general(one):
            latest = next(
                (
                    place
                    for place in range(len(self.rules) - 1, -1, -1)
                    if self.rules[place].invariant.active
                    and self.rules[place].invariant.type == "hard_constraint"
                    and self.rules[place].invariant.source != turn
                ),
                None,
            )
            best = [] if latest is None else [latest]
        for place in best:
            self._end(place, "lifted", ended_by=turn)
        return bool(best)

    def _solve(self, turn: int) -> None:
        for place, rule in enumerate(self.rules):
            if rule.invariant.type == "blocking_error" and rule.invariant.source != turn:
                self._end(place, "resolved", ended_by=turn)

    def _add_error(self, turn: int, text: str, errors: list[Statement]) -> None:
        first, last = errors[0], errors[-1]
        span = (first.start, min(last.end, first.start + _LONGEST_ERROR))
        about = first.about
        for rule in self.rules:
            known = rule.invariant
            if known.type == "blocking_error" and known.active:
                if first.repeats or text[slice(*span)].strip() == known.text.strip():
                    return
        self._append(turn, text, replace(first, about=about), "blocking_error", span)

    def _remember(self, turn: int, about: About) -> None:
        for word in _keys(about):
            self._said[word] = turn


def _keys(about: About) -> list[object]:
    return [*about.stems, *about.numbers, *(value for _, value in about.numbers), *about.named,
            *(which for _, which in about.named), *(unit for unit, _ in about.numbers if unit)]  # fmt: skip


def _values(about: About) -> frozenset[bytes]:
    return about.stems | {value for _, value in about.numbers} | {which for _, which in about.named}


def _shared(one: About, other: About) -> frozenset[bytes]:
    return _values(one) & _values(other)


def _replaces(one: Statement, rule: Statement, corrects: int, kind: InvariantType) -> bool:
    """Whether a statement takes the place of a rule."""
    shared = one.about.stems & rule.about.stems
    if corrects and one.old & _values(rule.about):
        return True
    if other_value(one.about, rule.about) and (corrects or (one.obliges and rule.obliges) or shared):
        return True
    if one.repeats or one.adds or not corrects:
        return False
    fewest = min(len(one.about.stems), len(rule.about.stems))
    return len(shared) >= 2 or (len(shared) == 1 and fewest <= 3 and kind != "safety_requirement")


def other_value(one: About, other: About) -> bool:
    """Whether both give a number of the same thing, or a day, and not the same."""
    units = {unit: value for unit, value in other.numbers if unit}
    for unit, value in one.numbers:
        if unit in units and units[unit] != value and not one.numbers & other.numbers:
            if unit not in MEASURES or one.stems & other.stems or len(one.stems) <= 3:
                return True
    kinds = {kind for kind, _ in one.named} & {kind for kind, _ in other.named}
    return bool(kinds and not one.named & other.named and one.stems & other.stems)


def _is_general(one: Statement) -> bool:
    return bool(one.about.stems & _GENERAL)


_GENERAL = frozenset(
    (
        b"rul",
        b"rule",
        b"constraint",
        b"restriction",
        b"requirement",
        b"condition",
        b"regl",
        b"regel",
        b"contraint",
    )
)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 80 else f"{line[:79].rsplit(' ', 1)[0]}…"
