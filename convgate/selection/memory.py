"""Earlier requests of the same conversation, each under a digest of all turns up to its current message."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from convgate.core.decisions import STEADY, Override, TurnDecisions
from convgate.invariants.invariant import Invariant
from convgate.modes.mode import Mode

HYSTERESIS = "hysteresis"
"""The rule of turns that stay as they were for the request before."""

MAX_REQUESTS = 2_000
"""Requests that are kept; the least recently used are dropped first."""


@dataclass(frozen=True, eq=False, slots=True)
class NamedIntents:
    """The intents that a caller named so far. Requests share those of earlier ones."""

    turn: int  # of the last one
    mode: Mode
    earlier: NamedIntents | None

    def by_turn(self) -> dict[int, Mode]:
        """Return the mode of each turn that has an intent."""
        modes: dict[int, Mode] = {}
        last: NamedIntents | None = self
        while last is not None:
            modes.setdefault(last.turn, last.mode)
            last = last.earlier
        return modes


@dataclass(frozen=True, eq=False, slots=True)
class PastRequest:
    """What is kept of a request."""

    current: int  # the turn that it answered
    intents: NamedIntents | None
    sent: NDArray[np.int64]  # (m,) the messages: a turn's index, or a number below 0 for another message
    tokens: int  # of them
    breaches: tuple[Invariant, ...]  # that were missing in this or an earlier request of the conversation
    shortened: Mapping[int, int] = field(default_factory=dict)  # turns with stubs, and numbers of their texts


def message_number(text: str) -> int:
    """Return a number below 0 for a message that is no turn: the same for the same text in one process."""
    return -1 - (hash(text) & 0x7FFF_FFFF_FFFF)


class RequestMemory:
    """The requests made last; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: OrderedDict[bytes, PastRequest] = OrderedDict()

    def find(self, chain: Sequence[bytes]) -> PastRequest | None:
        """Return the last request of this conversation before its current message; chain: a digest a turn."""
        with self._lock:
            for place in range(len(chain) - 2, -1, -1):
                if request := self._requests.get(chain[place]):
                    self._requests.move_to_end(chain[place])
                    return request
        return None

    def keep(self, digest: bytes, request: PastRequest) -> None:
        """Keep a request under the digest of the turn that it answered."""
        with self._lock:
            self._requests[digest] = request
            self._requests.move_to_end(digest)
            while len(self._requests) > MAX_REQUESTS:
                self._requests.popitem(last=False)


@dataclass(frozen=True, slots=True)
class PrefixReport:
    """The common beginning of what was sent for the request before and of what is sent now."""

    tokens: int  # of the longest common beginning
    before: int  # tokens of the request before
    held: tuple[int, ...]  # turns that are sent by the hysteresis alone


def keep_steady(decisions: TurnDecisions, before: PastRequest | None, margin: float) -> TurnDecisions:
    """Return the decisions without changes since the request before that gain at most `margin`.

    The gain is the distance between a turn's score and the threshold. Without scores or a threshold, nothing
    changes.
    """
    kept, scores, threshold = decisions.kept, decisions.scores, decisions.threshold
    if before is None or not margin or scores is None or threshold is None:
        return decisions
    was_sent = np.isin(decisions.indices, before.sent)
    gain = np.nan_to_num(np.abs(scores - threshold), nan=np.inf)
    changed = (decisions.indices <= before.current) & (gain <= margin) & (was_sent != kept)
    overrides = {}
    for index, stays in zip(decisions.indices[changed].tolist(), was_sent[changed].tolist(), strict=True):
        then = "It stays from the request before" if stays else "It was not sent for the request before"
        reason = f"{then}, and a change has to bring more than the hysteresis of {margin:.2f}."
        overrides[index] = Override(
            HYSTERESIS,
            f"{decisions.why(index).explanation} {reason}",
            "by the hysteresis",
            stage=STEADY,
            kept=stays,
        )
    return decisions.with_overrides(overrides)


def compare_prefix(
    before: PastRequest | None,
    sent: Sequence[int],
    tokens: Sequence[int],
    held: Sequence[int],
    shortened: Mapping[int, int],
) -> PrefixReport | None:
    """Return how much of what was sent before is at the front now; None when there was no request before.

    shortened: as of `PastRequest`.
    """
    if before is None:
        return None
    shared = 0
    for old, new in zip(before.sent.tolist(), sent, strict=False):
        if old != new or before.shortened.get(old) != shortened.get(new):
            break
        shared += 1
    return PrefixReport(sum(tokens[:shared]), before.tokens, tuple(held))
