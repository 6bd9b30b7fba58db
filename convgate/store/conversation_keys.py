"""From the key of a conversation, which links and files name, to the number that tables have."""

from __future__ import annotations

from sqlite_utils import Database

from convgate.errors import StoreError

NUMBER = "(SELECT number FROM conversation_keys WHERE key = ?)"
"""SQL of the number; of conversations in the bin too."""


def number_of(db: Database, key: str) -> int:
    """The number of a conversation that is in the library; StoreError when it is not, or was deleted."""
    row = db.execute(
        f"SELECT number FROM conversations WHERE deleted_at IS NULL AND number = {NUMBER}", [key]
    ).fetchone()
    if row is None:
        raise StoreError(
            f"The library has no conversation {key!r}; it was deleted, or is in another library."
        )
    number: int = row[0]
    return number
