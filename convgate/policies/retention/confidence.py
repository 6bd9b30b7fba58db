"""The confidence of every message of a conversation: how sure the model was, and the source of that.

Only the model's messages have a confidence of their own: the field `confidence`, else the probabilities of
the tokens. A user's message has that of the answer to it, a tool's result and the call for it that of the
answer that they led to. A message without an answer has its own.

>>> turns = [Turn.of("user", "2 + 2?"), Turn.of("assistant", "4", metadata={"confidence": 0.9})]
>>> turns.append(Turn.of("user", "Thanks"))
>>> [(each.value, each.source, each.answer) for each in confidences(turns)]
[(0.9, 'message', 1), (0.9, 'message', None), (0.5, 'absent', None)]
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from convgate.core.conversation import Turn
from convgate.core.errors import ConfidenceError
from convgate.core.text import quote
from convgate.messages.units import is_from_user, is_result, split_exchanges
from convgate.policies.retention.hedging import estimated

UNLIMITED = 0.7
"""Min confidence of messages that stay without limit."""

CHECKPOINTS = 0.6
"""Min confidence of messages that stay at checkpoints, otherwise while inside the base window."""

BASE = 0.5
"""Messages below it are the first to go under a limit of size."""

UNSTATED = 0.5
"""The confidence of a message that states none."""


def band_of(confidence: float) -> int:
    """Return 0 (first to go) to 3 (without limit); each border belongs to the band above it."""
    return bisect_right((BASE, CHECKPOINTS, UNLIMITED), confidence)


ConfidenceSource = Literal["message", "logprobs", "estimate", "absent"]

FIELD = "confidence"
LOGPROBS = "logprobs"

_MAX_QUOTED = 40  # characters of a bad value that an error repeats


@dataclass(frozen=True, slots=True)
class Confidence:
    """How confident the model was in a message, and the source of that."""

    value: float  # 0…1
    source: ConfidenceSource = "message"  # the field, the tokens' probabilities, hedging, or nothing
    answer: int | None = None  # index of the answer that it is taken from; None: the message's own

    def describe(self) -> str:
        """Return the value and its source in words.

        >>> Confidence(0.85).describe(), Confidence(0.45, "estimate", answer=3).describe()
        ('confidence 0.85', "its answer's estimated confidence 0.45")
        """
        whose = "" if self.answer is None else "its answer's "
        kind = "estimated confidence" if self.source == "estimate" else "confidence"
        return f"{whose}{kind} {self.value:.2f}{_HOW.get(self.source, '')}"


_HOW: dict[ConfidenceSource, str] = {
    "logprobs": " (the mean probability of the tokens)",
    "absent": " (none is stated)",
}

ABSENT = Confidence(UNSTATED, "absent")


def stated(turn: Turn, place: str) -> Confidence | None:
    """Return the confidence that a turn's metadata states; None when it states none.

    The first of `confidence`, `metadata.confidence` and `logprobs` (numbers, objects with `logprob`, or an
    object whose `content` is a list of them). Numbers may be text. `place` names the message in errors.

    Raises ConfidenceError with the field for a value that is no number, or out of range.
    """
    if not turn.metadata:
        return None
    inner = turn.metadata.get("metadata")
    for fields, location in ((turn.metadata, place), (inner, f"{place}.metadata")):
        if isinstance(fields, Mapping) and fields.get(FIELD) is not None:
            return Confidence(_read_confidence(fields[FIELD], f"{location}.{FIELD}"))
    mean = _mean_probability(turn.metadata.get(LOGPROBS), f"{place}.{LOGPROBS}")
    return None if mean is None else Confidence(mean, "logprobs")


def _read_confidence(value: Any, field: str) -> float:
    number = _read_number(value)
    if not 0 <= number <= 1:
        problem = f"a confidence is a number from 0 to 1; got {quote(value, _MAX_QUOTED)}"
        raise ConfidenceError(f"{problem}. Correct it, or leave it out: without one it is 0.50", field=field)
    return number


def _mean_probability(logprobs: Any, field: str) -> float | None:
    """Return the mean of exp(log-probability) over the tokens; None when there are no tokens."""
    if isinstance(logprobs, Mapping) and "content" in logprobs:
        logprobs, field = logprobs["content"], f"{field}.content"
    if not logprobs:
        return None
    if not isinstance(logprobs, Sequence) or isinstance(logprobs, str | bytes):
        raise ConfidenceError(
            "expected a list of log-probabilities, or an object whose content is one;"
            f" got {quote(logprobs, _MAX_QUOTED)}",
            field=field,
        )
    values = [_probability(token, f"{field}[{index}]") for index, token in enumerate(logprobs)]
    # rounded: adding up 0.7 three times gives less than three times as much
    return round(math.fsum(values) / len(values), 12) if values else None


def _probability(token: Any, field: str) -> float:
    if isinstance(token, Mapping):
        token, field = token.get("logprob"), f"{field}.logprob"
    number = _read_number(token)
    if not number <= 0:  # nor NaN
        problem = f"a log-probability is a number up to 0; got {quote(token, _MAX_QUOTED)}"
        raise ConfidenceError(problem, field=field)
    return math.exp(number)


def _read_number(value: Any) -> float:
    """Return the number, which may be text; NaN for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):
        return math.nan


def confidences(turns: Sequence[Turn], *, estimate: bool = False, first: int = 0) -> tuple[Confidence, ...]:
    """Return the confidence of each turn, in order, in O(n); `first` is the index of the first turn.

    A turn's own is what its metadata states, else an estimate from hedging language with `estimate`, else
    0.5. An answer is a turn of the assistant, before the next user's, that states a confidence or has text
    without calling a tool. A question has the highest of its answers.

    Raises ConfidenceError with the message and the field for a value that is no confidence.
    """
    own = [stated(turn, f"messages[{first + row}]") for row, turn in enumerate(turns)]
    values = [value or _unstated(turn, estimate=estimate) for value, turn in zip(own, turns, strict=True)]
    for question, replies in _exchanges(turns):
        texts = [row for row in replies if turns[row].role == "assistant" and _has_text(turns[row], own[row])]
        answers = [row for row in texts if own[row] or not turns[row].tool_calls] or texts
        if not answers:
            continue
        best = max(answers, key=lambda row: values[row].value)
        for row in question:
            values[row] = replace(values[best], answer=first + best)
        for row in replies:
            answer = answers[min(bisect_left(answers, row), len(answers) - 1)]  # the next one, else the last
            if row != answer:
                values[row] = replace(values[answer], answer=first + answer)
    return tuple(values)


def _unstated(turn: Turn, *, estimate: bool) -> Confidence:
    value = estimated(turn.text) if estimate and not turn.is_instruction else None
    return ABSENT if value is None else Confidence(value, "estimate")


def _has_text(turn: Turn, own: Confidence | None) -> bool:
    return not is_result(turn) and (own is not None or bool(turn.text.strip()))


def _exchanges(turns: Sequence[Turn]) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the rows of each question, of several messages of one person, and of the replies to it."""
    question: list[int] = []
    for group in split_exchanges(turns):
        asked = [row for row in group if is_from_user(turns[row])]
        if question and _speaker(turns[question[-1]]) != _speaker(turns[group[0]]):
            yield question, []
            question = []
        question += asked
        if replies := group[len(asked) :]:
            yield question, replies
            question = []
    yield question, []


def _speaker(turn: Turn) -> tuple[str, str]:
    return turn.role, turn.speaker
