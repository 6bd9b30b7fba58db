"""Labels of several annotators: which turns they share, and on which they disagree.

Only answers of people are compared; adjudicated answers and those of agents are not.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from convgate.store.database import Repository
from convgate.store.documents import translate_decoding_errors
from convgate.store.label_log import SituationKey, find_situation


@dataclass(frozen=True, slots=True)
class TurnAnswers:
    """The answers of at least two people to one turn, without those who are unsure."""

    conversation: int  # number, like that of the message
    message: int
    relevant: Mapping[str, bool]  # by annotator, in the order of names


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

    def turn_answers(self, *, training: bool = False) -> list[TurnAnswers]:
        """Return the turns that at least two people answered.

        training: only people whose answers are used in training.
        """
        rows = self._rows(f"""
            SELECT conversation, situation, labels.turn, name, answer = 'relevant' FROM labels
            JOIN annotators ON annotators.number = annotator
            JOIN situations ON situations.number = situation
            JOIN conversations ON conversations.number = conversation
            WHERE labels.turn >= 0 AND answer <> 'unsure' AND kind = 'person' AND deleted_at IS NULL
                {"AND trains" if training else ""}
            ORDER BY situation, labels.turn, name
        """)
        turns = []
        for (conversation, message, _), of_turn in groupby(rows, lambda row: row[:3]):
            relevant = {name: bool(is_relevant) for *_, name, is_relevant in of_turn}
            if len(relevant) > 1:
                turns.append(TurnAnswers(conversation, message, relevant))
        return turns

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
