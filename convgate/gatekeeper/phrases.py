"""Messages that are nothing but a phrase: a greeting, a confirmation, yes or no."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from convgate.gatekeeper.folding import Folded
from convgate.gatekeeper.pattern import compiled, spelled_out
from convgate.gatekeeper.patterns import LANGUAGES
from convgate.gatekeeper.patterns.language import Language

_END = r"[\s.!?,)(:;<3-]*"
_LONGEST = 200  # bytes of a message that can be a phrase


def _any(phrases: Callable[[Language], str]) -> str:
    return "|".join(spelled_out(phrases(language), {}) for language in LANGUAGES)


@functools.cache
def _greeting() -> Any:
    return compiled(
        rf"(?:{_any(lambda one: one.greetings)})"
        rf"((?:[\s,.!?;:-]+(?:{_any(lambda one: one.pleasantries)}))*)"
        rf"(?:[\s,]+((?:(?:dr|mr|mrs|ms|prof|herr|frau|madame|monsieur)\.?\s+)?[a-z_]+(?:\s+[a-z_]+)?))?"
        rf"((?:[\s,.!?;:-]+(?:{_any(lambda one: one.pleasantries)}))*){_END}"
    )


@functools.cache
def _confirmation() -> Any:
    return compiled(rf"\s*(?:{_any(lambda one: one.confirmations)})[\s.!?]*")


@functools.cache
def _yes_or_no() -> Any:
    phrases = _any(lambda one: one.yes_or_no).replace(r"\s+", r"[,\s]+")
    return compiled(rf"\s*(?:{phrases})[\s.!?,]*")


@functools.cache
def _agreement() -> Any:
    return compiled(rf"\s*(?:{_any(lambda one: one.agreements)})[\s.!?]*")


@functools.cache
def _time_of_day() -> Any:
    return compiled(r"\s*(?:morning|morgen)[\s.!?]*")


def _whole(phrases: Any, text: bytes) -> Any:
    """The match of a phrase with the whole message, or None."""
    return phrases.fullmatch(text) if len(text) <= _LONGEST else None


def is_greeting(folded: Folded, given: str) -> bool:
    """Whether a message greets and nothing of substance follows. given: the same as it was written.

    Whom one greets by name may follow: one or two words with a capital, at the end and without a question.
    """
    text = folded.text
    if not (found := _whole(_greeting(), text)):
        return False
    if not found.group(2):
        return True
    start, end = folded.span(*found.span(2))
    name = given[start:end]
    return b"?" not in text[found.end(2) : found.start(3) + 1] and all(
        word[0].isupper() and (len(word) == 1 or not word.isupper()) for word in name.split()
    )


def is_confirmation(text: bytes) -> bool:
    """Whether a message confirms, thanks, agrees or refuses, and nothing else."""
    return _whole(_confirmation(), text) is not None


def is_agreement(text: bytes) -> bool:
    """Whether a confirmation can be a yes to what was proposed."""
    return _whole(_agreement(), text) is not None


def is_time_of_day(text: bytes) -> bool:
    """Whether a greeting can say when as well."""
    return _whole(_time_of_day(), text) is not None


def is_yes_or_no(text: bytes) -> bool:
    """Whether a message is a yes or a no, and nothing else."""
    return _whole(_yes_or_no(), text) is not None
