"""Counts over labels that pages ask for: who shares how much with whom, and where people disagree.

The tables `label_turns` and `label_pairs` follow every label, so that a hundred thousand are no burden. Only
answers of people are compared; what was adjudicated and what agents told are no opinions of annotators.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from convgate.store.database import Store
from convgate.store.faults import translate_decoding_errors
from convgate.store.label_log import ADJUDICATED, SituationKey, moment
from convgate.store.situations import OF_DELETED, find_situation

_TRAINERS = "SELECT number FROM annotators WHERE kind = 'person' AND trains"
# As the table `label_turns` counts all people.
_TRAINED_TURNS = f"""(
    SELECT situation, turn, sum(answer = 'relevant') AS relevant,
        sum(answer = 'not_relevant') AS not_relevant
    FROM labels WHERE turn >= 0 AND annotator IN ({_TRAINERS}) GROUP BY situation, turn)"""


@dataclass(frozen=True, slots=True)
class SharedCounts:
    """How two annotators answered the turns of one message that both answered, in one week."""

    first: str  # comes before `second` in the alphabet
    second: str
    conversation: int  # these two tell messages and conversations apart, and mean nothing else
    message: int
    week: date  # its Monday, UTC; of the later of the two answers
    both: int  # both say relevant
    only_first: int  # the first says relevant, the second not
    only_second: int
    neither: int  # both say not relevant
    unsure: int  # at least one is unsure; in none of the counts above


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """How all people together answered the turns of a message that at least two of them answered."""

    conversation: int
    message: int
    turns: int  # that at least two people answered without being unsure
    agreed: int  # of these, all answers alike
    relevant: int  # answers
    not_relevant: int
    conflict: float  # over turns, the sum of relevant · not relevant / (answers - 1)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A turn on which people disagree."""

    situation: SituationKey
    title: str  # of the conversation
    turn: int
    answers: dict[str, str]  # by annotator, those who are unsure included
    at: datetime  # of the newest answer
    settled: str | None  # what was adjudicated
    settled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class DisagreementPage:
    """Some of the turns on which people disagree, and how many there are."""

    rows: tuple[Disagreement, ...]
    total: int


class LabelCounts:
    """Counts over the labels of a store; conversations that were deleted do not count."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def shared(self, *, training: bool = False) -> list[SharedCounts]:
        """For every two people who answered the same turns, what they said, by message and week.

        training: only of people whose answers train.
        """
        both = f"AND first IN ({_TRAINERS}) AND second IN ({_TRAINERS})" if training else ""
        with self._store.read() as db:
            rows = db.execute(f"""
                SELECT first, second, conversation, situation, week, both, only_first, only_second, neither,
                    unsure
                FROM label_pairs JOIN situations ON situations.number = situation
                JOIN conversations ON conversations.number = conversation
                WHERE deleted_at IS NULL {both}
            """).fetchall()
            names = dict(db.execute("SELECT number, name FROM annotators").fetchall())
        with translate_decoding_errors("counts of labels"):
            return [_shared(names[row[0]], names[row[1]], row[2:]) for row in rows]

    def together(self, *, training: bool = False) -> list[TurnCounts]:
        """What all people say of the turns that at least two of them answered, by message.

        training: all whose answers train.
        """
        turns = _TRAINED_TURNS if training and self.trainers() is not None else "label_turns"
        with self._store.read() as db:
            rows = db.execute(f"""
                SELECT conversation, situation, count(*), sum(relevant = 0 OR not_relevant = 0),
                    sum(relevant), sum(not_relevant),
                    sum(relevant * not_relevant * 1.0 / (relevant + not_relevant - 1))
                FROM {turns} JOIN situations ON situations.number = situation
                JOIN conversations ON conversations.number = conversation
                WHERE relevant + not_relevant > 1 AND deleted_at IS NULL
                GROUP BY situation
            """).fetchall()
        return [TurnCounts(*row) for row in rows]

    def disagreements(
        self,
        page: int = 1,
        per_page: int = 20,
        *,
        annotators: Sequence[str] | None = None,
        settled: bool | None = False,
        situation: SituationKey | None = None,
    ) -> DisagreementPage:
        """Page `page`, from 1, of the turns that one person calls relevant and another not, newest first.

        annotators: only answers of these people make a disagreement; settled: those that were adjudicated
        or those that were not, None for both; situation: for those of one message.
        """
        conditions = ["relevant > 0 AND not_relevant > 0 AND deleted_at IS NULL"]
        values: list[Any] = []
        if annotators is not None:
            conditions.append(f"""2 = (
                SELECT count(DISTINCT answer) FROM labels JOIN annotators ON annotators.number = annotator
                WHERE labels.situation = label_turns.situation AND labels.turn = label_turns.turn
                    AND answer <> 'unsure' AND kind = 'person'
                    AND name IN ({", ".join("?" * len(annotators))}))""")
            values += annotators
        if settled is not None:
            conditions.append(f"settled IS {'NOT ' if settled else ''}NULL")
        if situation is not None:
            conditions.append("situation = ?")
        found = f"""
            FROM label_turns JOIN situations ON situations.number = situation
            JOIN conversations ON conversations.number = conversation
            WHERE {" AND ".join(conditions)}"""
        with self._store.read() as db:
            if situation is not None:
                values.append(find_situation(db, situation))
            (total,) = db.execute(f"SELECT count(*) {found}", values).fetchone()
            rows = db.execute(
                f"""
                SELECT key, situations.turn, question, title, label_turns.turn, newest, settled, settled_at, (
                    SELECT json_group_object(name, answer)
                    FROM labels JOIN annotators ON annotators.number = annotator
                    WHERE labels.situation = label_turns.situation AND labels.turn = label_turns.turn
                        AND kind = 'person')
                {found} ORDER BY newest DESC, situation, label_turns.turn LIMIT ? OFFSET ?
                """,
                [*values, per_page, (page - 1) * per_page],
            ).fetchall()
        return DisagreementPage(tuple(_disagreement(row) for row in rows), total)

    def trainers(self) -> list[str] | None:
        """The names of the people whose answers train; None when all people's do."""
        with self._store.read() as db:
            people = db.execute("SELECT name, trains FROM annotators WHERE kind = 'person'").fetchall()
        names = [name for name, trains in people if trains]
        return None if len(names) == len(people) else names

    def settled_since(self, first: str, second: str, since: datetime) -> int:
        """Turns that both people answered and that were adjudicated at `since` or later."""
        with self._store.read() as db:
            row = db.execute(
                """
                SELECT count(*) FROM labels AS final
                JOIN situations ON situations.number = final.situation
                JOIN conversations ON conversations.number = conversation AND deleted_at IS NULL
                WHERE final.turn >= 0 AND final.at >= ?
                    AND final.annotator = (SELECT number FROM annotators WHERE name = ?)
                    AND 2 = (SELECT count(*) FROM labels JOIN annotators ON annotators.number = annotator
                        WHERE situation = final.situation AND turn = final.turn AND name IN (?, ?))
                """,
                [since.astimezone(UTC).isoformat(timespec="milliseconds"), ADJUDICATED, first, second],
            ).fetchone()
        return int(row[0])

    def per_day(self, annotator: str, since: date) -> dict[date, int]:
        """Answers of an annotator that hold now, by the day (UTC) on which they were given, in order."""
        with self._store.read() as db:
            rows = db.execute(
                f"""
                SELECT date(at), count(*) FROM labels
                WHERE annotator = (SELECT number FROM annotators WHERE name = ?) AND at >= ? AND turn >= 0
                    AND situation NOT IN ({OF_DELETED})
                GROUP BY date(at) ORDER BY date(at)
                """,
                [annotator, since.isoformat()],
            ).fetchall()
        with translate_decoding_errors("a time of a label"):
            return {date.fromisoformat(day): count for day, count in rows}

    def known(self, *, by: str | None = None) -> dict[SituationKey, set[int]]:
        """Turns with a settled answer, and those that `by` answered, by message.

        Settled is what training takes for relevant or for not relevant.
        """
        with self._store.read() as db:
            rows = db.execute(
                """
                SELECT key, situations.turn, question, said.turn FROM (
                    SELECT situation, turn FROM gold WHERE answer <> 'unsure'
                    UNION
                    SELECT situation, turn FROM labels WHERE turn >= 0
                        AND annotator = (SELECT number FROM annotators WHERE name = ?)
                ) AS said
                JOIN situations ON situations.number = said.situation
                JOIN conversations ON conversations.number = conversation AND deleted_at IS NULL
                """,
                [by],
            ).fetchall()
        found: dict[SituationKey, set[int]] = {}
        for *place, turn in rows:
            found.setdefault(SituationKey(*place), set()).add(turn)
        return found


def _shared(first: str, second: str, row: tuple[Any, ...]) -> SharedCounts:
    conversation, message, week, both, one, two, neither, unsure = row
    if first > second:
        first, second, one, two = second, first, two, one
    day = date.fromisoformat(week)
    return SharedCounts(first, second, conversation, message, day, both, one, two, neither, unsure)


@translate_decoding_errors("a disagreement")
def _disagreement(row: tuple[Any, ...]) -> Disagreement:
    key, current, question, title, turn, newest, settled, settled_at, answers = row
    return Disagreement(
        SituationKey(key, current, question),
        title,
        turn,
        dict(sorted(json.loads(answers).items())),
        moment(newest),
        settled,
        moment(settled_at) if settled_at else None,
    )
