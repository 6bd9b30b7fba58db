"""Finding a conversation again by what was said in it, whatever file or agent it comes from.

Turns are the same when the same speaker said the same; ids, times and metadata do not matter. Kept are hashes
of how every conversation begins, so that neither a search nor a comparison reads texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence

from sqlite_utils import Database

from convgate.conversation import Turn
from convgate.store import documents

_EACH = 16
"""Beginnings of up to this many turns are all kept; of longer ones each is half as long again as the last."""

_AT_ONCE = 500  # hashes asked for in one query


def chain(turns: Sequence[Turn], *, after: bytes = b"") -> list[bytes]:
    """A hash of the first 0, 1, 2, … turns; after: the hash of what was said before them."""
    hashes = [after]
    for turn in turns:
        digest = hashlib.blake2b(hashes[-1], digest_size=12)
        for text in (turn.role, turn.name or "", turn.scored_text):
            encoded = text.encode("utf-8", "surrogatepass")
            digest.update(f"{len(encoded)}:".encode() + encoded)
        hashes.append(digest.digest())
    return hashes


class Openings:
    """The conversations of a database by how they begin; those that were deleted are never found."""

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, conversation: int, turns: Sequence[Turn]) -> None:
        """Keep how a conversation begins, in place of what was kept of it."""
        hashes = chain(turns)
        self._db.execute("DELETE FROM openings WHERE conversation = ?", [conversation])
        self._db.conn.executemany(
            "INSERT INTO openings (hash, conversation, length) VALUES (?, ?, ?)",
            [(hashes[length], conversation, length) for length in sorted({*_kept(len(turns)), len(turns)})],
        )

    def same(self, hashes: Sequence[bytes]) -> int | None:
        """The oldest conversation in which exactly these turns were said. hashes: their `chain`."""
        return self.ending(hashes[-1], len(hashes) - 1)

    def ending(self, last: bytes, turns: int) -> int | None:
        """The oldest conversation of so many turns whose `chain` ends with this hash."""
        row = self._db.execute(
            "SELECT number FROM openings JOIN conversations ON number = conversation"
            " WHERE hash = ? AND length = ? AND turns = length AND deleted_at IS NULL"
            " ORDER BY number LIMIT 1",
            [last, turns],
        ).fetchone()
        return row[0] if row else None

    def longer(self, hashes: Sequence[bytes]) -> int | None:
        """The oldest conversation that begins with these turns and goes on."""
        length = len(hashes) - 1
        known = max((kept for kept in _kept(length)), default=0)
        candidates = self._db.execute(
            "SELECT number FROM openings JOIN conversations ON number = conversation"
            " WHERE hash = ? AND length = ? AND turns > ? AND deleted_at IS NULL ORDER BY number",
            [hashes[known], known, length],
        ).fetchall()
        for (number,) in candidates:
            if known == length or self._chain_of(number, length)[-1] == hashes[-1]:
                return int(number)
        return None

    def live_beginning(self, hashes: Sequence[bytes]) -> int | None:
        """The longest conversation that these turns go on from and that may grow.

        Such a one came from an agent, and nobody put a question after its last turn: the history of that
        would change.
        """
        found: tuple[int, int] = (0, 0)
        for start in range(1, len(hashes) - 1, _AT_ONCE):
            some = hashes[start : min(start + _AT_ONCE, len(hashes) - 1)]
            row = self._db.execute(
                f"""
                SELECT length, number FROM openings JOIN conversations ON number = openings.conversation
                JOIN live_conversations ON live_conversations.conversation = number
                WHERE hash IN ({", ".join("?" * len(some))}) AND turns = length AND deleted_at IS NULL
                    AND NOT EXISTS (SELECT 1 FROM situations AS asked
                        WHERE asked.conversation = conversations.number AND asked.turn IS NULL)
                ORDER BY length DESC, number LIMIT 1
                """,
                list(some),
            ).fetchone()
            found = max(found, row or (0, 0))
        return found[1] or None

    def _chain_of(self, number: int, length: int) -> list[bytes]:
        (document,) = self._db.execute("SELECT document FROM documents WHERE number = ?", [number]).fetchone()
        return chain(documents.load(document).turns[:length])


def _kept(turns: int) -> Iterator[int]:
    """The lengths of the beginnings that are kept, up to `turns`."""
    length = 0
    while length <= turns:
        yield length
        length += 1 if length < _EACH else length // 2
