"""Find a conversation by what was said in it, whatever file or agent it comes from.

Turns are the same when the same speaker said the same; ids, times and metadata do not matter. The table holds
a hash of every beginning of every conversation, so that a search reads no texts.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlite_utils import Database

from convgate.core.conversation import Turn, prefix_hashes

_MAX_HASHES = 500  # in one query

_MATCHES = """
    SELECT key FROM openings JOIN conversations ON conversations.number = openings.conversation
    WHERE deleted_at IS NULL AND """


class PrefixIndex:
    """The conversations of a database by their beginnings; deleted ones are never found.

    Methods return the key of the oldest match, or None. hashes: of `prefix_hashes`.
    """

    def __init__(self, db: Database) -> None:
        self._db = db

    def put(self, conversation: int, turns: Sequence[Turn], *, start: int = 0) -> None:
        """Store the beginnings of a conversation; those of its first `start` turns are stored already."""
        values, after = [conversation, start], b""
        for (hash,) in self._db.execute(
            "SELECT hash FROM openings WHERE conversation = ? AND length = ?", values
        ):
            after = hash
        self._db.conn.executemany(
            "INSERT OR IGNORE INTO openings (hash, conversation, length) VALUES (?, ?, ?)",
            [
                (hash, conversation, length)
                for length, hash in enumerate(prefix_hashes(turns, after=after), start)
            ],
        )

    def same(self, hashes: Sequence[bytes]) -> str | None:
        """Return the conversation with exactly these turns."""
        where = f"{_MATCHES} hash = ? AND length = ? AND turns = length ORDER BY number"
        return self._first(where, [hashes[-1], len(hashes) - 1])

    def longer(self, hashes: Sequence[bytes]) -> str | None:
        """Return the conversation that begins with these turns and has more."""
        return self._first(f"{_MATCHES} hash = ? AND turns > length ORDER BY number", [hashes[-1]])

    def live_beginning(self, hashes: Sequence[bytes]) -> str | None:
        """Return the longest conversation from feedback that these turns continue.

        One with a question after its last turn is left out: more turns would change the question's history.
        """
        for stop in range(len(hashes) - 1, 1, -_MAX_HASHES):
            some = hashes[max(1, stop - _MAX_HASHES) : stop]
            key = self._first(
                f"""{_MATCHES} hash IN ({", ".join("?" * len(some))}) AND turns = length AND is_live
                AND NOT EXISTS (SELECT 1 FROM messages AS asked
                    WHERE asked.conversation = conversations.number AND asked.turn IS NULL)
                ORDER BY length DESC, number""",
                some,
            )
            if key is not None:
                return key
        return None

    def _first(self, sql: str, values: Sequence[bytes | int]) -> str | None:
        row = self._db.execute(f"{sql} LIMIT 1", values).fetchone()
        return row[0] if row else None
