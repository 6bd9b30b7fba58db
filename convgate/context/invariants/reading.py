"""One message of the user's by itself: which statements it has, and what each of them would be."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from convgate.context.invariants.asked import asked_at_end, asked_in
from convgate.context.invariants.joining import joined
from convgate.context.invariants.names import names_of
from convgate.context.invariants.patterns import ERROR, error_lexicon, lexicon, spoken
from convgate.context.invariants.scopes import scope_of
from convgate.context.invariants.signs import (
    asks_help,
    dismissed,
    is_request,
    leads_with_value,
    named_old,
    only_denies,
    own_part,
    plans,
    points_back,
    tells_a_change,
)
from convgate.context.invariants.statement import Statement
from convgate.context.invariants.statements import Span, statements
from convgate.context.invariants.words import About, about
from convgate.gatekeeper.checks import lexicon as gatekeeper_lexicon
from convgate.gatekeeper.folding import Folded, fold
from convgate.gatekeeper.pattern import Found, overlaps

_REMEMBERED = 8_192  # messages
_SHORT = 8_000  # characters of a message that counts among them
MOST_STATEMENTS = 20_000
"""Statements of one message that are looked at, the first."""

_SHORT_STATEMENT = 18  # words of a statement that may correct something without saying so


@functools.lru_cache(_REMEMBERED)
def _short(text: str) -> tuple[Statement, ...]:
    return tuple(_read(text))


@functools.lru_cache(16)
def _long(text: str) -> tuple[Statement, ...]:
    return tuple(_read(text))


def read(text: str) -> tuple[Statement, ...]:
    """The statements of a message, in order; remembered by the text."""
    return _short(text) if len(text) <= _SHORT else _long(text)


_CLAUSES = re.compile(rb"[,;:]\s|\s-+\s")
_PAUSE = re.compile(rb"[,;:]|\s-+\s|\b(?:but|and|mais|et|aber|und)\b")
_RULES = re.compile(
    rb"(?:rules?|constraints?|requirements?|conditions?|must.haves?|conventions?|limits?|restrictions?"
    rb"|contraintes?|regles?|exigences?|regeln?|vorgaben?|bedingungen|anforderungen)\b[^.!?\n]{0,120}:?\s*$"
)
_ITEM = re.compile(rb"(?:[-*+]|\(?[0-9a-h][.)])\s+$")
_CONNECTED = re.compile(rb",? (?:and|und|et) ")
_ONE_WORD = re.compile(rb"[^a-z0-9]*[a-z0-9_]*")
_WORDS = re.compile(rb"[a-z0-9']+")
_STRONG = frozenset(("must", "not allowed", "at most", "may not"))  # hold although a wish stands beside them
_WEAK = frozenset(
    ("only", "no …", "not allowed", "nothing …", "for everything", "don't …", "may not", "always", "at least")
)
_FROM_NOW_ON = frozenset(("from now on", "for everything", "désormais", "ab jetzt"))
_FORBID = frozenset(("no …", "nothing …", "don't …"))
_OWN_CLAUSE = _FORBID | {"nothing but …", "must", "has to", "not allowed", "may not"}


def _read(text: str) -> list[Statement]:
    folded = fold(text)
    if not folded.text.strip():
        return []
    own = own_part(folded.text)
    found = [*_of_gatekeeper(own)]
    for language in spoken(folded.text):
        found += lexicon(language).find(own)
        found += error_lexicon(language).find(folded.text)
    found.sort(key=lambda one: one.span)
    asked = asked_in(own)
    made: list[Statement] = []
    ruled, place = False, 0
    for span in islice(statements(folded.text), MOST_STATEMENTS):
        matches = []
        while place < len(found) and found[place].span[0] < span[1]:
            pattern = found[place].pattern
            beyond = found[place].span[1] > span[1] and pattern.category not in ERROR
            if not beyond or _ONE_WORD.fullmatch(own, span[1], found[place].span[1]):
                matches.append(found[place])
            place += 1
        item = _ITEM.search(folded.text, max(0, span[0] - 8), span[0]) is not None
        ruled = ruled and item
        inside = [one for one in asked if one[0] < span[1] and span[0] < one[1]] if asked else []
        if last := asked_at_end(own, span):
            inside.append(last)
        reading = _Reading(text, folded, own, span, matches, inside)
        made += [part.statement(ruled=ruled) for part in reading.parts()]
        ruled = ruled or _RULES.search(own, *span) is not None
    return joined(made)


def _of_gatekeeper(own: bytes) -> Iterator[Found]:
    wanted = ("correction", "policy")
    return (one for one in gatekeeper_lexicon("user").find(own) if one.pattern.category in wanted)


@dataclass(frozen=True)
class _Reading:
    """One statement while it is read. Spans are bytes of the folded message."""

    text: str
    folded: Folded
    own: bytes
    span: Span
    found: Sequence[Found]
    asked: Sequence[Span]

    def parts(self) -> Iterator[_Reading]:
        """The statement, or two when "and" joins what has to be with something else that has to be."""
        duties = [one.span for one in self._of("obligation", "policy") if self._binds(one)]
        for joint in _CONNECTED.finditer(self.own, *self.span) if len(duties) > 1 else ():
            left = any(end <= joint.start() for _, end in duties)
            right = any(joint.end() <= start for start, _ in duties)
            counted = self.own[joint.end() : joint.end() + 1].isdigit()
            if (
                left
                and right
                and not counted
                and len(_WORDS.findall(self.own, joint.end(), self.span[1])) >= 4
            ):
                yield self._part((self.span[0], joint.start()))
                yield from self._part((joint.end(), self.span[1])).parts()
                return
        yield self

    def _part(self, span: Span) -> _Reading:
        return replace(self, span=span, found=[one for one in self.found if span[0] <= one.span[0] < span[1]])

    def statement(self, *, ruled: bool) -> Statement:
        """What it says. ruled: it is an item of a list of rules."""
        duties = [one for one in self._of("obligation", "policy") if self._binds(one)]
        wrong = self._error()
        once = bool(self._of("once"))
        facts = [one for one in self._of("fact") if not overlaps(one.span, self._void)]
        subjects = self._of("subject")
        solved = [one for one in self._of("resolved") if not self._is_asked(one)]
        if (wrong or solved) and not subjects and all(one.pattern.name in _WEAK for one in duties):
            duties = []
        if wrong and wrong.pattern.category == "error" and any(self._outweighs(one, wrong) for one in duties):
            wrong = None
        contrasts = [one.span for one in self._of("change") if one.pattern.name == "not X but Y"]
        duties = [
            one for one in duties if one.pattern.name not in _FORBID or not overlaps(one.span, contrasts)
        ]
        sure = [one for one in self._of("correction", "change", "mistake") if self._is_correction(one)]
        if once:
            sure = [one for one in sure if one.pattern.category == "correction"]
        unsure = [one for one in self._of("change", "modifies", "moved", "objects") if self._counts(one)]
        ends = [] if once else [one for one in self._of("lifted") if not self._is_asked(one)]
        told = next(iter([*facts, *duties, *sure, *([wrong] if wrong else []), *unsure, *ends]), None)
        start, end = self.folded.span(*self.span)
        own = self.own[slice(*self.span)]
        named = {one.pattern.name for one in unsure}
        return Statement(
            start=start,
            end=end,
            about=about(own),
            words=self._verbatim(told.span) if told else "",
            scope=self._scope(told.span) if told else "",
            obliges=(bool(duties) or (ruled and not self._of("optional")))
            and not (once or self._is_heading(own)),
            fact=bool(facts),
            critical=next((one.pattern.name for one in (*facts, *subjects)), ""),
            corrects=bool(sure) or only_denies(own),
            contrasts="not X but Y" in named,
            objects="should be" in named,
            modifies=bool(named & {"make it", "has changed"}),
            moved="has changed" in named,
            plain=self._is_plain(own),
            ordered=bool(self.asked) or is_request(own),
            points=points_back(own),
            admits=any(one.pattern.category == "mistake" for one in sure),
            checked=bool(self._of("checked")),
            leads=leads_with_value(own),
            names=names_of(self.text[start:end]),
            dismissed=dismissed(own),
            old=named_old(own),
            error=wrong is not None and all(one.span[1] <= wrong.span[0] for one in solved),
            printed=wrong is not None and wrong.pattern.category == "trace",
            firm=any(one.pattern.name not in _FROM_NOW_ON for one in duties) and not once,
            bound=self._bound(duties),
            asked=bool(self.asked) and own.endswith(b"?"),
            permits=not once and any(self._counts(one) for one in self._of("permits")),
            lifts=bool(ends),
            lifts_now=bool(ends) and tells_a_change(own),
            resolves=bool(solved),
            repeats=bool(self._of("again")),
            same=bool(self._of("same")),
            adds=bool(self._of("adds")),
        )

    def _of(self, *categories: str) -> list[Found]:
        return [one for one in self.found if one.pattern.category in categories]

    @property
    def _void(self) -> list[Span]:
        return [*self.asked, *(one.span for one in self._of("supposed", "told of"))]

    def _is_asked(self, one: Found) -> bool:
        return overlaps(one.span, self.asked)

    def _is_correction(self, one: Found) -> bool:
        if overlaps(one.span, [*self.asked, *(one.span for one in self._of("supposed"))]):
            return False
        if one.pattern.category in ("correction", "mistake") or one.pattern.name == "my mistake":
            return True
        # A "no" in the middle of a sentence is seldom one to what was said.
        opened = len(_WORDS.findall(self.own, self.span[0], one.span[0]))
        return one.pattern.name == "no, …" and opened <= 3

    def _counts(self, one: Found) -> bool:
        return not overlaps(one.span, self._void) and not self._is_wished(one)

    def _binds(self, one: Found) -> bool:
        if overlaps(one.span, self._void):
            return False
        return _is_strong(one) or not self._is_wished(one)

    def _is_wished(self, one: Found) -> bool:
        return any(self._together(wish.span, one.span) for wish in self._of("wished"))

    def _together(self, one: Span, other: Span) -> bool:
        """Whether both stand in one clause."""
        first, second = sorted((one, other))
        return first[1] >= second[0] or _PAUSE.search(self.own, first[1], second[0]) is None

    def _outweighs(self, duty: Found, wrong: Found) -> bool:
        """Whether what has to be is more than a way to tell of trouble."""
        return _is_strong(duty) or (duty.pattern.name not in _WEAK and not overlaps(duty.span, [wrong.span]))

    def _error(self) -> Found | None:
        past = [one.span for one in self._of("told of", "past", "supposed")]
        told = [one for one in self._of("trace", "error") if not overlaps(one.span, past)]
        if self.asked and not asks_help(self.own, *self.span):
            told = [one for one in told if not overlaps(one.span, self.asked)]
        if plans(self.own[slice(*self.span)]):
            told = [one for one in told if one.pattern.category == "trace"]
        return next((one for one in told if one.pattern.category == "trace"), told[0] if told else None)

    def _is_plain(self, own: bytes) -> bool:
        return (
            not self.asked
            and len(_WORDS.findall(own)) <= _SHORT_STATEMENT
            and not is_request(own)
            and not self._of("wished", "supposed", "told of")
        )

    def _bound(self, duties: Sequence[Found]) -> About | None:
        """What a prohibition is about, where its statement tells other things beside it."""
        if not duties or any(one.pattern.name not in _OWN_CLAUSE for one in duties):
            return None
        (first, last), duty = self.span, duties[0].span
        before = [found.end() for found in _CLAUSES.finditer(self.own, first, duty[0])]
        after = _CLAUSES.search(self.own, min(duty[1], last), last)
        return about(self.own[before[-1] if before else first : after.start() if after else last])

    def _is_heading(self, own: bytes) -> bool:
        return own.endswith(b":") and _RULES.search(own) is not None

    def _verbatim(self, span: Span) -> str:
        start, end = self.folded.span(*span)
        return self.text[start:end]

    def _scope(self, told: Span) -> str:
        first, last = self.span
        inside = max(0, told[0] - first), max(0, min(told[1], last) - first)
        start, end = scope_of(self.own[first:last], inside)
        return self._verbatim((start + first, end + first)) if start < end else ""


def _is_strong(one: Found) -> bool:
    return one.pattern.name in _STRONG
