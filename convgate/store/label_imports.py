"""Imports of labels, each of which can be taken back by its number, whoever did what since."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.label_log import Saved, moment
from convgate.store.labels import Labels


@dataclass(frozen=True, slots=True)
class LabelImport:
    """A file of labels that was taken in."""

    number: int  # of the action in the log, from 1
    file: str
    by: str  # who imported it, whosever answers they are
    at: datetime
    labels: int  # answers and notes that it changed
    undone: bool


class LabelImports:
    """The imports of a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def all(self, most: int | None = None) -> list[LabelImport]:
        """Every import that changed something, newest first; at most so many."""
        return self._found(most=most)

    def undo(self, number: int) -> Saved:
        """Take back an import; what was changed since stays as it is.

        Raises StoreError when there is no such import, or it was undone already.
        """
        with self._store.write():
            if not (imports := self._found(number)):
                raise StoreError(f"there is no import {number}; `convgate labels imports` lists them")
            (found,) = imports
            if found.undone:
                raise StoreError(f"import {number} of {found.file} was undone already")
            saved = Labels(self._store).undo(found.by, action=number)
            assert saved is not None
            return saved

    def _found(self, number: int | None = None, most: int | None = None) -> list[LabelImport]:
        """All imports or at most so many, or the one of that number."""
        with self._store.read() as db:
            rows = db.execute(
                f"""
                SELECT imports.number, origin, name, imports.at,
                    (SELECT count(*) FROM label_log WHERE action = imports.number),
                    (SELECT kind FROM label_actions AS later WHERE later.undoes = imports.number
                        ORDER BY later.number DESC LIMIT 1) IS 'undo'
                FROM label_actions AS imports JOIN annotators ON annotators.number = imports.annotator
                WHERE imports.kind = 'import' {"" if number is None else "AND imports.number = ?"}
                ORDER BY imports.number DESC LIMIT ?
                """,
                [*([] if number is None else [number]), -1 if most is None else most],
            ).fetchall()
        return [
            LabelImport(number, file, by, moment(at), labels, bool(undone))
            for number, file, by, at, labels, undone in rows
        ]
