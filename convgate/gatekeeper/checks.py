"""The built-in checks, in their order: the first that matches decides, all that match are told.

>>> decision = check(Exchange("Hi, I prefer dark mode and always use Vim keybindings"))
>>> decision.outcome, decision.category, decision.reason
('keep', 'preference', 'Kept: states a preference (“I prefer dark mode and always use Vim keybindings”).')
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

from convgate.gatekeeper.context import own_words, questions
from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision, Match, Said
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.folding import Folded, fold
from convgate.gatekeeper.language import foreign_language
from convgate.gatekeeper.pattern import Found, Lexicon, overlaps
from convgate.gatekeeper.patterns import LANGUAGES
from convgate.gatekeeper.phrases import (
    is_agreement,
    is_confirmation,
    is_greeting,
    is_time_of_day,
    is_yes_or_no,
)
from convgate.gatekeeper.questions import LONGEST_ANSWER, question_before

STAGE = "gatekeeper"

ORDER = ("correction", "preference", "team_preference", "policy", "decision")
"""Categories that patterns find, the one that decides first."""

_STATES = {
    "correction": "corrects what was said",
    "preference": "states a preference",
    "team_preference": "states a preference of the team",
    "policy": "states a policy",
    "decision": "states a decision",
}
_QUOTED = 60  # characters of the message that a reason quotes


@dataclass(frozen=True, slots=True)
class Limits:
    """Lengths in characters, each exclusive; 0 turns a check off."""

    greeting: int = 50
    short_user: int = 20
    short_assistant: int = 100


@dataclass(frozen=True, slots=True)
class _Verdict:
    outcome: str
    rule: str
    category: str
    reason: str  # without "Kept:" or "Skipped:"
    language: str | None = None


def check(exchange: Exchange, limits: Limits = Limits(), *, item: int = 0) -> GatekeeperDecision:
    """Whether an exchange is worth storing, by its words alone; in doubt it is kept."""
    message = exchange.user.strip()
    folded, answer = fold(message), exchange.assistant.strip()
    own = own_words(folded.text)
    shift = len(exchange.user) - len(exchange.user.lstrip())
    matches = _matches(own, folded, "user", shift)
    if answer:
        said = fold(exchange.assistant)
        matches += _matches(own_words(said.text), said, "assistant", 0)
    matches.sort(key=lambda match: ORDER.index(match.category))
    verdict = _verdict(exchange, message, answer, folded, matches, limits)
    found = dict.fromkeys([verdict.category, *(match.category for match in matches)])
    return GatekeeperDecision(
        item=item,
        outcome=verdict.outcome,
        rule=verdict.rule,
        reason=f"{'Kept' if verdict.outcome == KEEP else 'Skipped'}: {verdict.reason}.",
        stage=STAGE,
        category=verdict.category,
        categories=tuple(found),
        matches=tuple(matches),
        language=verdict.language,
    )


def _verdict(
    exchange: Exchange, message: str, answer: str, folded: Folded, matches: Sequence[Match], limits: Limits
) -> _Verdict:
    if message and len(message) < limits.greeting and is_greeting(folded, message):
        if is_time_of_day(folded.text) and (answered := _as_answer(exchange, message, closed=False)):
            return answered
        return _Verdict(SKIP, "greeting", "greeting", f"a greeting and nothing else (“{message}”)")
    if is_confirmation(folded.text):
        agrees = is_agreement(folded.text)
        if (agrees or is_yes_or_no(folded.text)) and (
            answered := _as_answer(exchange, message, closed=True, choice=agrees)
        ):
            return answered
        return _Verdict(SKIP, "confirmation", "other", f"a bare confirmation (“{_cut(message)}”)")
    if matches:
        first = matches[0]
        text = exchange.user if first.said == "user" else exchange.assistant
        states = _STATES[first.category]
        reason = states if first.said == "user" else f"the answer {states}"
        return _Verdict(KEEP, first.category, first.category, f"{reason} (“{_quoted(text, first)}”)")
    if (
        message
        and len(message) <= LONGEST_ANSWER
        and "?" not in message
        and (answered := _as_answer(exchange, message, closed=is_yes_or_no(folded.text)))
    ):
        return answered
    if len(message) < limits.short_user and len(answer) < limits.short_assistant:
        if language := foreign_language(message, answer):
            return _Verdict(
                KEEP,
                "other language",
                "other",
                f"short, but in a language without patterns ({language})",
                language,
            )
        return _Verdict(
            SKIP,
            "short exchange",
            "other",
            f"a short exchange ({len(message)} and {len(answer)} characters) that states nothing lasting",
        )
    return _Verdict(KEEP, "default", "other", "nothing says that it can be left out")


def _as_answer(exchange: Exchange, message: str, *, closed: bool, choice: bool = False) -> _Verdict | None:
    """Kept as the answer to what was asked before.

    A yes or no (`closed`) answers a closed question alone, an "ok" (`choice`) one that asks for a decision.
    """
    asked = question_before(exchange.previous)
    if asked is None or (closed and not asked.closed) or (choice and not asked.choice):
        return None
    if asked.choice:
        return _Verdict(KEEP, "answer", "decision", f"decides what was asked before (“{_cut(message)}”)")
    return _Verdict(KEEP, "answer", "answer", f"answers the question before (“{_cut(message)}”)")


def _matches(own: bytes, folded: Folded, said: Said, shift: int) -> list[Match]:
    """What patterns find in a message. own: its text without quotations and code; shift: where it begins."""
    found = list(lexicon(said).find(own))
    if not found:
        return []
    asked = questions(own)
    return [
        _match(one, folded, said, shift)
        for one in found
        if one.pattern.asked or not overlaps(one.span, asked)
    ]


def _match(found: Found, folded: Folded, said: Said, shift: int) -> Match:
    start, end = folded.span(*found.span)
    return Match(found.pattern.category, found.pattern.name, said, start + shift, end + shift)


@functools.cache
def lexicon(said: Said) -> Lexicon:
    """The patterns of all languages that count in the user's or the assistant's message."""
    chosen = [
        (pattern, language.named)
        for language in LANGUAGES
        for pattern in language.patterns
        if pattern.said in (said, "both")
    ]
    return Lexicon([pattern for pattern, _ in chosen], [named for _, named in chosen])


def _quoted(text: str, match: Match) -> str:
    """What matched and how its sentence goes on."""
    return _cut(
        text[match.start : max(match.end, match.start + 2 * _QUOTED)].split("\n")[0],
        least=match.end - match.start,
    )


def _cut(text: str, *, least: int = 0) -> str:
    if len(text) <= _QUOTED:
        return text
    return f"{text[: max(least, _QUOTED)].rsplit(' ', 1)[0]}…"
