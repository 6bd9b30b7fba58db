"""The confidence of every message of a conversation: how sure the model was, and who says so.

Only what the model says has a confidence of its own: the field `confidence`, else the probabilities of the
tokens. A user's message has that of the answer to it, a tool's result and the call for it that of the answer
that they led to. What has no answer speaks for itself.

>>> talk = [Turn.of("user", "2 + 2?"), Turn.of("assistant", "4", metadata={"confidence": 0.9})]
>>> talk.append(Turn.of("user", "Thanks"))
>>> [(each.value, each.source, each.answer) for each in confidences(talk)]
[(0.9, 'message', 1), (0.9, 'message', None), (0.5, 'absent', None)]
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeGuard

from convgate.core.conversation import Turn
from convgate.core.errors import ConfidenceError
from convgate.core.text import quote
from convgate.messages.units import is_result
from convgate.policies.retention.hedging import estimated

UNLIMITED = 0.7
"""From here on a message stays without limit."""

CHECKPOINTS = 0.6
"""From here on a message stays at checkpoints, otherwise while inside the base window."""

BASE = 0.5
"""From here on a message stays while inside the base window; below it, it is also the first to go."""

UNSTATED = 0.5
"""What a message counts as of which nothing says how confident the model was."""

Band = Literal["unlimited", "checkpoints", "base_window", "first_to_go"]

BANDS: tuple[Band, ...] = ("unlimited", "checkpoints", "base_window", "first_to_go")  # longest stay first


def band_of(confidence: float) -> Band:
    """Return the band of a confidence, 0…1; each border belongs to the band above it."""
    if confidence >= UNLIMITED:
        return "unlimited"
    if confidence >= CHECKPOINTS:
        return "checkpoints"
    return "base_window" if confidence >= BASE else "first_to_go"


def format_confidence(confidence: float) -> str:
    """Return the number with two decimals, or as many more as it takes to stay on its side of a border.

    >>> format_confidence(0.85), format_confidence(0.6), format_confidence(0.6996)
    ('0.85', '0.60', '0.6996')
    """
    for digits in range(2, 6):
        told = f"{confidence:.{digits}f}"
        if band_of(float(told)) == band_of(confidence):
            return told
    return repr(confidence)


Source = Literal["message", "logprobs", "estimate", "absent"]

FIELD = "confidence"
LOGPROBS = "logprobs"

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_LEAST = -1e6  # a log-probability below it is as good as none, and may be too great for a float
_SHOWN = 40  # characters of a bad value that an error repeats


def _is_share(number: Any) -> TypeGuard[int | float]:
    return isinstance(number, int | float) and 0 <= number <= 1


@dataclass(frozen=True, slots=True)
class Confidence:
    """How confident the model was in a message, and who says so. Raises ConfidenceError for a bad value."""

    value: float  # 0…1
    source: Source = "message"  # the field, the tokens' log-probabilities, hedging language, or nothing
    answer: int | None = None  # index of the answer that it is taken from; None: the message's own

    def __post_init__(self) -> None:
        if isinstance(self.value, bool) or not _is_share(self.value):
            raise ConfidenceError(f"a confidence is a number from 0 to 1; got {quote(self.value, _SHOWN)}")

    @property
    def band(self) -> Band:
        """How long a message of this confidence stays."""
        return band_of(self.value)

    def told(self) -> str:
        """In a few words.

        >>> Confidence(0.85).told(), Confidence(0.45, "estimate", answer=3).told()
        ('confidence 0.85', "its answer's estimated confidence 0.45")
        """
        whose = "" if self.answer is None else "its answer's "
        kind = "estimated confidence" if self.source == "estimate" else "confidence"
        return f"{whose}{kind} {format_confidence(self.value)}{_HOW.get(self.source, '')}"


_HOW: dict[Source, str] = {"logprobs": " (the mean probability of the tokens)", "absent": " (none is stated)"}

ABSENT = Confidence(UNSTATED, "absent")


def stated(turn: Turn, place: str) -> Confidence | None:
    """Return what a turn's metadata says; None when it says nothing.

    Looked for are `confidence`, in small letters or capitals, the same in an inner `metadata` object, then
    `logprobs`: a list of numbers or of objects with `logprob`, or an object whose `content` or `refusal` is
    one. Numbers may stand as text, for a table has nothing else. `place` names the message in errors.

    Raises ConfidenceError, naming the field, for whatever is no number, or out of range.
    """
    if not turn.metadata:
        return None
    inner = turn.metadata.get("metadata")
    for fields, where in ((turn.metadata, place), (inner, f"{place}.metadata")):
        if isinstance(fields, Mapping) and (name := _field(fields)) is not None:
            return Confidence(_share(fields[name], f"{where}.{name}"))
    mean = _mean_probability(turn.metadata.get(LOGPROBS), f"{place}.{LOGPROBS}")
    return None if mean is None else Confidence(mean, "logprobs")


def _field(fields: Mapping[str, Any]) -> str | None:
    if FIELD in fields:
        return FIELD if fields[FIELD] is not None else None
    spelled = (
        name for name, value in fields.items() if value is not None and name.strip().casefold() == FIELD
    )
    return next(spelled, None)


def _share(value: Any, field: str) -> float:
    number = _number(value)
    if not _is_share(number):
        problem = f"a confidence is a number from 0 to 1; got {quote(value, _SHOWN)}"
        raise ConfidenceError(f"{problem}. Correct it, or leave it out: without one it is 0.50", field=field)
    return float(number)


def _mean_probability(given: Any, field: str) -> float | None:
    """Mean of exp(log-probability) over the tokens; None when there are no tokens."""
    if isinstance(given, Mapping):
        for name in ("content", "refusal"):
            if given.get(name):
                return _mean_probability(given[name], f"{field}.{name}")
        if "content" in given or not given:
            return None
    elif given is None:
        return None
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise ConfidenceError(
            "expected a list of log-probabilities, or an object whose content is one;"
            f" got {quote(given, _SHOWN)}",
            field=field,
        )
    values = [_probability(token, f"{field}[{place}]") for place, token in enumerate(given)]
    # rounded: adding up 0.7 three times gives less than three times as much
    return round(math.fsum(values) / len(values), 12) if values else None


def _probability(token: Any, field: str) -> float:
    if isinstance(token, Mapping):
        token, field = token.get("logprob"), f"{field}.logprob"
    number = _number(token)
    if number is None or not number <= 0:  # nor NaN
        raise ConfidenceError(
            f"a log-probability is a number up to 0; got {quote(token, _SHOWN)}", field=field
        )
    return math.exp(max(number, _LEAST))


def _number(value: Any) -> int | float | None:
    if isinstance(value, str):
        value = value.strip()
        return float(value) if _NUMBER.fullmatch(value) else None
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def confidences(turns: Sequence[Turn], *, estimate: bool = False, first: int = 0) -> tuple[Confidence, ...]:
    """Return the confidence of each turn, in order, in O(n).

    A turn's own is what its metadata states, else the mean probability of its tokens, else 0.5; with
    `estimate`, hedging language comes before the 0.5. An answer is a turn of the assistant, before the next
    user's, that states a confidence or says something without calling a tool. Of several a question has the
    highest, so that it stays as long as any of them; what the same user sends in a row is one question.
    `first` is the index of the first turn in its conversation.

    Raises ConfidenceError, naming the message and the field, for a value that is no confidence.
    """
    own = [stated(turn, f"messages[{first + row}]") for row, turn in enumerate(turns)]
    found = [one or _unstated(turn, estimate=estimate) for one, turn in zip(own, turns, strict=True)]
    for question, answered in _exchanges(turns):
        said = [row for row in answered if turns[row].role == "assistant" and _says(turns[row], own[row])]
        answers = [row for row in said if own[row] or not turns[row].tool_calls] or said
        if not answers:
            continue
        best = max(answers, key=lambda row: found[row].value)
        for row in question:
            found[row] = replace(found[best], answer=first + best)
        for row, answer in _followed_by(answered, answers):
            if row != answer:
                found[row] = replace(found[answer], answer=first + answer)
    return tuple(found)


def _unstated(turn: Turn, *, estimate: bool) -> Confidence:
    value = estimated(turn.text) if estimate and not turn.is_instruction else None
    return ABSENT if value is None else Confidence(value, "estimate")


def _says(turn: Turn, own: Confidence | None) -> bool:
    return not is_result(turn) and (own is not None or bool(turn.text.strip()))


def _followed_by(rows: Sequence[int], answers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each row with the answer that it is or leads to; behind the last answer, with that one."""
    place = 0
    for row in rows:
        if answers[place] < row and place + 1 < len(answers):
            place += 1
        yield row, answers[place]


def _exchanges(turns: Sequence[Turn]) -> list[tuple[list[int], list[int]]]:
    """Rows of each question, and of what the assistant and its tools say up to the next user's message."""
    exchanges: list[tuple[list[int], list[int]]] = [([], [])]
    speaker: tuple[str, str] | None = None
    for row, turn in enumerate(turns):
        if turn.is_instruction:
            continue
        if turn.role == "assistant" or is_result(turn):
            exchanges[-1][1].append(row)
            continue
        if exchanges[-1][1] or speaker != (turn.role, turn.speaker):
            exchanges.append(([], []))
        speaker = (turn.role, turn.speaker)
        exchanges[-1][0].append(row)
    return exchanges
