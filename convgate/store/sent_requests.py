"""The layout of the last requests of conversations, without text, for all workers that share a store."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from convgate.store.database import Repository
from convgate.store.documents import translate_decoding_errors

MAX_AGE_SECONDS = 86_400
"""Age at which a request is removed: no provider keeps a prefix that long."""

_MAX_TURNS = 2_000  # that a conversation may have grown by since its last request
_CHUNK = 500


@dataclass(frozen=True, eq=False, slots=True)
class SentRequest:
    """What was sent for one message of a conversation."""

    current: int  # the turn that it answered
    at: float  # seconds since 1970
    tokens: int
    sent: NDArray[np.int64]  # (m,) the messages: a turn's index, or a number below 0 for another message
    quotes: Mapping[int, tuple[int, ...]]  # the turns that a message before another turn quotes
    shortened: Mapping[int, int]  # numbers of the texts of turns with stubs
    spending: Mapping[str, Any]  # of the conversation so far: its figures


class SentRequests(Repository):
    """Requests by the hash of all turns up to the message that they answered."""

    def find(self, hashes: Sequence[bytes]) -> SentRequest | None:
        """Return the last request of the conversation with these hashes, one a turn; None without one."""
        for stop in range(len(hashes), max(0, len(hashes) - _MAX_TURNS), -_CHUNK):
            chunk = hashes[max(0, stop - _CHUNK) : stop]
            marks = ", ".join("?" * len(chunk))
            row = self._row(
                "SELECT current, at, tokens, sent, details FROM sent_requests"
                f" WHERE hash IN ({marks}) ORDER BY current DESC LIMIT 1",
                chunk,
            )
            if row:
                current, at, tokens, runs, details = row
                with translate_decoding_errors("request"):
                    values = json.loads(details)
                    sent = _join_runs(json.loads(runs))
                    quotes = {int(before): tuple(indices) for before, indices in values["quotes"].items()}
                    shortened = {int(index): number for index, number in values["shortened"].items()}
                    return SentRequest(current, at, tokens, sent, quotes, shortened, values["spending"])
        return None

    def keep(self, hash: bytes, request: SentRequest) -> None:
        """Store a request in place of an earlier one for the same message, and remove old ones."""
        row = (
            hash,
            request.current,
            request.at,
            request.tokens,
            json.dumps(_find_runs(request.sent)),
            json.dumps({name: getattr(request, name) for name in ("quotes", "shortened", "spending")}),
        )
        with self._store.write() as db:
            db.execute("DELETE FROM sent_requests WHERE at < ?", [time.time() - MAX_AGE_SECONDS])
            db.execute("INSERT OR REPLACE INTO sent_requests VALUES (?, ?, ?, ?, ?, ?)", row)


def _find_runs(numbers: NDArray[np.int64]) -> list[list[int]]:
    """Return numbers as runs of successive ones: [first, count] each.

    >>> _find_runs(np.array([-7, 0, 1, 2, 9]))
    [[-7, 1], [0, 3], [9, 1]]
    """
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[:1] - 2) != 1)
    runs: list[list[int]] = np.stack([numbers[starts], np.diff(starts, append=len(numbers))], axis=1).tolist()
    return runs


def _join_runs(runs: list[list[int]]) -> NDArray[np.int64]:
    """Return the numbers of runs."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *(np.arange(first, first + n) for first, n in runs)])
