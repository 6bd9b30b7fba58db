"""The invariants that were found up to a message, and how they are looked up by what they are about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from convgate.context.invariant import Invariant, InvariantType, State, quote_line
from convgate.context.invariants.statements import Statement
from convgate.context.invariants.topic import Topic, read_topic, shared_values
from convgate.gatekeeper.folding import fold
from convgate.store.edits import InvariantEdit

CANDIDATES = 16
"""Rules that share something with a statement and are compared with it, the latest."""

_WHAT: dict[InvariantType, str] = {
    "safety_requirement": "is safety-critical",
    "user_correction": "corrects what was said",
    "hard_constraint": "has to hold",
    "blocking_error": "stops the work",
}
_DID = {"active": "A person has it hold.", "ended": "A person ended it.", None: "A person changed it."}


@dataclass(slots=True)
class Rule:
    """An invariant while the conversation is read."""

    invariant: Invariant
    statement: Statement
    fixed: bool = False  # by a person: nothing that is found ends it


@dataclass
class Rules:
    """All that was found so far, whatever became of it."""

    all: list[Rule] = field(default_factory=list)
    errors: list[int] = field(default_factory=list)  # places of those that stop the work now
    _by_key: dict[object, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(
        self, turn: int, text: str, statement: Statement, kind: InvariantType, span: tuple[int, int]
    ) -> None:
        """Note a statement as an invariant. text: of its message; span: characters of it."""
        signs = ", ".join(f"“{sign}”" for sign in statement.signs) or quote_line(text[slice(*span)])
        self._add(
            Invariant(
                type=kind,
                source=turn,
                text=text[slice(*span)],
                start=span[0],
                end=span[1],
                scope=statement.scope,
                state="active",
                reason=f"It {_WHAT[kind]} ({statement.likelihood:.2f}): {signs}.",
            ),
            statement,
        )

    def end(
        self, place: int, state: State, *, superseded_by: int | None = None, ended_by: int | None = None
    ) -> None:
        """Say what became of one that still holds, unless a person has it hold."""
        rule = self.all[place]
        if rule.invariant.active and not rule.fixed:
            rule.invariant = replace(
                rule.invariant, state=state, superseded_by=superseded_by, ended_by=ended_by
            )

    def source(self, place: int) -> int:
        """The message that states it."""
        return self.all[place].invariant.source

    def candidates(self, turn: int, wanted: Iterable[object]) -> list[int]:
        """The latest with one of the keys that still hold and were stated before this message."""
        places: set[int] = set()
        for key in wanted:
            places.update(self._by_key.get(key, ())[-CANDIDATES:])
        return [place for place in sorted(places, reverse=True)[:CANDIDATES] if self._can_end(place, turn)]

    def latest(self, turn: int) -> list[int]:
        """The latest that still hold and were stated before this message, whatever they are about."""
        first = max(0, len(self.all) - CANDIDATES)
        return [place for place in range(len(self.all) - 1, first - 1, -1) if self._can_end(place, turn)]

    def nearest(self, turn: int, statement: Statement) -> list[int]:
        """Those of one message that share the most with a statement; none when none shares anything."""
        most, best = 0, list[int]()
        for place in self.candidates(turn, (*statement.topic.keys, *statement.old)):
            shared = shared_values(statement.topic, self.all[place].statement.topic)
            if shared > most:
                most, best = shared, [place]
            elif best and shared == most and self.source(place) == self.source(best[0]):
                best.append(place)
        return best

    def edit(self, turn: int, text: str, edits: Sequence[InvariantEdit]) -> None:
        """Make of the invariants of a message what a person made of them."""
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
                    continue  # what was found once and is no longer found needs no end
                place = self._add_by_person(turn, text, edit)
            rule = self.all[place]
            rule.invariant = _edited(rule.invariant, text, edit)
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
        self.all.append(Rule(invariant, statement))
        self._index(len(self.all) - 1, statement.topic)

    def _index(self, place: int, topic: Topic) -> None:
        for key in topic.keys:
            self._by_key[key].append(place)

    def _can_end(self, place: int, turn: int) -> bool:
        known = self.all[place].invariant
        return known.active and known.source != turn and known.type != "blocking_error"


def _edited(invariant: Invariant, text: str, edit: InvariantEdit) -> Invariant:
    words = invariant.text if edit.text is None else edit.text
    start = text.find(words)
    did = "A person added it." if edit.of is None else _DID[edit.state]
    return replace(
        invariant,
        type=edit.type or invariant.type,
        text=words,
        start=start if start >= 0 else 0,
        end=start + len(words) if start >= 0 else 0,
        scope=invariant.scope if edit.scope is None else edit.scope,
        state="lifted" if edit.state == "ended" and not edit.pinned else "active",
        reason=f"{did} It is pinned." if edit.pinned else did,
        found_by="person",
        pinned=edit.pinned,
    )


def _topic(text: str) -> Topic:
    return read_topic(fold(text).text)
