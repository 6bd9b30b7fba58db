"""Exchanges that were decided by the built-in checks once, and where rules of one's own find words in them.

While a person types, only what is new in the text of the rules is looked for: the checks, and the rules that
were there before, need not run again.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision, Match
from convgate.gatekeeper.exchange import PlacedExchange
from convgate.gatekeeper.rule import Rule, compiled, same_apostrophes
from convgate.gatekeeper.rules import OwnMatch, Rules
from convgate.transcripts.characters import writable

_RULES_KEPT = 200  # rules whose words are remembered, beside those that are asked for


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

    def hits(self, rule: Rule) -> dict[int, Match]:
        """The exchanges, by their place, in which the rule finds words."""
        pattern, alone = compiled(rule.pattern), Rules(keep_patterns=(rule,))
        found: dict[int, Match] = {}
        for said, texts in (("user", self.user), ("assistant", self.assistant)):
            if rule.applies_to in (said, "both"):
                for place, text in enumerate(texts):
                    if pattern.search(text) is not None and place not in found:
                        (match,) = alone.matches(self.exchanges[place].exchange)
                        found[place] = match.match
        return found


class Looked:
    """The talks of one library that were looked at, shared by all sessions."""

    def __init__(self) -> None:
        self._talks: dict[str, Talk] = {}
        self._hits: dict[Rule, dict[str, dict[int, Match]]] = {}
        self._lock = threading.Lock()

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
                del self._talks[gone]
                for found in self._hits.values():
                    found.pop(gone, None)

    def own(self, rules: Rules, keys: Sequence[str]) -> dict[str, dict[int, list[OwnMatch]]]:
        """For each talk, by the place of the exchange, the rules that match: those that keep first.

        Talks and exchanges without a match are left out. The order is that of `Rules.matches`.
        """
        ordered = [(KEEP, rule) for rule in rules.keep_patterns] + [(SKIP, r) for r in rules.skip_patterns]
        found: dict[str, dict[int, list[OwnMatch]]] = {}
        with self._lock:
            for outcome, rule in ordered:
                for key, hits in self._of_rule(rule, keys).items():
                    for place, match in hits.items():
                        one = OwnMatch(outcome, rule, match)
                        found.setdefault(key, {}).setdefault(place, []).append(one)
            self._forget_rules(len(ordered))
        return found

    def _of_rule(self, rule: Rule, keys: Sequence[str]) -> Mapping[str, dict[int, Match]]:
        known = self._hits.pop(rule, {})
        for key in keys:
            if key not in known:
                known[key] = self._talks[key].hits(rule)
        self._hits[rule] = known  # as the newest
        return {key: known[key] for key in keys if known[key]}

    def _forget_rules(self, asked: int) -> None:
        for rule in list(self._hits)[: -(asked + _RULES_KEPT)]:
            del self._hits[rule]


def _searched(text: str) -> bytes:
    """A message as `Rules.matches` searches it."""
    return same_apostrophes(writable(text.strip())).encode()
