"""Greetings, confirmations and questions: messages that are only a phrase, and what the turn before asked."""

from __future__ import annotations

import functools
import re
import threading
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

from convgate.core.conversation import Turn
from convgate.gatekeeper.pattern import CLAUSE, Language, Span, compile_folded
from convgate.text.folding import Folded, fold, own_words

CODES = ("en", "fr", "de")
"""ISO 639-1, in the order in which they are tried; add a language and its file in `patterns/` here."""

_MAX_DETECTED = 1_000  # characters of a text that the detector reads
_MARGIN = 6.0  # natural logarithm of how much likelier another language has to be than each of the known
_NOT_FOREIGN = {*CODES, "zxx"}  # the detector's code for no language
_MIN_CHARACTERS = 4  # different ones; what has fewer is no text
_ALPHABET = frozenset("abcdefghijklmnopqrstuvwxyzàâäæçéèêëîïôöœùûüÿßªº")
_WORD = re.compile("[a-z_]+")
_COMMON_WORDS = {  # the detector needs more letters
    word: code
    for code, words in {
        "es": "hola vale claro listo hecho hazlo dale bueno gracias adios vamos entendido",
        "it": "ciao bene grazie prego fatto certo perfetto buongiorno buonasera capito",
        "nl": "hoi bedankt goed klaar waarom jawel graag gedaan zeker",
        "sv": "hej tack nej okej varfor klart",
        "tr": "evet hayir tamam neden merhaba selam oldu peki",
    }.items()
    for word in words.split()
}
_LOCK = threading.Lock()

MAX_ANSWER = 60
"""Characters of a message that can be the answer to a question and nothing else."""

_MAX_PHRASE = 200  # bytes of a message that can be a phrase
_TAIL = 1_000  # characters of the turn before that are read, the last
_QUESTION_MARK = re.compile(rb"[?](?![a-z0-9&=])")  # not within an address


@functools.cache
def load_languages() -> tuple[Language, ...]:
    """Return the languages that have patterns."""
    folder = resources.files("convgate.gatekeeper").joinpath("patterns")
    return tuple(
        Language.read(code, folder.joinpath(f"{code}.toml").read_text(encoding="utf-8")) for code in CODES
    )


def detect_foreign_language(text: str, answer: str) -> str | None:
    """Return the language (ISO 639-1) of a short message when it has no patterns; in doubt None.

    Another language has to show in letters that the known languages lack, in a common word, or by a wide
    margin in the message together with its answer.
    """
    words = _WORD.findall(fold(text).text.decode("ascii"))
    if not words:
        return None
    if common := next((_COMMON_WORDS[word] for word in words if word in _COMMON_WORDS), None):
        return common
    letters = [letter for letter in unicodedata.normalize("NFC", text).lower() if letter.isalpha()]
    has_own_letters = not _ALPHABET.issuperset(letters)
    if not has_own_letters and len({*text, *answer}) < _MIN_CHARACTERS:
        return None
    with _LOCK:  # loaded once, by the first who asks; after that it is only read
        ranking = dict(_load_detector().rank(f"{text}\n{answer}"[:_MAX_DETECTED]))
    best = max(ranking.keys() - _NOT_FOREIGN, key=lambda code: ranking[code])
    best_known = max(ranking[code] for code in _NOT_FOREIGN)
    return str(best) if has_own_letters or ranking[best] - best_known > _MARGIN else None


@functools.cache
def _load_detector() -> Any:
    """Return the detector, which gives log-likelihoods. Takes 0.8 s: the library unpacks its model."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=False)


@dataclass(frozen=True, slots=True)
class LastQuestion:
    """The last question that was asked."""

    is_closed: bool  # yes or no answers it
    is_choice: bool  # its answer is a decision


def _any(name: str) -> str:
    """Return the alternatives that all languages have under this name."""
    return "|".join(language.phrases[name] for language in load_languages())


@functools.cache
def _pattern(name: str) -> Any:
    """Return a compiled expression by name: of a whole message, or of how something begins."""
    match name:
        case "greetings":
            pleasantries = rf"((?:[\s,.!?;:-]+(?:{_any('pleasantries')}))*)"
            title = r"(?:dr|mr|mrs|ms|prof|herr|frau|madame|monsieur)\.?\s+"
            person = rf"(?:[\s,]+((?:{title})?[a-z_]+(?:\s+[a-z_]+)?))?"
            return compile_folded(rf"(?:{_any(name)}){pleasantries}{person}{pleasantries}[\s.!?,)(:;<3-]*")
        case "confirmations" | "agreements":
            return compile_folded(rf"\s*(?:{_any(name)})[\s.!?]*")
        case "small_talk":
            return compile_folded(rf"[^a-z0-9]*(?:(?:{_any(name)})(?:[^a-z0-9'?]+|$))+")
        case "yes_or_no":
            return compile_folded(rf"\s*(?:{_any(name)})[\s.!?,]*".replace(r"\s+", r"[,\s]+"))
        case "times of day":
            return compile_folded(r"\s*(?:morning|morgen)[\s.!?]*")
        case "questions":
            linking = r"\b(?:and|but|so|or|hi|hey|hello|well|ok|okay|no|et|mais|und|aber)[, ]+"
            return compile_folded(rf"(?:{CLAUSE}|{linking})((?:{_any(name)})(?:[^.!?\n]|[.]\S)*[?])")
        case "questions without mark":  # English: a question word with its verb before the subject
            return compile_folded(
                r"(?:^|[.!?\n]\s*)((?:what|which|who|how|why|where|when)(?:'s|s)?\s+(?:[a-z]+\s+){0,2}"
                r"(?:do|does|did|should|can|could|would|is|are|was|were|happens|means?)\b[^.!?\n]*)"
            )
        case "open_questions":
            linking = r"\b(?:and|but|so|or|then|et|mais|alors|und|aber|also|denn) "
            preposition = "(?:in|on|at|for|to|from|by|auf|mit|a|de|pour|avec|sur) "
            return compile_folded(rf"(?:{CLAUSE}|{linking})(?:{preposition})?(?:{_any(name)})\b")
        case _:  # choices, offers, invitations
            return compile_folded(_any(name))


def is_phrase(name: str, text: bytes) -> bool:
    """Return whether a folded message is one of these phrases and nothing else.

    name: "confirmations", "agreements", "small_talk", "yes_or_no" or "times of day".
    """
    return len(text) <= _MAX_PHRASE and _pattern(name).fullmatch(text) is not None


def is_small_talk(text: str) -> bool:
    """Return whether a message is small talk and nothing else; other letters than theirs may say anything."""
    letters = set(filter(str.isalpha, text.casefold()))
    return letters <= _ALPHABET and is_phrase("small_talk", fold(text).text)


def is_greeting(folded: Folded, message: str) -> bool:
    """Return whether a message greets and says nothing of substance. message: before folding.

    A name may follow: one or two capitalised words, at the end and without a question.
    """
    text = folded.text
    match = _pattern("greetings").fullmatch(text) if len(text) <= _MAX_PHRASE else None
    if match is None or not match.group(2):
        return match is not None
    start, end = folded.span(*match.span(2))
    return b"?" not in text[match.end(2) : match.start(3) + 1] and all(
        word[0].isupper() and (len(word) == 1 or not word.isupper()) for word in message[start:end].split()
    )


def find_questions(text: bytes) -> Sequence[Span]:
    """Return the spans of a folded message that ask something."""
    names = ["questions"] if b"?" in text else []
    return [
        match.span(1)
        for name in (*names, "questions without mark")
        for match in _pattern(name).finditer(text)
    ]


def question_before(previous: Sequence[Turn]) -> LastQuestion | None:
    """Return the last question at the end of the last turn with words; None when it asks nothing."""
    last_text = next(
        (turn.text for turn in reversed(previous) if not turn.is_instruction and turn.text.strip()), ""
    )
    if not last_text:
        return None
    text = own_words(fold(last_text[-_TAIL:]).text).rstrip()
    marks = [match.end() for match in _QUESTION_MARK.finditer(text)]
    if marks:
        end = marks[-1]
        start = max(text.rfind(mark, 0, end - 1) for mark in (b". ", b"! ", b"? ", b"\n", b": ")) + 1
        sentence = text[start:end].strip()
        if _pattern("offers").search(sentence):
            return None
        return LastQuestion(
            is_closed=_pattern("open_questions").search(sentence) is None,
            is_choice=_pattern("choices").search(sentence) is not None,
        )
    if match := _pattern("invitations").search(text):
        sentence = text[match.start() :]
        return LastQuestion(is_closed=b" if " in sentence or b" whether " in sentence, is_choice=True)
    return None
