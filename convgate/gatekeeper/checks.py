"""The built-in checks, in order: the first that matches decides, and all that match are reported.

>>> decision = check(Exchange("Hi, I prefer dark mode and always use Vim keybindings"))
>>> decision.outcome, decision.category, decision.reason
('keep', 'preference', 'Kept: states a preference (“I prefer dark mode and always use Vim keybindings”).')
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from convgate.core.settings import Settings
from convgate.gatekeeper.decision import KEEP, SKIP, GatekeeperDecision, Match, Said
from convgate.gatekeeper.exchange import Exchange
from convgate.gatekeeper.pattern import Lexicon, overlaps
from convgate.gatekeeper.phrases import (
    MAX_ANSWER,
    detect_foreign_language,
    find_questions,
    is_greeting,
    is_phrase,
    is_small_talk,
    load_languages,
    question_before,
)
from convgate.text.folding import Folded, fold, own_words

STAGE = "gatekeeper"

STATEMENTS = {
    "correction": "corrects what was said",
    "preference": "states a preference",
    "team_preference": "states a preference of the team",
    "policy": "states a policy",
    "decision": "states a decision",
}
"""Categories that patterns find, in order of precedence, with the words of their reason."""

_PRECEDENCE = list(STATEMENTS)
_WORD = re.compile(r"\w+")
_MIN_ANSWER = 4  # words of an answer that may state a fact
_SUM = re.compile(  # an address, a time, a date, a sum
    r"\S+@\S+\.\S+|\b\d{1,2}:\d{2}\b|\b\d{1,2}/\d{1,2}\b"
    r"|\d\s?(?:%|[€$£]|euros?\b|dollars?\b)|[€$£]\s?\d",
    re.IGNORECASE,
)
_FIGURE = re.compile(  # or three digits or more, or how many of something
    rf"\b\w*\d{{3,}}\w*\b|\b\d+\s[^\W\d_]{{3,}}|{_SUM.pattern}", re.IGNORECASE
)
_CONTENT = re.compile(  # a word of five letters or more that courtesies do not have
    r"(?i)\b(?!(?:happy|thank|welcome|anything|whenever|letting|enjoy|great|another|question|tomorrow"
    r"|freut|gerne|geschehen|jederzeit|wieder|melde|weiter|morgen)\w*)\w{5,}"
)
_NAME = re.compile(r"\w_\w|\w\.[^\W\d]\w|[^\W\d]/[^\W\d]|\b[A-Z]\w+ [A-Z]\w*[a-z]")  # in code; of a person
_MIN_CONTENT = 4  # words of content in an answer; a name in it counts as two
_ABOUT = re.compile(  # what the user is or has; the words of three languages
    r"(?:my|our|i'm|i am|we're|we are|it's|it is|i have|mein\w*|unser\w*|ich bin|wir sind|ich habe"
    r"|mon|ma|mes|notre|nos|je suis|j'ai|nous sommes)\s",
    re.IGNORECASE,
)
_MAX_QUOTE = 60  # characters of the message that a reason quotes


@dataclass(frozen=True, slots=True)
class LengthLimits:
    """Exclusive lengths in characters; 0 turns a check off."""

    greeting: int = 50
    short_user: int = 20
    short_assistant: int = 100

    @classmethod
    def of(cls, settings: Settings) -> LengthLimits:
        """Return the lengths of the settings."""
        return cls(
            settings.gatekeeper.greeting_length,
            settings.gatekeeper.short_user,
            settings.gatekeeper.short_assistant,
        )


@dataclass(frozen=True, slots=True)
class _Result:
    """What the checks decide."""

    outcome: str
    rule: str
    category: str
    reason: str  # without "Kept:" or "Skipped:"
    language: str | None = None


def check(exchange: Exchange, limits: LengthLimits = LengthLimits(), *, index: int = 0) -> GatekeeperDecision:
    """Decide by its words whether an exchange is worth storing; in doubt it is kept."""
    message, answer = exchange.user.strip(), exchange.assistant.strip()
    folded = fold(message)
    offset = len(exchange.user) - len(exchange.user.lstrip())
    matches = _find_statements(folded, "user", offset)
    if answer:
        matches += _find_statements(fold(exchange.assistant), "assistant", 0)
    matches.sort(key=lambda match: _PRECEDENCE.index(match.category))
    result = _decide(exchange, message, answer, folded, matches, limits)
    return GatekeeperDecision(
        index=index,
        outcome=result.outcome,
        rule=result.rule,
        explanation=f"{result.reason}.",
        stage=STAGE,
        category=result.category,
        categories=tuple(dict.fromkeys([result.category, *(match.category for match in matches)])),
        matches=tuple(matches),
        language=result.language,
    )


def _decide(
    exchange: Exchange,
    message: str,
    answer: str,
    folded: Folded,
    matches: Sequence[Match],
    limits: LengthLimits,
) -> _Result:
    if message and len(message) < limits.greeting and is_greeting(folded, message):
        if is_phrase("times of day", folded.text) and (result := _decide_answer(exchange, message)):
            return result
        return _Result(SKIP, "greeting", "greeting", f"a greeting and nothing else (“{message}”)")
    yes_or_no = is_phrase("yes_or_no", folded.text)
    if is_phrase("confirmations", folded.text):
        agrees = is_phrase("agreements", folded.text)
        if (agrees or yes_or_no) and (
            result := _decide_answer(exchange, message, to_closed=True, to_choice=agrees)
        ):
            return result
        return _Result(SKIP, "confirmation", "other", f"only thanks or agreement (“{_cut(message)}”)")
    if matches:
        first = matches[0]
        text = exchange.user if first.said == "user" else exchange.assistant
        subject = "" if first.said == "user" else "the answer "
        sentence = text[first.start : max(first.end, first.start + 2 * _MAX_QUOTE)].split("\n")[0]
        quote = _cut(sentence, min_length=first.end - first.start)
        reason = f"{subject}{STATEMENTS[first.category]} (“{quote}”)"
        return _Result(KEEP, first.category, first.category, reason)
    if (
        message
        and len(message) <= MAX_ANSWER
        and "?" not in message
        and (result := _decide_answer(exchange, message, to_closed=yes_or_no))
    ):
        return result
    is_short = len(answer) < limits.short_assistant
    if is_short and is_small_talk(message) and not _find_answered(answer):
        return _Result(SKIP, "small talk", "other", f"only small talk (“{_cut(message)}”)")
    if len(message) < limits.short_user and len(answer) < limits.short_assistant:
        if language := detect_foreign_language(message, answer):
            reason = f"short, but in a language without patterns ({language})"
            return _Result(KEEP, "other language", "other", reason, language)
        if fact := _find_fact(message, answer):
            return _Result(KEEP, "fact", "other", fact)
        reason = (
            f"neither “{message}” nor the answer states a fact" if message else "an answer without a fact"
        )
        return _Result(SKIP, "short exchange", "other", reason)
    return _Result(KEEP, "default", "other", "it has content")


def _find_fact(message: str, answer: str) -> str:
    """Return why a short exchange is worth storing: what it states; empty when it states nothing.

    A question of one word asks for no fact, and an answer of a few words gives none.
    """
    if "?" in message:
        if len(_WORD.findall(message)) > 1 and len(answer.split()) >= _MIN_ANSWER:
            return f"a question with its answer (“{_cut(answer)}”)"
    elif match := _FIGURE.search(message):
        return f"states a fact (“{match[0].strip()}”)"
    elif _ABOUT.match(message) and message.count(" ") > 1:
        return f"states a fact (“{message}”)"
    return _find_answered(answer)


def _find_answered(answer: str) -> str:
    """Return why an answer is worth storing, whatever it answers: what it states; empty for nothing."""
    content = len(_CONTENT.findall(answer)) + 2 * bool(_NAME.search(answer))
    has_fact = _SUM.search(answer) or content >= _MIN_CONTENT
    return f"the answer states a fact (“{_cut(answer)}”)" if has_fact and "?" not in answer else ""


def _decide_answer(
    exchange: Exchange, message: str, *, to_closed: bool = False, to_choice: bool = False
) -> _Result | None:
    """Keep a message that answers what was asked before; None when nothing was, or it is no answer to it.

    A yes or no answers closed questions only (`to_closed`), an "ok" those for a decision (`to_choice`).
    """
    question = question_before(exchange.previous)
    if question is None or (to_closed and not question.is_closed) or (to_choice and not question.is_choice):
        return None
    if question.is_choice:
        return _Result(KEEP, "answer", "decision", f"decides what was asked before (“{_cut(message)}”)")
    return _Result(KEEP, "answer", "answer", f"answers the question before (“{_cut(message)}”)")


def _find_statements(folded: Folded, said: Said, offset: int) -> list[Match]:
    """Return what patterns match in a message, without what is quoted or asked. offset: where it begins."""
    text = own_words(folded.text)
    matches = list(lexicon(said).find(text))
    questions = find_questions(text) if matches else ()
    return [
        Match(pattern.category, pattern.name, said, *(offset + place for place in folded.span(*span)))
        for pattern, span in matches
        if not overlaps(span, questions)
    ]


@functools.cache
def lexicon(said: Said) -> Lexicon:
    """Return the patterns of all languages that count in the user's or the assistant's message."""
    return Lexicon(
        [
            pattern
            for language in load_languages()
            for pattern in language.patterns
            if pattern.said in (said, "both")
        ]
    )


def _cut(text: str, *, min_length: int = 0) -> str:
    if len(text) <= _MAX_QUOTE:
        return text
    return f"{text[: max(min_length, _MAX_QUOTE)].rsplit(' ', 1)[0]}…"
