"""Summaries of the beginnings of conversations; one is dropped when a turn that it stands for changes."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from convgate.core.errors import StoreError
from convgate.core.text import writable
from convgate.store.conversations import find_conversation
from convgate.store.database import Repository
from convgate.store.documents import read_row, translate_decoding_errors, write_row


@dataclass(frozen=True, slots=True)
class TurnSummary:
    """A summary of the first turns of a conversation."""

    text: str
    stop: int  # it stands for the turns before this one
    by: str  # the policy or the model that made it
    at: datetime | None = None  # UTC; when it was stored


@dataclass(frozen=True, slots=True)
class SummarizedConversation:
    """A conversation of a workspace, with its summary."""

    key: str
    title: str
    added: datetime  # UTC
    summary: TurnSummary | None


class Summaries(Repository):
    """The summaries of a store."""

    def get(self, key: str) -> TurnSummary | None:
        """Return the summary of a conversation, or None. Raises StoreError when the library lacks it."""
        with self._store.read() as db:
            return _decode(find_conversation(db, key)["summary"])

    def put(self, key: str, summary: TurnSummary) -> None:
        """Store a summary in place of the former one; StoreError for turns that the library lacks."""
        with self._store.write() as db:
            row = find_conversation(db, key)
            if not 0 < summary.stop <= row["turns"]:
                raise StoreError(f"a summary stands for 1 to {row['turns']} turns; got {summary.stop}")
            values = json.dumps(write_row(replace(summary, at=summary.at or datetime.now(UTC))))
            changes = {"summary": values, "summary_stop": summary.stop}
            db.table("conversations").update(row["number"], changes)

    def of_workspace(self, workspace: str, *, limit: int) -> list[SummarizedConversation]:
        """Return the conversations of a workspace, the newest first."""
        with self._store.read() as db:
            rows = db.table("conversations").rows_where(
                "workspace = ? AND deleted_at IS NULL",
                [writable(workspace)],
                order_by="number DESC",
                limit=limit,
            )
            return [
                read_row(SummarizedConversation, row | {"summary": _decode(row["summary"])}) for row in rows
            ]


def _decode(text: str | None) -> TurnSummary | None:
    if text is None:
        return None
    with translate_decoding_errors("summary"):
        return read_row(TurnSummary, json.loads(text))
