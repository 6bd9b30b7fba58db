"""Experiments: assignments of sessions, one trial for each request and arm, and the ratings of trials."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

from convgate.core.errors import ExperimentError
from convgate.core.text import join_words, writable
from convgate.store.database import Repository
from convgate.store.documents import translate_decoding_errors, write_row

AnswerTest = Literal["pass", "fail"]

_NUMBER = "(SELECT number FROM experiments WHERE name = :experiment)"
_NEWEST = "number IN (SELECT max(number) FROM ratings GROUP BY trial, rater)"


@dataclass(frozen=True, slots=True)
class Stratum:
    """What sessions of the two arms have in common; empty where it is unknown."""

    mode: str = ""
    difficulty: str = ""
    model: str = ""  # version of the language model
    tenant: str = ""


@dataclass(frozen=True, slots=True)
class NewTrial:
    """A request as it was answered in one arm."""

    request_id: str
    session_id: str
    arm: str
    latency_seconds: float  # until the answer was complete
    tokens: int  # sent to the model
    answer_test: AnswerTest | None = None  # of an automatic test of the answer, if there is one
    messages: tuple[Mapping[str, Any], ...] = ()  # the whole conversation, for raters
    answer: str = ""
    sent: tuple[int, ...] | None = None  # indices of the messages that the model was given; None: unknown
    needed: tuple[int, ...] | None = None  # of those without which the answer is wrong; None: unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial(NewTrial):
    """A stored trial."""

    number: int
    at: datetime  # UTC


@dataclass(frozen=True, slots=True)
class Rating:
    """What a rater says of a trial; None where they are unsure."""

    trial: int  # number
    rater: str
    completed: bool | None
    errors: tuple[str, ...] | None  # kinds of errors in the answer
    focus: int | None  # 1…5
    is_judge: bool = False  # whether the rater is a language model
    at: datetime = datetime.min  # UTC; set when it is stored


class Experiments(Repository):
    """The experiments of a store, by name. What changes an unknown one raises ExperimentError."""

    def add(self, name: str, definition: Mapping[str, Any], started: datetime) -> None:
        """Store the definition of a new experiment; ExperimentError when the name is taken."""
        with self._store.write() as db:
            if name in self.names():
                raise ExperimentError(f"There is an experiment {name!r} already; choose another name.")
            row = {"name": name, "definition": json.dumps(definition), "started": started.isoformat()}
            db.table("experiments").insert(row)

    def names(self) -> list[str]:
        """Return the names of all experiments, the newest first."""
        return [name for (name,) in self._rows("SELECT name FROM experiments ORDER BY number DESC")]

    def get(self, name: str) -> tuple[dict[str, Any], datetime]:
        """Return the definition of an experiment and when it started."""
        row = self._row("SELECT definition, started FROM experiments WHERE name = ?", [name])
        if not row:
            names = join_words(self.names(), max_words=10) or "none yet"
            raise ExperimentError(f"There is no experiment {name!r}; there are: {names}.")
        with translate_decoding_errors("experiment"):
            return json.loads(row[0]), datetime.fromisoformat(row[1])

    def delete(self, name: str) -> None:
        """Remove an experiment with its assignments, trials and ratings. This cannot be undone."""
        with self._store.write() as db:
            db.table("experiments").delete(self._number(name))

    def arm_of(self, name: str, session_id: str) -> str | None:
        """Return the arm that a session was assigned to, or that its first trial names; None without any."""
        where = f"WHERE experiment = {_NUMBER} AND session_id = :session"
        first, second = (f"SELECT arm FROM {table} {where}" for table in ("experiment_assignments", "trials"))
        values = {"experiment": name, "session": writable(session_id)}
        row = self._row(f"{first} UNION ALL {second} LIMIT 1", values)
        return row[0] if row else None

    def next_place(self, name: str, stratum: Stratum) -> int:
        """Return the place of the next session of a stratum, from 0."""
        conditions = " AND ".join(f"{field.name} = :{field.name}" for field in fields(stratum))
        values = write_row(stratum) | {"experiment": name}
        sql = "SELECT coalesce(max(place), -1) + 1 FROM experiment_assignments"
        return int(self._row(f"{sql} WHERE experiment = {_NUMBER} AND {conditions}", values)[0])

    def assign(self, name: str, session_id: str, arm: str, stratum: Stratum, place: int) -> None:
        """Store the arm of a session; the caller's `Store.write` holds the place."""
        with self._store.write() as db:
            row = {"experiment": self._number(name), "session_id": writable(session_id), "arm": arm}
            row |= write_row(stratum) | {"place": place, "at": _now()}
            db.table("experiment_assignments").insert(row)

    def sessions(self, name: str) -> dict[str, int]:
        """Return the number of assigned sessions by arm."""
        sql = f"SELECT arm, count(*) FROM experiment_assignments WHERE experiment = {_NUMBER} GROUP BY arm"
        return dict(self._rows(sql, {"experiment": name}))

    def record(self, name: str, trials: Sequence[NewTrial]) -> None:
        """Store trials, all or none; ExperimentError for one that is stored already."""
        with self._store.write() as db:
            number = self._number(name)
            for trial in trials:
                known = db.table("trials").count_where(
                    "experiment = ? AND request_id = ? AND arm = ?",
                    [number, writable(trial.request_id), trial.arm],
                )
                if known:
                    raise ExperimentError(
                        f"The request {trial.request_id!r} is recorded already for {trial.arm}. Leave it out;"
                        " nothing was recorded."
                    )
                db.table("trials").insert(write_row(trial) | {"experiment": number, "at": _now()})

    def trials(self, name: str) -> list[Trial]:
        """Return all trials in the order in which they were recorded."""
        return self._trials("1", {"experiment": name})

    def trial(self, name: str, number: int) -> Trial:
        """Return a trial by its number; ExperimentError when it is missing."""
        trials = self._trials("number = :number", {"experiment": name, "number": number})
        if not trials:
            raise ExperimentError(f"{name} has no trial {number}.")
        return trials[0]

    def rate(self, rating: Rating) -> None:
        """Store a rating, in place of an earlier one of the rater; earlier ones stay in the log.

        Raises ExperimentError when the trial was deleted.
        """
        with self._store.write() as db:
            if not db.table("trials").count_where("number = ?", [rating.trial]):
                raise ExperimentError(f"There is no trial {rating.trial} any more; nothing was stored.")
            db.table("ratings").insert(write_row(rating) | {"at": _now()})

    def undo_rating(self, name: str, rater: str) -> Rating | None:
        """Remove the last rating of a rater and return it; None without any. An earlier one counts again."""
        with self._store.write() as db:
            last = self._row(
                f"SELECT max(ratings.number) FROM ratings JOIN trials ON trials.number = trial"
                f" WHERE experiment = {_NUMBER} AND rater = :rater",
                {"experiment": name, "rater": writable(rater)},
            )[0]
            if last is None:
                return None
            (rating,) = self._records(Rating, "SELECT * FROM ratings WHERE number = ?", [last])
            db.table("ratings").delete(last)
            return rating

    def ratings(self, name: str) -> dict[int, list[Rating]]:
        """Return what counts of each rater, by the number of the trial; first times of rating are kept."""
        rows = self._records(
            Rating,
            "SELECT trial, rater, is_judge, completed, errors, focus,"
            " (SELECT min(at) FROM ratings AS first WHERE first.trial = ratings.trial"
            " AND first.rater = ratings.rater) AS at FROM ratings"
            f" WHERE trial IN (SELECT number FROM trials WHERE experiment = {_NUMBER}) AND {_NEWEST}"
            " ORDER BY number",
            {"experiment": name},
        )
        by_trial: dict[int, list[Rating]] = {}
        for rating in rows:
            by_trial.setdefault(rating.trial, []).append(rating)
        return by_trial

    def rater_arm(self, name: str, rater: str, arms: Sequence[str]) -> str:
        """Return the arm whose answers a rater sees: at first the one with the fewest raters."""
        with self._store.write() as db:
            number = self._number(name)
            known = dict(self._rows("SELECT name, arm FROM raters WHERE experiment = ?", [number]))
            if writable(rater) not in known:
                arm = min(arms, key=list(known.values()).count)
                db.table("raters").insert({"experiment": number, "name": writable(rater), "arm": arm})
                return arm
            return str(known[writable(rater)])

    def judgement(self, key: str) -> tuple[str, ...] | None:
        """Return the errors that a language model found in what the key stands for, or None."""
        row = self._row("SELECT errors FROM judgements WHERE key = ?", [key])
        return tuple(json.loads(row[0])) if row else None

    def keep_judgement(self, key: str, errors: Sequence[str]) -> None:
        """Store the errors that a language model found."""
        with self._store.write() as db:
            db.table("judgements").upsert({"key": key, "errors": json.dumps(errors)}, pk="key")

    def _number(self, name: str) -> int:
        self.get(name)
        return int(self._row("SELECT number FROM experiments WHERE name = ?", [name])[0])

    def _trials(self, condition: str, values: dict[str, Any]) -> list[Trial]:
        sql = f"SELECT * FROM trials WHERE experiment = {_NUMBER} AND {condition} ORDER BY number"
        return self._records(Trial, sql, values)


def _now() -> str:
    return datetime.now(UTC).isoformat()
