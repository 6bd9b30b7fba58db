r"""Rules of one's own, as YAML: what they say, what is wrong with them, and where they match.

    skip_patterns:
      - pattern: '^(lgtm|\+1)$'
        reason: says no more than yes
    keep_patterns:
      - pattern: '\bticket [A-Z]+-\d+'
        reason: names a ticket
        category: ticket
        applies_to: both

>>> parse_rules("keep_patterns: [{pattern: 'ticket', category: ticket}]").keep_patterns
(Rule(pattern='ticket', reason='', category='ticket', applies_to='user', line=1),)
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any, get_args

import re2
from ruamel.yaml import YAML

from convgate.gatekeeper.decision import KEEP, SKIP, Match, Said
from convgate.gatekeeper.errors import RuleProblem, RulesError
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.rule import Rule, compiled, expression, options, same_apostrophes
from convgate.gatekeeper.rules_reading import LARGEST, LISTS, RulesReader
from convgate.transcripts.characters import writable

_MEMORY = 64 << 20  # bytes for all patterns as one automaton


@dataclass(frozen=True, slots=True)
class OwnMatch:
    """A rule of one's own that matches, and the words."""

    outcome: str  # KEEP or SKIP
    rule: Rule
    match: Match


@dataclass(frozen=True)
class Rules:
    """What to skip and what to keep. Patterns of the two lists are all different."""

    skip_patterns: Sequence[Rule] = ()
    keep_patterns: Sequence[Rule] = ()

    def __len__(self) -> int:
        return len(self.skip_patterns) + len(self.keep_patterns)

    def matches(self, exchange: Exchange) -> list[OwnMatch]:
        """Every rule that matches, with its first words; those that keep come first, then by their order.

        What somebody wants kept is kept even where something else in the message is to be skipped: words that
        are lost cannot be had back.
        """
        if not len(self):
            return []
        found: dict[int, Match] = {}
        for said in get_args(Said):
            automaton, indices = self._automata[said]
            if indices:
                text = exchange.user if said == "user" else exchange.assistant
                for index, match in self._found(automaton, indices, text, said):
                    found.setdefault(index, match)
        return [OwnMatch(*self._ordered[index], found[index]) for index in sorted(found)]

    def to_yaml(self) -> str:
        """The rules as a file has them, without comments; `parse_rules` gives the same rules back."""
        lists = {
            "skip_patterns": [_written(rule) for rule in self.skip_patterns],
            "keep_patterns": [_written(rule) for rule in self.keep_patterns],
        }
        yaml = YAML(typ="safe", pure=True)
        yaml.default_flow_style = False
        yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
        yaml.allow_unicode = True
        yaml.width = 100
        text = StringIO()
        yaml.dump(lists, text)
        return text.getvalue()

    @functools.cached_property
    def _ordered(self) -> list[tuple[str, Rule]]:
        return [(KEEP, rule) for rule in self.keep_patterns] + [(SKIP, rule) for rule in self.skip_patterns]

    @functools.cached_property
    def _compiled(self) -> list[Any]:
        return [compiled(rule.pattern) for _, rule in self._ordered]

    @functools.cached_property
    def _automata(self) -> dict[Said, tuple[Any, list[int]]]:
        """For each speaker, what says in one pass which rules match, and which rules it knows."""
        made: dict[Said, tuple[Any, list[int]]] = {}
        for said in get_args(Said):
            indices = [i for i, (_, rule) in enumerate(self._ordered) if rule.applies_to in (said, "both")]
            automaton = re2.Set.SearchSet(options(_MEMORY))
            for index in indices:
                automaton.Add(expression(self._ordered[index][1].pattern))
            if indices:
                automaton.Compile()
            made[said] = automaton, indices
        return made

    def _found(
        self, automaton: Any, indices: list[int], text: str, said: Said
    ) -> Iterator[tuple[int, Match]]:
        trimmed = text.strip()
        raw = same_apostrophes(writable(trimmed)).encode()
        offset = len(text) - len(text.lstrip())
        for place in automaton.Match(raw) or ():
            index = indices[place]
            words = self._compiled[index].search(raw)
            first, last = (offset + len(raw[:end].decode()) for end in words.span())
            rule = self._ordered[index][1]
            yield index, Match(rule.category, rule.pattern, said, first, last)


def parse_rules(text: str, *, file: str | None = None) -> Rules:
    """The rules of a text; `file` names it in errors.

    Raises RulesError with everything that is wrong: what is no YAML, unknown and repeated keys, patterns that
    are empty, broken or there twice, patterns that match every message.
    """
    reader = RulesReader(file)
    lists = reader.read(text)
    if reader.problems:
        raise RulesError(sorted(reader.problems, key=lambda problem: problem.line or 0))
    rules = Rules(**{name: tuple(lists.get(name, ())) for name in LISTS})
    try:
        _ = rules._automata
    except re2.error as error:
        raise RulesError([RuleProblem("all patterns together are too large", file)]) from error
    return rules


def read_rules(path: Path) -> Rules:
    """The rules of a file. Raises RulesError with everything that is wrong with it."""
    return decode_rules(read_bytes(path), file=str(path))


def read_bytes(path: Path) -> bytes:
    """What stands in a file of rules. Raises RulesError when it cannot be read or is too large."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except FileNotFoundError as error:
        raise RulesError([RuleProblem("there is no such file of rules", str(path))]) from error
    except OSError as error:
        raise RulesError([RuleProblem(f"cannot be read: {error.strerror or error}", str(path))]) from error
    if len(data) > LARGEST:
        raise RulesError([RuleProblem(f"larger than {LARGEST // 1000} kB, the most for rules", str(path))])
    return data


def decode_rules(data: bytes, *, file: str | None = None) -> Rules:
    """The rules of a file's bytes. Raises RulesError with everything that is wrong with them."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RulesError([RuleProblem("this is not UTF-8; save the file as UTF-8", file, line)]) from error
    return parse_rules(text, file=file)


def _written(rule: Rule) -> dict[str, str]:
    entry = {"pattern": rule.pattern}
    if rule.reason:
        entry["reason"] = rule.reason
    if rule.category != "custom":
        entry["category"] = rule.category
    if rule.applies_to != "user":
        entry["applies_to"] = rule.applies_to
    return entry
