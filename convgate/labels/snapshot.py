"""One state of the database for everything that is read in a block."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlite_utils import Database

from convgate.store import Store


@contextmanager
def snapshot(store: Store) -> Iterator[Database]:
    """A connection that sees the database as it is when it first asks, whatever others write meanwhile.

    What is read through the store in the block sees the same. Nothing may be written in it.
    """
    with store.read() as db:
        if db.conn.in_transaction:
            yield db
            return
        db.conn.execute("BEGIN")
        try:
            yield db
        finally:
            db.conn.rollback()
