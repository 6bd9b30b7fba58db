"""Which turns one answer is for: a single one, or several at once.

>>> turns_of("before", 5, range(3, 9))
[3, 4]
>>> turns_of("topic", 5, range(3, 9), topic=range(4, 7))
[4, 5, 6]
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal, get_args

Scope = Literal["turn", "before", "topic", "above", "rest"]
SCOPES: tuple[Scope, ...] = get_args(Scope)


def turns_of(
    scope: Scope,
    turn: int,
    history: range,
    *,
    topic: range | None = None,
    above: Collection[int] = (),
    answered: Collection[int] = (),
) -> list[int]:
    """The turns that an answer about `turn` is for, in order.

    history: the turns before the message. topic: the segment that the turn is in. above: the turns that
    score at least the threshold. answered: those that have an answer, which answers for several leave as it
    is; a single turn is always answered anew.
    """
    if scope == "turn":
        return [turn]
    chosen: Collection[int] = history
    if scope == "before":
        chosen = range(turn)
    elif scope == "topic":
        chosen = [turn] if topic is None else topic
    elif scope == "above":
        chosen = set(above)
    return [index for index in history if index in chosen and index not in answered]
