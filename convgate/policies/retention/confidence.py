"""The confidence of every message of a conversation.

Only what the model says has a confidence of its own. A user's message has that of the answer to it, a tool's
result and the call for it that of the answer that they led to. What has no answer speaks for itself.

>>> talk = [Turn.of("user", "2 + 2?"), Turn.of("assistant", "4", metadata={"confidence": 0.9})]
>>> talk.append(Turn.of("user", "Thanks"))
>>> [(one.value, one.source, one.answer) for one in confidences(talk)]
[(0.9, 'message', 1), (0.9, 'message', None), (0.5, 'absent', None)]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from convgate.core.conversation import Turn
from convgate.messages.units import is_result
from convgate.policies.retention.hedging import estimated
from convgate.policies.retention.stated import ABSENT, Confidence, stated


def confidences(turns: Sequence[Turn], *, estimate: bool = False, first: int = 0) -> tuple[Confidence, ...]:
    """The confidence of each turn, in order, in O(n).

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
