"""Turns that somebody puts off: an action of the log like any other, which changes no answer.

put_off(store, SituationKey(key, 57), 12, by="Ada")
turns_put_off(store, SituationKey(key, 57), "Ada")  # [12], until Labels(store).undo("Ada")
"""

from __future__ import annotations

from convgate.errors import StoreError
from convgate.store.database import Store
from convgate.store.label_log import Saved, SituationKey, moment, present
from convgate.store.label_writing import People
from convgate.store.situations import find_situation, situation_number


def put_off(store: Store, situation: SituationKey, turn: int, *, by: str) -> Saved:
    """Note that `by` wants to be asked about the turn, 0-based, after all others of the message.

    A turn that `by` answered is not put off, and nothing is stored. Raises StoreError as `Labels.record`.
    """
    now = present()
    with store.write() as db:
        annotator = People(db).number(by)
        number, stop = situation_number(db, situation)
        if not 0 <= turn < stop:
            raise StoreError(f"turn {turn} is put off, but the message has {stop} turns before it, from 0")
        place = [number, turn, annotator]
        answered = "SELECT 1 FROM labels WHERE situation = ? AND turn = ? AND annotator = ?"
        if db.execute(answered, place).fetchone():
            return Saved(None, moment(now), 0, situation, turn, "later")
        action = db.execute(
            "INSERT INTO label_actions (annotator, kind, at) VALUES (?, 'later', ?)", [annotator, now]
        ).lastrowid
        # Without an answer before and after: what holds stays as it is.
        db.execute(
            "INSERT INTO label_log (action, situation, turn, annotator, what, at)"
            " VALUES (?, ?, ?, ?, 'answer', ?)",
            [action, *place, now],
        )
    return Saved(action, moment(now), 0, situation, turn, "later")


def turns_put_off(store: Store, situation: SituationKey, by: str) -> list[int]:
    """The turns of a message that `by` put off and did not take back, the one put off last at the end."""
    with store.read() as db:
        rows = db.execute(
            """
            SELECT label_log.turn FROM label_log
            JOIN label_actions AS act ON act.number = label_log.action AND act.kind = 'later'
            WHERE label_log.situation = ? AND label_log.annotator = (
                    SELECT number FROM annotators WHERE name = ?)
                AND 'undo' IS NOT (
                    SELECT kind FROM label_actions AS back WHERE back.undoes = act.number
                    ORDER BY number DESC LIMIT 1)
            GROUP BY label_log.turn ORDER BY max(act.number)
            """,
            [find_situation(db, situation), by],
        ).fetchall()
    return [turn for (turn,) in rows]
