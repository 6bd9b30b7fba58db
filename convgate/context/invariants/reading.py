"""One message of the user's by itself: which statements it has, and what each of them would be."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from convgate.context.invariants.patterns import error_lexicon, lexicon
from convgate.context.invariants.scopes import scope_of
from convgate.context.invariants.statements import Span, statements
from convgate.context.invariants.words import About, about
from convgate.gatekeeper.checks import lexicon as gatekeeper_lexicon
from convgate.gatekeeper.context import own_words, questions
from convgate.gatekeeper.folding import Folded, fold
from convgate.gatekeeper.pattern import Found, overlaps

_REMEMBERED = 8_192  # messages
_SHORT = 8_000  # characters of a message that counts among them
_TRACE = 40  # lines of a printed error that its statement takes in


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, and what its words alone say of it. Spans are characters of the message."""

    start: int
    end: int
    about: About
    words: str  # that tell what it is, as the message has them
    scope: str
    obliges: bool = False  # something has to be, or may not be
    fact: bool = False  # binds without being an order: an allergy
    critical: str = ""  # what it is about that is safety-critical; "" when nothing
    corrects: int = 0  # 1: when something said before is what it changes; 2: in any case
    old: frozenset[bytes] = frozenset()  # stems of what it says is not so
    error: bool = False
    lifts: bool = False
    resolves: bool = False
    repeats: bool = False  # says again what was said
    adds: bool = False  # says that it comes on top


@functools.lru_cache(_REMEMBERED)
def _short(text: str) -> tuple[Statement, ...]:
    return tuple(_read(text))


@functools.lru_cache(16)
def _long(text: str) -> tuple[Statement, ...]:
    return tuple(_read(text))


def read(text: str) -> tuple[Statement, ...]:
    """The statements of a message, in order; remembered by the text."""
    return _short(text) if len(text) <= _SHORT else _long(text)


_POLITE = re.compile(rb"(?:can|could|would|will) you|pouvez-vous|peux-tu|kannst du|konnen sie|konntest du")
_STANDING = re.compile(
    rb"\b(?:always|never|only|must|from now on|make sure|toujours|jamais|immer|nie|niemals|nur)\b"
)
_PAUSE = re.compile(rb"[,;:]|\s-+\s|\b(?:but|and|mais|et|aber|und)\b")
_OLD = re.compile(
    rb"\b(?:not|instead of|rather than|in place of|no longer|isn't|aren't|nicht|statt|anstatt|anstelle"
    rb"|au lieu d[eu']|plutot que|(?:et|,|mais) (?:non )?pas|nicht mehr)\b"
    rb"((?:\s+[a-z0-9_#.:%'-]+){1,5})"
)
_RULES = re.compile(
    rb"(?:rules?|constraints?|requirements?|conditions?|must.haves?|conventions?|limits?|restrictions?"
    rb"|contraintes?|regles?|exigences?|regeln?|vorgaben?|bedingungen|anforderungen)\b[^.!?\n]{0,120}:?\s*$"
)
_ITEM = re.compile(rb"(?:[-*+]|\(?[0-9a-h][.)])\s+$")
_ASKS_HELP = re.compile(
    rb"\b(?:why|how (?:do|can|to)|fix|getting|get|gives?|says?|help|pourquoi|warum|wieso|comment)\b"
)
_HANDED_OVER = re.compile(
    rb"\b(?:translate|rewrite|reword|rephrase|paraphrase|proofread|summari[sz]e|shorten|review|correct|edit"
    rb"|traduis|traduisez|resume|corrige|ubersetze?|fasse|korrigiere?)\b[^:.!?\n]{0,80}:[ \t]*\n"
)
_STRONG = frozenset(("must", "not allowed", "at most", "may not"))  # hold although a wish stands beside them


def _read(text: str) -> list[Statement]:
    folded = fold(text)
    if not folded.text.strip():
        return []
    own = _own(folded.text)
    spans = list(statements(folded.text))
    found = sorted(
        (*lexicon().find(own), *_of_gatekeeper(own), *error_lexicon().find(folded.text)),
        key=lambda one: one.span,
    )
    asked = [span for span in questions(own) if not _is_order(own[slice(*span)])]
    made: list[Statement] = []
    ruled, place = False, 0
    for span in spans:
        matches = []
        while place < len(found) and found[place].span[0] < span[1]:
            matches.append(found[place])
            place += 1
        item = _ITEM.search(folded.text, max(0, span[0] - 8), span[0]) is not None
        ruled = ruled and item
        inside = [one for one in asked if one[0] < span[1] and span[0] < one[1]] if asked else []
        made.append(_Reading(text, folded, own, span, matches, inside).statement(ruled=ruled))
        ruled = ruled or _RULES.search(own, *span) is not None
    return _joined(made)


def _own(text: bytes) -> bytes:
    """What the user says in own words, as in the gatekeeper, without what is handed over to be worked on."""
    own = own_words(text)
    whole = text.strip()
    if own is text and whole[:1] in (b'"', b"`", b">") and whole[-1:] in (b'"', b"`"):
        return b"x" * len(text)
    handed = _HANDED_OVER.search(own)
    return own if handed is None else own[: handed.end()] + re.sub(rb"[a-z0-9]", b"_", own[handed.end() :])


def _of_gatekeeper(own: bytes) -> list[Found]:
    wanted = ("correction", "policy")
    return [one for one in gatekeeper_lexicon("user").find(own) if one.pattern.category in wanted]


def _is_order(question: bytes) -> bool:
    """Whether it only has the form of a question, as in "can you please always …?"."""
    return _POLITE.match(question) is not None and _STANDING.search(question) is not None


@dataclass(frozen=True)
class _Reading:
    """One statement while it is read. Spans are bytes of the folded message."""

    text: str
    folded: Folded
    own: bytes
    span: Span
    found: Sequence[Found]
    asked: Sequence[Span]

    def statement(self, *, ruled: bool) -> Statement:
        """What it says. ruled: it is an item of a list of rules."""
        duties = [one for one in self._of("obligation", "policy") if self._binds(one)]
        once = bool(self._of("once"))
        facts = [one for one in self._of("fact") if not overlaps(one.span, self._void)]
        subjects = self._of("subject")
        obliges = (bool(duties) or ruled) and not once
        sure = [one for one in self._of("correction") if not self._is_asked(one)]
        likely = [one for one in self._of("change") if not self._is_asked(one)]
        wrong = self._error()
        ends = () if once else [one for one in self._of("lifted") if not self._is_asked(one)]
        solved = [one for one in self._of("resolved") if not self._is_asked(one)]
        told = next(iter([*facts, *duties, *sure, *likely, *([wrong] if wrong else []), *ends]), None)
        told_span = told.span if told else self.span
        start, end = self.folded.span(*self.span)
        own = self.own[slice(*self.span)]
        return Statement(
            start=start,
            end=end,
            about=about(own),
            words=self._words(told_span) if told else "",
            scope=self._scope(told_span) if told else "",
            obliges=obliges,
            fact=bool(facts),
            critical=next((one.pattern.name for one in (*facts, *subjects)), ""),
            corrects=2 if sure or any(one.pattern.name in _CERTAIN for one in likely) else int(bool(likely)),
            old=_named_old(own),
            error=wrong is not None and not solved,
            lifts=bool(ends),
            resolves=bool(solved),
            repeats=bool(self._of("again")),
            adds=bool(self._of("adds")),
        )

    def _of(self, *categories: str) -> list[Found]:
        return [one for one in self.found if one.pattern.category in categories]

    @property
    def _void(self) -> list[Span]:
        return [*self.asked, *(one.span for one in self._of("supposed", "told of"))]

    def _is_asked(self, one: Found) -> bool:
        return overlaps(one.span, self.asked)

    def _binds(self, one: Found) -> bool:
        if overlaps(one.span, self._void):
            return False
        if one.pattern.name in _STRONG:
            return True
        return not any(self._together(wish.span, one.span) for wish in self._of("wished"))

    def _together(self, one: Span, other: Span) -> bool:
        """Whether both stand in one clause."""
        first, second = sorted((one, other))
        return first[1] >= second[0] or _PAUSE.search(self.own, first[1], second[0]) is None

    def _error(self) -> Found | None:
        told = [one for one in self._of("trace", "error") if not overlaps(one.span, self._past)]
        if self.asked and not _ASKS_HELP.search(self.own, *self.span):
            told = [one for one in told if not overlaps(one.span, self.asked)]
        return next((one for one in told if one.pattern.category == "trace"), told[0] if told else None)

    @property
    def _past(self) -> list[Span]:
        return [one.span for one in self._of("told of")]

    def _words(self, span: Span) -> str:
        start, end = self.folded.span(*span)
        return self.text[start:end]

    def _scope(self, told: Span) -> str:
        start, end = scope_of(self.own[self.span[0] : self.span[1]], _within(told, self.span))
        if start == end:
            return ""
        first, last = self.folded.span(start + self.span[0], end + self.span[0])
        return self.text[first:last]


_CERTAIN = frozenset(("no, …", "my mistake", "not X but Y"))


def _within(told: Span, span: Span) -> Span:
    return max(0, told[0] - span[0]), max(0, min(told[1], span[1]) - span[0])


def _named_old(own: bytes) -> frozenset[bytes]:
    stems: set[bytes] = set()
    for found in _OLD.finditer(own):
        named = about(found[1])
        stems |= named.stems
        stems |= {value for _, value in named.numbers}
        stems |= {which for _, which in named.named}
    return frozenset(stems)


def _joined(made: list[Statement]) -> list[Statement]:
    """A correction that only says that something is wrong, with the statement that says how it is."""
    joined: list[Statement] = []
    for one in made:
        before = joined[-1] if joined else None
        if before and _is_bare(before) and (one.corrects or not (one.lifts or one.error)) and one.about.stems:
            joined[-1] = replace(
                one,
                start=before.start,
                corrects=max(before.corrects, one.corrects),
                old=before.old | one.old,
                repeats=before.repeats or one.repeats,
            )
        else:
            joined.append(one)
    return joined


def _is_bare(one: Statement) -> bool:
    said = one.about
    return bool(
        one.corrects == 2
        and not (one.obliges or one.fact or one.lifts or one.error)
        and len(said.stems) <= 2
        and not said.numbers
        and not said.named
    )
