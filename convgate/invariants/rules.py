"""The invariants of a conversation so far, indexed by topic."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from convgate.core.invariant_edit import InvariantEdit
from convgate.invariants.invariant import Invariant, InvariantState, InvariantType, quote_line
from convgate.invariants.statements import Statement
from convgate.invariants.topic import Topic, read_topic, shared_values
from convgate.text.folding import fold
from convgate.text.stop_words import stop_stems
from convgate.text.words import stems, words

CANDIDATES = 16
"""Max number of the latest rules with a shared topic that a statement is compared with."""

_EFFECTS: dict[InvariantType, str] = {
    "safety_requirement": "is safety-critical",
    "user_correction": "corrects what was said",
    "hard_constraint": "has to hold",
    "blocking_error": "stops the work",
}
_EDITED = {"active": "A person has it hold.", "ended": "A person ended it.", None: "A person changed it."}
_CLAUSE = re.compile(rb"\b(?:and|und|et)\b|[;:.]\s")
_PART = re.compile(_CLAUSE.pattern + rb"|,\s|(?=\b(?:but|aber|mais)\b)")
_DENIES = re.compile(
    rb"\b(?:no(?! (?:longer|you|we|it)\b)|never|kein\w*|nie|jamais|pas d[e']"
    rb"|(?:but|still|aber|weiterhin|mais|toujours) (?:not|nicht|pas))\b"
)
_MIN_SHARE = 1 / 3  # of the words of a rule, for a statement to be about it by its words alone


@dataclass(slots=True)
class InvariantRule:
    """An invariant with its statement."""

    invariant: Invariant
    statement: Statement
    fixed: bool = False  # by a person: nothing that is found ends it
    changed: frozenset[str] = frozenset()  # what the statements are about that change parts of it


@dataclass
class InvariantRules:
    """All invariants so far, in any state."""

    all: list[InvariantRule] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)  # places of those that are active
    _by_key: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(
        self, turn: int, text: str, statement: Statement, kind: InvariantType, span: tuple[int, int]
    ) -> None:
        """Add a statement as an invariant. text: of its message; span: characters of it."""
        stop = stop_stems(stems(words(text[slice(*span)]))) if kind == "safety_requirement" else frozenset()
        named = [sign for sign in statement.signs if not stop.issuperset(stems(words(sign)))]
        signs = ", ".join(f"“{sign}”" for sign in named) or quote_line(text[slice(*span)])
        self._add(
            Invariant(
                type=kind,
                source=turn,
                text=text[slice(*span)],
                start=span[0],
                end=span[1],
                scope=statement.scope,
                state="active",
                reason=f"It {_EFFECTS[kind]} ({statement.likelihood:.2f}): {signs}.",
                likelihood=statement.likelihood,
            ),
            statement,
        )

    def end(
        self,
        place: int,
        state: InvariantState,
        *,
        superseded_by: int | None = None,
        ended_by: int | None = None,
    ) -> None:
        """Set the state of an active invariant, unless a person fixed it."""
        rule = self.all[place]
        if rule.invariant.active and not rule.fixed:
            rule.invariant = replace(
                rule.invariant, state=state, superseded_by=superseded_by, ended_by=ended_by
            )

    def change(self, place: int, turn: int, statement: Statement) -> None:
        """Note that a message replaces or lifts a part of an invariant, unless a person fixed it."""
        rule = self.all[place]
        if not rule.fixed:
            rule.changed |= _subjects(statement)
            turns = dict.fromkeys((*rule.invariant.changed_by, turn))
            rule.invariant = replace(rule.invariant, changed_by=tuple(turns))

    def restore(self, turn: int, statement: Statement) -> Statement | None:
        """Restore what a statement denies again as a rule does: "but no milk". Return the rest, if any."""
        rest, again = list[bytes](), set[str]()
        for part in _PART.split(fold(statement.text).text):
            keys = read_topic(part).keys
            places = self._deniers(turn, keys) if _DENIES.search(part) else []
            for place in places:
                again |= keys
                if self.all[place].changed & keys:
                    self.change(place, turn, statement)
                    self.all[place].changed -= keys
            if not places:
                rest.append(part)
        if not again:
            return statement
        topic = read_topic(b", ".join(rest))
        return replace(statement, topic=topic, denied=statement.denied - again) if topic.keys else None

    def _deniers(self, turn: int, keys: frozenset[str]) -> list[int]:
        """Return the latest rules with a clause that denies all of the keys."""
        return [
            place
            for place in self._by_key.get(min(keys, default=""), ())[-CANDIDATES:]
            if self._can_end(place, turn)
            and any(
                _DENIES.search(clause) and keys <= read_topic(clause).keys
                for clause in _clauses(self.all[place].statement)
            )
        ]

    def source(self, place: int) -> int:
        """Return the message that states the invariant."""
        return self.all[place].invariant.source

    def candidates(self, turn: int, statement: Statement, *, partly: bool = False) -> list[int]:
        """Return the latest active invariants from before this message that a statement may be about.

        partly: those that say more than the statement is about, in place of those that do not.
        """
        places: set[int] = set()
        for key in (*statement.topic.keys, *statement.denied):
            places.update(self._by_key.get(key, ())[-CANDIDATES:])
        return [
            place
            for place in sorted(places, reverse=True)[:CANDIDATES]
            if self._can_end(place, turn)
            and _is_about(statement, (rule := self.all[place]).statement)
            and says_more(rule, statement) is partly
        ]

    def latest(self, turn: int) -> list[int]:
        """Return the latest active invariants from before this message."""
        first = max(0, len(self.all) - CANDIDATES)
        return [place for place in range(len(self.all) - 1, first - 1, -1) if self._can_end(place, turn)]

    def nearest(self, turn: int, statement: Statement, *, partly: bool = False) -> list[int]:
        """Return those candidates of one message that share the most with a statement."""
        max_shared, nearest = 0, list[int]()
        for place in self.candidates(turn, statement, partly=partly):
            shared = shared_values(statement.topic, self.all[place].statement.topic)
            if shared > max_shared:
                max_shared, nearest = shared, [place]
            elif nearest and shared == max_shared and self.source(place) == self.source(nearest[0]):
                nearest.append(place)
        return nearest

    def edit(self, turn: int, text: str, edits: Sequence[InvariantEdit]) -> None:
        """Apply a person's edits of the invariants of a message."""
        for edit in edits:
            place = next(
                (
                    place
                    for place in range(len(self.all) - 1, -1, -1)
                    if self.source(place) == turn and self.all[place].invariant.text == edit.of
                ),
                None,
            )
            if place is None:
                if edit.state == "ended" or edit.type is None:
                    continue  # it is no longer found
                place = self._add_by_person(turn, text, edit)
            rule = self.all[place]
            rule.invariant = _apply_edit(rule.invariant, text, edit)
            rule.fixed = edit.pinned or edit.state is not None
            if edit.text is not None and edit.of is not None:
                rule.statement = replace(rule.statement, topic=_topic(edit.text))
                self._index(place, rule.statement.topic)
            if rule.invariant.type == "blocking_error" and place not in self.errors:
                self.errors.append(place)

    def _add_by_person(self, turn: int, text: str, edit: InvariantEdit) -> int:
        words = edit.text or edit.of or ""
        start = max(0, text.find(words))
        end = start + len(words) if words in text else start
        kind: InvariantType = edit.type or "hard_constraint"
        statement = Statement(start, end, words, _topic(words), kind=kind)
        invariant = Invariant(kind, turn, words, start, end, "", "active", "A person added it.")
        self._add(invariant, statement)
        return len(self.all) - 1

    def _add(self, invariant: Invariant, statement: Statement) -> None:
        self.all.append(InvariantRule(invariant, statement))
        self._index(len(self.all) - 1, statement.topic)

    def _index(self, place: int, topic: Topic) -> None:
        for key in topic.keys:
            self._by_key[key].append(place)

    def _can_end(self, place: int, turn: int) -> bool:
        invariant = self.all[place].invariant
        return invariant.active and invariant.source != turn and invariant.type != "blocking_error"


def says_more(rule: InvariantRule, statement: Statement) -> bool:
    """Return whether a rule has a clause or a number that neither a later statement nor those before changes.

    Such a rule holds on: "5 nights instead" leaves "900 euros for 6 nights".
    """
    topic, known = statement.topic, rule.statement.topic
    keys = rule.changed | _subjects(statement)
    clauses = [read_topic(clause) for clause in _clauses(rule.statement)]
    if len(clauses) > 1 and any(clause.stems and not clause.keys & keys for clause in clauses):
        return True
    has_open = any(unit not in keys and number not in keys for unit, number in known.numbers)
    return has_open and (len(known.numbers) > 1 or _has_same_kind(topic, known))


def _clauses(statement: Statement) -> list[bytes]:
    return _CLAUSE.split(fold(statement.text).text)


def _subjects(statement: Statement) -> frozenset[str]:
    """Return what a statement is about; "" for a number without a unit, which is about one without."""
    return statement.topic.keys | statement.denied | {unit for unit, _ in statement.topic.numbers}


def _is_about(statement: Statement, rule: Statement) -> bool:
    """Return whether a statement is about a rule: by its unit, date or denied word, or enough words."""
    topic, known = statement.topic, rule.topic
    if _has_same_kind(topic, known) or topic.units & known.units or statement.denied & known.values:
        return True
    return len(topic.stems & known.stems) >= _MIN_SHARE * len(known.stems)


def _has_same_kind(topic: Topic, other: Topic) -> bool:
    return not dict(topic.dates).keys().isdisjoint(dict(other.dates))


def _apply_edit(invariant: Invariant, text: str, edit: InvariantEdit) -> Invariant:
    words = invariant.text if edit.text is None else edit.text
    start = text.find(words)
    reason = "A person added it." if edit.of is None else _EDITED[edit.state]
    return replace(
        invariant,
        type=edit.type or invariant.type,
        text=words,
        start=start if start >= 0 else 0,
        end=start + len(words) if start >= 0 else 0,
        scope=invariant.scope if edit.scope is None else edit.scope,
        state="lifted" if edit.state == "ended" and not edit.pinned else "active",
        reason=f"{reason} It is pinned." if edit.pinned else reason,
        found_by="person",
        pinned=edit.pinned,
    )


def _topic(text: str) -> Topic:
    return read_topic(fold(text).text)
