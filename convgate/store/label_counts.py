"""Counts over labels: how much annotators share, and where they disagree.

Only answers of people are compared; adjudicated answers and those of agents are not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from convgate.store.database import Repository
from convgate.store.documents import translate_decoding_errors
from convgate.store.label_log import OF_DELETED, SituationKey, find_situation


@dataclass(frozen=True, slots=True)
class SharedCounts:
    """How two annotators answered the turns of one message that both answered."""

    first: str  # comes before `second` in the alphabet
    second: str
    conversation: int  # number, like that of the message
    message: int
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


@dataclass(frozen=True, slots=True)
class DisagreementPage:
    """A page of the turns on which people disagree."""

    rows: tuple[Disagreement, ...]
    total: int  # on all pages


class LabelCounts(Repository):
    """Counts over the labels of a store, without deleted conversations."""

    def shared(self, *, training: bool = False) -> list[SharedCounts]:
        """Return, for every two people who answered the same turns, their answers by message.

        training: only people whose answers are used in training.
        """
        trains = "AND a.trains AND b.trains" if training else ""
        # CROSS JOIN keeps SQLite from another order, which takes many times as long.
        return self._records(
            SharedCounts,
            f"""
            SELECT a.name AS first, b.name AS second, conversation, one.situation AS message,
                sum(one.answer = 'relevant' AND two.answer = 'relevant') AS both,
                sum(one.answer = 'relevant' AND two.answer = 'not_relevant') AS only_first,
                sum(one.answer = 'not_relevant' AND two.answer = 'relevant') AS only_second,
                sum(one.answer = 'not_relevant' AND two.answer = 'not_relevant') AS neither,
                sum(one.answer = 'unsure' OR two.answer = 'unsure') AS unsure
            FROM situations CROSS JOIN labels AS one CROSS JOIN annotators AS a
                CROSS JOIN labels AS two CROSS JOIN annotators AS b
            WHERE one.situation = situations.number AND one.turn >= 0
                AND a.number = one.annotator AND a.kind = 'person'
                AND two.situation = one.situation AND two.turn = one.turn
                AND b.number = two.annotator AND b.kind = 'person' AND b.name > a.name {trains}
                AND situations.number NOT IN ({OF_DELETED})
            GROUP BY one.situation, a.number, b.number
            """,
        )

    def together(self, *, training: bool = False) -> list[TurnCounts]:
        """Return the answers to turns that at least two people answered, by message.

        training: only people whose answers are used in training.
        """
        rows = self._rows(f"""
            SELECT conversation, situation, count(*), sum(relevant = 0 OR not_relevant = 0),
                sum(relevant), sum(not_relevant),
                sum(relevant * not_relevant * 1.0 / (relevant + not_relevant - 1))
            FROM (
                SELECT situation, turn, sum(answer = 'relevant') AS relevant,
                    sum(answer = 'not_relevant') AS not_relevant
                FROM labels JOIN annotators ON annotators.number = annotator
                WHERE turn >= 0 AND kind = 'person' {"AND trains" if training else ""}
                GROUP BY situation, turn)
            JOIN situations ON situations.number = situation
            JOIN conversations ON conversations.number = conversation
            WHERE relevant + not_relevant > 1 AND deleted_at IS NULL
            GROUP BY situation
        """)
        return [TurnCounts(*row) for row in rows]

    def disagreements(
        self,
        page: int = 1,
        per_page: int = 20,
        *,
        training: bool = False,
        settled: bool | None = False,
        situation: SituationKey | None = None,
    ) -> DisagreementPage:
        """Return a page, from 1, of the turns that one person calls relevant and another not, newest first.

        training: only disagreements of people whose answers are used in training. settled: only adjudicated
        turns, or only others; None for both. situation: only turns before this message.
        """
        conditions = ["relevant > 0 AND not_relevant > 0 AND deleted_at IS NULL"]
        values: list[Any] = []
        if training:
            conditions.append("""2 = (
                SELECT count(DISTINCT answer) FROM labels JOIN annotators ON annotators.number = annotator
                WHERE labels.situation = label_turns.situation AND labels.turn = label_turns.turn
                    AND answer <> 'unsure' AND kind = 'person' AND trains)""")
        if settled is not None:
            conditions.append(f"adjudicated IS {'NOT ' if settled else ''}NULL")
        if situation is not None:
            conditions.append("situation = ?")
        tables = f"""
            FROM label_turns JOIN situations ON situations.number = situation
            JOIN conversations ON conversations.number = conversation
            WHERE {" AND ".join(conditions)}"""
        with self._store.read() as db:
            if situation is not None:
                values.append(find_situation(db, situation))
            (total,) = db.execute(f"SELECT count(*) {tables}", values).fetchone()
            rows = db.execute(
                f"""
                SELECT key, situations.turn, question, title, label_turns.turn, newest,
                    adjudicated, (
                    SELECT json_group_object(name, answer)
                    FROM labels JOIN annotators ON annotators.number = annotator
                    WHERE labels.situation = label_turns.situation AND labels.turn = label_turns.turn
                        AND kind = 'person')
                {tables} ORDER BY newest DESC, situation, label_turns.turn LIMIT ? OFFSET ?
                """,
                [*values, per_page, (page - 1) * per_page],
            ).fetchall()
        return DisagreementPage(tuple(_disagreement(row) for row in rows), total)

    def known(self, *, by: str | None = None) -> dict[SituationKey, set[int]]:
        """Return, by message, the turns with a gold label and those that `by` answered."""
        rows = self._rows(
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
        )
        turns: dict[SituationKey, set[int]] = {}
        for *place, turn in rows:
            turns.setdefault(SituationKey(*place), set()).add(turn)
        return turns


def _disagreement(row: tuple[Any, ...]) -> Disagreement:
    *situation, title, turn, newest, settled, answers = row
    with translate_decoding_errors("disagreement"):
        return Disagreement(
            SituationKey(*situation),
            title,
            turn,
            dict(sorted(json.loads(answers).items())),
            datetime.fromisoformat(newest),
            settled,
        )
