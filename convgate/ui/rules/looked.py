"""Exchanges that were decided by the built-in checks once, and where rules of one's own find words in them.

While a person types, only what is new in the text of the rules is looked for: the checks, and the rules that
were there before, need not run again.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision
from convgate.gatekeeper.exchange import PlacedExchange
from convgate.gatekeeper.rule import Rule, compiled, same_apostrophes
from convgate.gatekeeper.rules import Rules
from convgate.gatekeeper.statistics import BY_DEFAULT
from convgate.transcripts.characters import writable

T = TypeVar("T")

_RULES_KEPT = 200  # rules whose places are remembered, beside those that are asked for


@dataclass(frozen=True, slots=True)
class Row:
    """An exchange and who decides about it; its whole decision is made when somebody looks at it."""

    key: str  # of the conversation
    place: int  # of the exchange in it, 0-based
    built_in: GatekeeperDecision
    own: tuple[str, Rule] | None = None  # outcome and the rule of one's own that decides

    @property
    def keep(self) -> bool:
        """Whether the exchange is stored."""
        return self.own[0] == KEEP if self.own else self.built_in.keep

    @property
    def category(self) -> str:
        """The deciding category."""
        return self.own[1].category if self.own else self.built_in.category

    @property
    def is_default(self) -> bool:
        """Whether it is kept only because nothing says that it can be left out."""
        return self.own is None and self.built_in.keep and self.built_in.rule in BY_DEFAULT

    def differs(self, other: Row) -> bool:
        """Whether outcome or category are others."""
        return (self.keep, self.category) != (other.keep, other.category)


@dataclass(frozen=True)
class Talk:
    """The exchanges of a conversation, without what was said before them, and the decisions of the checks."""

    exchanges: Sequence[PlacedExchange]
    built_in: Sequence[GatekeeperDecision]
    user: Sequence[bytes] = field(repr=False)  # each message as patterns see it
    assistant: Sequence[bytes] = field(repr=False)

    @classmethod
    def of(cls, exchanges: Sequence[PlacedExchange], built_in: Sequence[GatekeeperDecision]) -> Talk:
        """The talk, ready to be searched."""
        light = [replace(one, exchange=replace(one.exchange, previous=())) for one in exchanges]
        return cls(
            light,
            list(built_in),
            [_searched(one.exchange.user) for one in light],
            [_searched(one.exchange.assistant) for one in light],
        )

    def __len__(self) -> int:
        return len(self.exchanges)

    def places(self, rule: Rule) -> frozenset[int]:
        """The exchanges in which the rule finds words."""
        search = compiled(rule.pattern).search
        found: set[int] = set()
        for said, texts in (("user", self.user), ("assistant", self.assistant)):
            if rule.applies_to in (said, "both"):
                found |= {place for place, text in enumerate(texts) if search(text) is not None}
        return frozenset(found)


class Looked:
    """The talks of one library that were looked at, shared by all sessions."""

    def __init__(self) -> None:
        self._talks: dict[str, Talk] = {}
        self._places: dict[Rule, dict[str, frozenset[int]]] = {}
        self._last: dict[str, tuple[object, object]] = {}
        self._lock = threading.Lock()

    def last(self, name: str, asked: object, make: Callable[[], T]) -> T:
        """What was made under that name, as long as the same is asked for; else what `make` gives."""
        before, found = self._last.get(name, (None, None))
        if before != asked or found is None:
            found = make()
            self._last[name] = asked, found
        return cast(T, found)

    def talk(self, key: str) -> Talk | None:
        """A talk that was looked at; None when it was not yet."""
        return self._talks.get(key)

    def put(self, key: str, talk: Talk) -> None:
        """Remember a talk."""
        self._talks[key] = talk

    def keep_only(self, keys: Iterable[str]) -> None:
        """Forget talks that the library has no longer."""
        with self._lock:
            for gone in self._talks.keys() - set(keys):
                self._last.clear()
                del self._talks[gone]
                for found in self._places.values():
                    found.pop(gone, None)

    def ruled(self, rules: Rules, keys: Sequence[str]) -> dict[str, dict[int, tuple[str, Rule]]]:
        """For each talk, by the place of the exchange: outcome and the first rule that matches.

        Talks and exchanges without a match are left out. Rules that keep come first, as in `Rules.matches`.
        """
        ordered = [(KEEP, rule) for rule in rules.keep_patterns] + [(SKIP, r) for r in rules.skip_patterns]
        found: dict[str, dict[int, tuple[str, Rule]]] = {}
        with self._lock:
            for outcome, rule in ordered:
                for key, places in self._of_rule(rule, keys).items():
                    decided = found.setdefault(key, {})
                    for place in places:
                        decided.setdefault(place, (outcome, rule))
            for rule in list(self._places)[: -(len(ordered) + _RULES_KEPT)]:
                del self._places[rule]
        return found

    def rows(self, rules: Rules, keys: Sequence[str]) -> list[Row]:
        """Every exchange of the talks, with who decides about it under these rules."""
        found = self.ruled(rules, keys)
        return [
            Row(key, place, built_in, decided.get(place))
            for key in keys
            if (talk := self._talks.get(key)) is not None
            for decided in [found.get(key, {})]
            for place, built_in in enumerate(talk.built_in)
        ]

    def _of_rule(self, rule: Rule, keys: Sequence[str]) -> Mapping[str, frozenset[int]]:
        known = self._places.pop(rule, {})
        for key in keys:
            if key not in known and (talk := self._talks.get(key)) is not None:
                known[key] = talk.places(rule)
        self._places[rule] = known  # as the newest
        return {key: places for key in keys if (places := known.get(key))}


def _searched(text: str) -> bytes:
    """A message as `Rules.matches` searches it."""
    return same_apostrophes(writable(text.strip())).encode()
