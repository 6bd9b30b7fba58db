"""The confidence that a transcript states: the field `confidence`, else the probabilities of the tokens.

>>> stated(Turn.of("assistant", "4", metadata={"confidence": 0.85}), "messages[1]")
Confidence(value=0.85, source='message', answer=None)
>>> stated(Turn.of("assistant", "4", metadata={"logprobs": [0.0, -0.6931471805599453]}), "messages[1]")
Confidence(value=0.75, source='logprobs', answer=None)
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeGuard

from convgate.core.conversation import Turn
from convgate.core.errors import ConfidenceError
from convgate.core.text import quote
from convgate.policies.retention.bands import UNSTATED, Band, band_of, figure

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
        return f"{whose}{kind} {figure(self.value)}{_HOW.get(self.source, '')}"


_HOW: dict[Source, str] = {"logprobs": " (the mean probability of the tokens)", "absent": " (none is stated)"}

ABSENT = Confidence(UNSTATED, "absent")


def stated(turn: Turn, place: str) -> Confidence | None:
    """What a turn's metadata says; None when it says nothing.

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
