"""From statements to invariants: what a later message replaces, lifts or resolves.

An earlier statement is looked up by the words, numbers and days that it shares with a later one, so that the
cost grows with what is shared and not with the number of rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from convgate.context.invariant import InvariantType
from convgate.context.invariants.comparing import is_general, is_limit, other_limit, other_value, replaces
from convgate.context.invariants.rules import Rules
from convgate.context.invariants.statement import Statement

_PRINTED = re.compile(r"Traceback|\b\w*(?:Error|Exception)\b|\b[45]\d\d\b|\berror:|\b[A-Z][A-Z_]{5,}\b")
_LONGEST_ERROR = 4_000  # characters from the first to the last line of one printed error


@dataclass
class Linking:
    """What holds up to a turn; `add` reads the next message of the user's."""

    rules: Rules = field(default_factory=Rules)
    _last: int | None = None  # turn of the user's message before

    def add(self, turn: int, text: str, statements: Sequence[Statement], *, first: bool) -> None:
        """Read a message. first: nothing was said before it, so that it corrects nothing."""
        errors = [one for one in statements if one.kind == "blocking_error"]
        for one in _joined(statements):
            if one.resolves:
                self._resolve(turn)
            if one.kind == "lifted":
                self._lift(turn, one)
            elif one.kind == "blocking_error":
                if one is errors[0]:
                    self._add_error(turn, text, errors)
            elif one.kind not in ("none", "resolved") and not (first and one.kind == "user_correction"):
                self._add(turn, text, one)
        self._last = turn

    def _add(self, turn: int, text: str, one: Statement) -> None:
        replaced = self._replaced(turn, one)
        kind: InvariantType = one.kind  # type: ignore[assignment]  # what ends something is no invariant
        if any(self.rules.all[place].invariant.type == "safety_requirement" for place in replaced):
            kind = "safety_requirement"
        for place in replaced:
            self.rules.end(place, "superseded", superseded_by=turn)
        self.rules.add(turn, text, replace(one, kind=kind), kind, (one.start, one.end))

    def _replaced(self, turn: int, one: Statement) -> list[int]:
        """The rules whose place a statement takes."""
        corrects = one.kind == "user_correction"
        found = [
            place
            for place in self.rules.candidates(turn, (*one.about.keys, *one.old))
            if replaces(one, self.rules.all[place].statement, near=self.rules.source(place) == self._last)
        ]
        if not found and corrects and one.points:
            found = [place for place in self._of_last(turn) if self._may_point_at(one, place)][:1]
        if not found and corrects:
            found = [place for place in self._of_last(turn) if self._is_same_point(one, place)][:1]
        if not found and (is_limit(one.about) or (corrects and len(one.about.stems) <= 3)):
            found = [
                place
                for place in self.rules.latest(turn)
                if other_limit(one.about, self.rules.all[place].statement.about)
            ][:1]
        return found

    def _of_last(self, turn: int) -> list[int]:
        return [place for place in self.rules.latest(turn) if self.rules.source(place) == self._last]

    def _is_same_point(self, one: Statement, place: int) -> bool:
        """Whether the message before corrected a number or a day, as this one does again."""
        rule, said = self.rules.all[place], self.rules.all[place].statement.about
        alike = (said.numbers and one.about.numbers) or (said.named and one.about.named)
        return rule.invariant.type == "user_correction" and bool(alike) and len(one.about.stems) <= 6

    def _may_point_at(self, one: Statement, place: int) -> bool:
        """Whether a correction that only points back can mean a rule; a danger only by its value."""
        rule = self.rules.all[place]
        if rule.invariant.type == "safety_requirement":
            valued = one.about.numbers or one.about.named
            return not valued or other_value(one.about, rule.statement.about, near=True)
        return rule.invariant.held

    def _lift(self, turn: int, one: Statement) -> None:
        """End the rules that a statement takes away: the nearest, or the only one when it names none."""
        ended = self.rules.nearest(turn, one)
        held = [
            place
            for place in self.rules.latest(turn)
            if self.rules.all[place].invariant.type == "hard_constraint"
        ]
        if not ended and (is_general(one.about) or len(held) == 1):
            ended = held[:1]
        for place in ended:
            self.rules.end(place, "lifted", ended_by=turn)

    def _resolve(self, turn: int) -> None:
        for place in self.rules.errors:
            if self.rules.source(place) != turn:
                self.rules.end(place, "resolved", ended_by=turn)
        self.rules.errors = [place for place in self.rules.errors if self.rules.all[place].invariant.active]

    def _add_error(self, turn: int, text: str, errors: Sequence[Statement]) -> None:
        """Note an error once, whether a program or the user reports it, and unless it is known."""
        first, last = errors[0], errors[-1]
        near = last.end - first.start <= _LONGEST_ERROR
        span = (first.start if near else last.start, last.end)
        said = text[slice(*span)].strip()
        printed = _PRINTED.search(said) is not None
        for place in self.rules.errors:
            known = self.rules.all[place]
            if said in known.invariant.text or known.invariant.text in said:
                return
            if not printed and not other_value(first.about, known.statement.about):
                return
        self.rules.errors.append(len(self.rules.all))
        self.rules.add(turn, text, first, "blocking_error", span)


def _joined(statements: Sequence[Statement]) -> list[Statement]:
    """Join a correction that says no more than that something is wrong with the statement after it."""
    parts: list[Statement] = []
    for one in statements:
        before = parts[-1] if parts else None
        if before and _is_bare(before) and one.about.values and one.kind in ("none", "user_correction"):
            parts[-1] = replace(
                one, start=before.start, kind="user_correction", old=before.old | one.old, signs=before.signs,
                likelihood=before.likelihood,
            )  # fmt: skip
        else:
            parts.append(one)
    return parts


def _is_bare(one: Statement) -> bool:
    said = one.about
    return one.kind == "user_correction" and len(said.stems) <= 1 and not (said.numbers or said.named)
