"""Find the invariants of a conversation, and which later messages end them.

Earlier statements are looked up by the words, numbers and dates that they share with a later one, so that the
cost does not grow with the number of invariants.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from convgate.core.conversation import Turn
from convgate.core.conversation_cache import GrowingCache
from convgate.invariants.edits import edits_of
from convgate.invariants.invariant import Invariant, InvariantType
from convgate.invariants.judge import KindJudge, UserMessage
from convgate.invariants.rules import InvariantRules, says_more
from convgate.invariants.statements import Statement
from convgate.invariants.topic import has_other_value, is_general

_PRINTED = re.compile(r"Traceback|\b\w*(?:Error|Exception)\b|\b[45]\d\d\b|\berror:|\b[A-Z][A-Z_]{5,}\b")
_MAX_ERROR = 4_000  # characters from the first to the last line of one printed error


def find_invariants(turns: Sequence[Turn], judge: KindJudge) -> list[Invariant]:
    """Return every invariant that the turns state, in their order, with its state after the last turn.

    Only the user's words make one, and a person's edits in a turn's metadata (`with_edits`). Raises
    RequestError when these cannot be read.
    """
    finder = InvariantFinder()
    finder.add(turns, judge)
    return finder.invariants


class InvariantFinder:
    """Finds the invariants of a growing conversation incrementally."""

    def __init__(self) -> None:
        self._rules = InvariantRules()
        self._answer: str | None = None  # the assistant's message before; None: nothing was said before
        self._last: int | None = None  # turn of the user's message before
        self.turns: list[Turn] = []  # so far

    @property
    def invariants(self) -> list[Invariant]:
        """Of the turns so far."""
        return [rule.invariant for rule in self._rules.all]

    def add(self, turns: Sequence[Turn], judge: KindJudge) -> None:
        """Read the next turns."""
        messages: dict[int, UserMessage] = {}
        start = len(self.turns)
        for index, turn in enumerate(turns, start):
            if turn.role == "user" or turn.users_text:
                messages[index] = UserMessage(turn.users_text, self._answer)
                self._answer = self._answer or ""
            elif turn.role == "assistant" and turn.text:
                self._answer = turn.text
        statements = dict(zip(messages, judge.classify(list(messages.values())), strict=True))
        for index, turn in enumerate(turns, start):
            if index in statements:
                self._add_message(index, messages[index], statements[index])
            if turn.metadata and (edits := edits_of(turn, index)):
                self._rules.edit(index, turn.text, edits)
        self.turns.extend(turns)

    def _add_message(self, turn: int, message: UserMessage, statements: Sequence[Statement]) -> None:
        """Read a message. The first one cannot correct anything."""
        errors = [statement for statement in statements if statement.kind == "blocking_error"]
        for statement in _join_corrections(statements):
            if statement.resolves:
                self._resolve(turn)
            if statement.kind == "lifted":
                self._lift(turn, statement)
            elif statement.kind == "blocking_error":
                if statement is errors[0]:
                    self._add_error(turn, message.text, errors)
            elif statement.kind == "user_correction" and message.before is None:
                continue
            elif statement.kind != "none" and statement.kind != "resolved":
                self._add(turn, message.text, statement, statement.kind)
        self._last = turn

    def _add(self, turn: int, text: str, statement: Statement, kind: InvariantType) -> None:
        for place in self._find_rules(turn, statement, partly=True):
            self._rules.change(place, turn, statement)
        replaced = self._find_replaced(turn, statement)
        if any(self._rules.all[place].invariant.type == "safety_requirement" for place in replaced):
            kind = "safety_requirement"
        for place in replaced:
            self._rules.end(place, "superseded", superseded_by=turn)
        self._rules.add(turn, text, replace(statement, kind=kind), kind, (statement.start, statement.end))

    def _find_replaced(self, turn: int, statement: Statement) -> list[int]:
        """Return the rules that a statement replaces."""
        rules, replaced = self._rules, self._find_rules(turn, statement)
        if not replaced and statement.kind == "user_correction":
            of_last = [place for place in rules.latest(turn) if rules.source(place) == self._last]
            replaced = [place for place in of_last if self._is_same_point(statement, place)][:1]
        return replaced

    def _find_rules(self, turn: int, statement: Statement, *, partly: bool = False) -> list[int]:
        """Return the rules that a statement gives another value, or those of which a part gets one."""
        rules = self._rules
        return [
            place
            for place in rules.candidates(turn, statement, partly=partly)
            if _replaces(statement, rules.all[place].statement, near=rules.source(place) == self._last)
        ]

    def _is_same_point(self, statement: Statement, place: int) -> bool:
        """Return whether a correction points back at a rule, or both correct a number or a date."""
        rule, topic = self._rules.all[place], statement.topic
        if says_more(rule, statement):
            return False
        if statement.points:
            return rule.invariant.type != "safety_requirement" and rule.invariant.held
        known = rule.statement.topic
        has_both = bool((known.numbers and topic.numbers) or (known.dates and topic.dates))
        return rule.invariant.type == "user_correction" and has_both and len(topic.stems) <= 6

    def _lift(self, turn: int, statement: Statement) -> None:
        """End the rules that a statement lifts: the nearest, or the only one when it names none."""
        if (rest := self._rules.restore(turn, statement)) is None:
            return
        statement = rest
        ended = self._rules.nearest(turn, statement)
        changed = [] if ended else self._rules.nearest(turn, statement, partly=True)
        held = [
            place
            for place in self._rules.latest(turn)
            if self._rules.all[place].invariant.type == "hard_constraint"
        ]
        if not (ended or changed) and held and (is_general(statement.topic) or len(held) == 1):
            rule = self._rules.all[held[0]]
            in_part = rule.statement.topic.values & statement.topic.values and says_more(rule, statement)
            (changed if in_part else ended).append(held[0])
        for place in changed:
            self._rules.change(place, turn, statement)
        for place in ended:
            self._rules.end(place, "lifted", ended_by=turn)

    def _resolve(self, turn: int) -> None:
        for place in self._rules.errors:
            if self._rules.source(place) != turn:
                self._rules.end(place, "resolved", ended_by=turn)
        self._rules.errors = [
            place for place in self._rules.errors if self._rules.all[place].invariant.active
        ]

    def _add_error(self, turn: int, text: str, errors: Sequence[Statement]) -> None:
        """Add an error unless it is known, whether a program or the user reports it."""
        first, last = errors[0], errors[-1]
        near = last.end - first.start <= _MAX_ERROR
        span = (first.start if near else last.start, last.end)
        words = text[slice(*span)].strip()
        printed = _PRINTED.search(words) is not None
        for place in self._rules.errors:
            known = self._rules.all[place]
            if words in known.invariant.text or known.invariant.text in words:
                return
            if not printed and not has_other_value(first.topic, known.statement.topic):
                return
        self._rules.errors.append(len(self._rules.all))
        self._rules.add(turn, text, first, "blocking_error", span)


class InvariantReader:
    """Reads invariants; of conversations read last, one that goes on is read where it grew. Thread-safe."""

    def __init__(self, judge: KindJudge) -> None:
        self.judge = judge
        self._known: GrowingCache[InvariantFinder] = GrowingCache()

    def read(self, turns: list[Turn]) -> list[Invariant]:
        """Return every invariant that the turns state, with its state after the last turn."""
        finder = self._known.take(lambda known: known.turns == turns[: len(known.turns)]) or InvariantFinder()
        if new := turns[len(finder.turns) :]:
            finder.add(new, self.judge)
        invariants = finder.invariants
        self._known.put(finder)
        return invariants


def _join_corrections(statements: Sequence[Statement]) -> list[Statement]:
    """Join a correction that only says that something is wrong with the statement after it."""
    parts: list[Statement] = []
    for statement in statements:
        before = parts[-1] if parts else None
        if (
            before
            and _is_bare(before)
            and statement.topic.values
            and statement.kind in ("none", "user_correction")
        ):
            parts[-1] = replace(
                statement, start=before.start, kind="user_correction", signs=before.signs,
                denied=before.denied | statement.denied, likelihood=before.likelihood,
            )  # fmt: skip
        else:
            parts.append(statement)
    return parts


def _is_bare(statement: Statement) -> bool:
    topic = statement.topic
    return (
        statement.kind == "user_correction" and len(topic.stems) <= 1 and not (topic.numbers or topic.dates)
    )


def _replaces(statement: Statement, rule: Statement, *, near: bool) -> bool:
    """Return whether a statement replaces an earlier one. near: that is of the previous message."""
    corrects = statement.kind == "user_correction"
    critical = rule.kind == "safety_requirement"
    shared = statement.topic.stems & rule.topic.stems
    if (critical and not (shared or near)) or statement.topic.values <= rule.topic.values:
        return False
    if statement.denied & rule.topic.values and (shared or corrects):
        return True
    if has_other_value(statement.topic, rule.topic, near=near and corrects):
        return True
    min_stems = min(len(statement.topic.stems), len(rule.topic.stems))
    return corrects and (len(shared) >= 2 or (len(shared) == 1 and min_stems <= 3 and not critical))
