"""What an action of the log changed, turn by turn."""

from __future__ import annotations

from dataclasses import dataclass

from convgate.store.database import Store
from convgate.store.label_log import SituationKey


@dataclass(frozen=True, slots=True)
class LabelChange:
    """One answer or note that is different since an action."""

    situation: SituationKey
    turn: int  # 0-based earlier turn, or WHOLE
    annotator: str  # whose it is
    before: str | None  # None: nothing was said
    after: str | None


def changes_of(store: Store, action: int) -> list[LabelChange]:
    """What an action changed, in its order."""
    with store.read() as db:
        rows = db.execute(
            "SELECT key, situations.turn, question, log.turn, name, before, after FROM label_log AS log"
            " JOIN situations ON situations.number = situation"
            " JOIN conversations ON conversations.number = conversation"
            " JOIN annotators ON annotators.number = log.annotator"
            " WHERE action = ? ORDER BY log.number",
            [action],
        ).fetchall()
    return [
        LabelChange(SituationKey(key, at, question), turn, who, before, after)
        for key, at, question, turn, who, before, after in rows
    ]
