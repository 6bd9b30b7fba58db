"""Tool results that were sent as stubs, for those who ask for one by its id."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from convgate.core.errors import MissingResultError
from convgate.store.database import Repository


class ElidedResults(Repository):
    """The texts of elided results, each as long as it is elided now and then."""

    def put(self, texts: Mapping[str, str], at: datetime) -> None:
        """Store texts by their ids, and when their stubs were sent last."""
        with self._store.write() as db:
            db.conn.executemany(
                "INSERT INTO elided_results (id, text, sent) VALUES (?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET sent = max(sent, excluded.sent)",
                [(id, text, at.isoformat()) for id, text in texts.items()],
            )

    def get(self, id: str) -> str:
        """Return the text of a result; MissingResultError when there is none."""
        row = self._row("SELECT text FROM elided_results WHERE id = ?", [id])
        if not row:
            raise MissingResultError(
                f"No shortened result has the id {id[:100]!r}: take it from a stub. Results are removed when"
                " their stubs were not sent for `session.retention_days`."
            )
        return str(row[0])

    def clean_up(self, before: datetime) -> int:
        """Remove the results whose stubs were sent last before a time, and return how many."""
        with self._store.write() as db:
            return db.execute("DELETE FROM elided_results WHERE sent < ?", [before.isoformat()]).rowcount
