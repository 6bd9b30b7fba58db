"""What answers of several annotators come to: the rule of the view `gold`, for any choice of annotators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from convgate.store import WHOLE, Entry

_VOTES = {"relevant": 1, "not_relevant": -1}


def settled(entries: Iterable[Entry]) -> dict[int, str]:
    """The answer of each turn, in order. What is no answer of an earlier turn is passed over.

    An adjudicated answer counts before people's, theirs before what agents told; among equals the
    majority counts, and a tie is unsure.
    """
    said: dict[int, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.what == "answer" and entry.turn != WHOLE and entry.value is not None:
            said[entry.turn][entry.kind].append(entry.value)
    return {turn: _of_turn(said[turn]) for turn in sorted(said)}


def _of_turn(by_kind: dict[str, list[str]]) -> str:
    if "adjudication" in by_kind:
        return by_kind["adjudication"][0]
    answers = by_kind.get("person") or by_kind["agent"]
    votes = sum(_VOTES.get(answer, 0) for answer in answers)
    return "relevant" if votes > 0 else "not_relevant" if votes < 0 else "unsure"
