"""Weekly calibration: a lead annotator answers 20 random judged turns again; kappa by week.

    draw_calibration(store, "Ada")        # a queue for the page Label
    calibration(store).state              # "good", "warning", "paused" or "few"

The kappa of 20 turns is uncertain, so one low week warns, and only more evidence pauses. While labelling
pauses, nobody is asked for new answers but those of a calibration; adjudicating goes on.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, Literal

import numpy as np

from convgate.core.errors import LabellingPausedError, StoreError
from convgate.labels.agreement import MIN_AGREEMENT, TARGET, Agreement, TurnAnswers, pair_agreement
from convgate.labels.gold import resolve_answers
from convgate.store.database import Store
from convgate.store.label_log import CurrentKey, Entry, check_annotator
from convgate.store.labels import Labels
from convgate.store.queues import NewItem, Queues

SIZE = 20
"""Turns of a week."""

MIN_DECIDED = 15
"""Turns of a week that both sides decided; a lead annotator may be unsure of the others."""

MIN_SETTLED = SIZE
"""Shared turns that have to be settled before labelling goes on."""

JUDGES = "judges"
"""The name of all other annotators and agents in an agreement."""

_PREFIX = "Calibration "  # of a queue's name, before its week

CalibrationState = Literal["few", "good", "warning", "paused"]

_READINGS: dict[CalibrationState, str] = {
    "few": f"Not enough data: no week is answered, with {MIN_DECIDED} turns or more that both sides decided.",
    "good": f"The newest week reaches {TARGET:.2f}.",
    "warning": f"The newest week is below {TARGET:.2f}. Discuss the differences with the annotators.",
    "paused": (
        f"Two weeks in a row are below {MIN_AGREEMENT:.2f}, so labelling pauses. Discuss the guideline, then"
        f" calibrate or adjudicate until {MIN_SETTLED} shared turns are settled or a week reaches"
        f" {TARGET:.2f}."
    ),
}


@dataclass(frozen=True, slots=True)
class CalibrationWeek:
    """The turns of one week, as the lead annotator and the judges answered them."""

    week: str  # ISO 8601, such as 2026-W47
    lead: str
    drawn: int  # turns in the queue
    answered: int  # of these, turns that the lead annotator answered, unsure included
    agreement: Agreement
    last: str = ""  # time of the lead annotator's last answer, UTC in ISO 8601

    @property
    def is_complete(self) -> bool:
        """Whether it counts: every turn is answered, and enough of them are decided."""
        return self.answered == self.drawn and self.agreement.shared >= MIN_DECIDED

    def to_json(self) -> dict[str, Any]:
        """Return the record that `convgate labels calibration` prints."""
        agreement = self.agreement
        return {
            "week": self.week,
            "lead": self.lead,
            "drawn": self.drawn,
            "answered": self.answered,
            "decided": agreement.shared,
            "agreed": agreement.agreed,
            "kappa": agreement.value,
            "interval": agreement.interval and list(agreement.interval),
        }


@dataclass(frozen=True, slots=True)
class Calibration:
    """The weeks so far, and what follows from them."""

    weeks: tuple[CalibrationWeek, ...]  # oldest first
    state: CalibrationState
    settled: int = 0  # shared turns that were settled since labelling pauses

    @property
    def summary(self) -> str:
        """Return what the state means, in a sentence or two."""
        settled = f" Settled so far: {self.settled}." if self.state == "paused" else ""
        return _READINGS[self.state] + settled

    @property
    def warnings(self) -> list[str]:
        """Return what to know before training on the labels."""
        return [f"Weekly calibration: {self.summary}"] if self.state in ("warning", "paused") else []


def draw_calibration(
    store: Store, lead: str, *, week: str | None = None, size: int = SIZE, seed: int = 0
) -> int | None:
    """Store a queue of random turns that others judged in a week, and return its number; None without any.

    week: ISO 8601; by default the one before this. A week that was drawn before gives the same queue. Turns
    that the lead annotator answered already are left out. Raises StoreError for a week or a name that is
    none, and for a size below 1.
    """
    check_annotator(lead)
    if size < 1:
        raise StoreError(f"a calibration has 1 turn or more; got {size}")
    week = week or week_of(datetime.now(UTC) - timedelta(days=7))
    check_week(week)
    queues = Queues(store)
    with store.write():
        for queue in queues.named(_PREFIX + week):
            if queue.made_by == lead:
                return queue.number
        judged = [
            place
            for place, entries in _answers(Labels(store).entries()).items()
            if all(entry.annotator != lead for entry in entries)
            and any(entry.at and week_of(datetime.fromisoformat(entry.at)) == week for entry in entries)
            and _resolve(entries) != "unsure"
        ]
        if not judged:
            return None
        digest = hashlib.sha256(f"{seed}\0{week}\0{lead}".encode()).digest()
        order = np.random.default_rng(int.from_bytes(digest)).permutation(len(judged))
        drawn = [judged[row] for row in order[:size]]
        items = [NewItem(current, turn, "audit", f"Calibration of {week}.") for current, turn in drawn]
        return queues.add(_PREFIX + week, items, by=lead, seed=seed)


def calibration(store: Store) -> Calibration:
    """Return the agreement of each drawn week, and the state."""
    queues, weeks = Queues(store), list[CalibrationWeek]()
    if not (drawn := queues.named(_PREFIX)):
        return Calibration((), "few")
    answers = _answers(Labels(store).entries(queues=_PREFIX))
    for queue in drawn:
        items, turns, n_answered, last = queues.items(queue.number), list[TurnAnswers](), 0, ""
        for item in items:
            entries = answers.get((item.current, item.turn), [])
            of_lead = [entry for entry in entries if entry.annotator == queue.made_by]
            n_answered += bool(of_lead)
            last = max([last, *(entry.at or "" for entry in of_lead)])
            lead = _resolve(of_lead)
            judges = _resolve([entry for entry in entries if entry.annotator != queue.made_by])
            if "unsure" not in (lead, judges):
                relevant = {queue.made_by: lead == "relevant", JUDGES: judges == "relevant"}
                turns.append(TurnAnswers(item.current, relevant))
        agreement = pair_agreement(queue.made_by, JUDGES, turns)
        week = queue.name.removeprefix(_PREFIX)
        weeks.append(CalibrationWeek(week, queue.made_by, len(items), n_answered, agreement, last))
    weeks.sort(key=lambda week: (week.week, week.lead))
    kappas: dict[str, tuple[float, str]] = {}  # by week; of several lead annotators the lowest
    for each in weeks:
        if each.is_complete and (kappa := each.agreement.value) is not None:
            kappas[each.week] = min((kappa, each.last), kappas.get(each.week, (kappa, each.last)))
    state, n_settled = assess(list(kappas.values()))
    if state == "paused":
        state, n_settled = assess(list(kappas.values()), Labels(store).settled())
    return Calibration(tuple(weeks), state, n_settled)


def assess(weeks: Sequence[tuple[float, str]], settled: Sequence[str] = ()) -> tuple[CalibrationState, int]:
    """Return the state after weeks, oldest first, and how many shared turns were settled since it pauses.

    weeks: kappa, and the time of the last answer. settled: the times at which shared turns were settled.

    A week below 0.70 warns. Two in a row below 0.60 pause, until a week reaches 0.70 or 20 turns are settled.

    >>> assess([(0.5, "1"), (0.8, "2"), (0.5, "3")]), assess([(0.5, "1"), (0.5, "2"), (0.65, "3")])
    (('warning', 0), ('paused', 0))
    >>> assess([(0.5, "1"), (0.5, "2")], ["1"] * 20 + ["3"] * 19)
    ('paused', 19)
    >>> assess([(0.5, "1"), (0.5, "2")], ["3"] * 20)
    ('warning', 0)
    """
    state: CalibrationState = "few"
    before, since = TARGET, ""
    for row, (kappa, at) in enumerate(weeks):
        if kappa >= TARGET:
            state = "good"
        elif state == "paused" or max(kappa, before) < MIN_AGREEMENT:
            since = since if state == "paused" else at
            state = "paused"
        else:
            state = "warning"
        before = kappa
        until = weeks[row + 1][1] if row + 1 < len(weeks) else "~"  # after every time
        n_settled = sum(since < time < until for time in settled)
        if state == "paused" and n_settled >= MIN_SETTLED:
            state, before = "warning", TARGET  # only two further weeks pause again
    return (state, n_settled) if state == "paused" else (state, 0)


def check_not_paused(store: Store) -> None:
    """Raise LabellingPausedError while labelling pauses."""
    if (result := calibration(store)).state == "paused":
        raise LabellingPausedError(result.summary)


def is_calibration(name: str) -> bool:
    """Return whether a queue of this name is a calibration, which is answered while labelling pauses."""
    return name.startswith(_PREFIX)


def week_of(time: date) -> str:
    """Return the ISO week of a time.

    >>> week_of(date(2026, 11, 23))
    '2026-W48'
    """
    year, week, _ = time.isocalendar()
    return f"{year}-W{week:02d}"


def check_week(week: str) -> str:
    """Return the week; StoreError unless it is one such as 2026-W48."""
    try:
        if week_of(date.fromisoformat(f"{week}-1")) == week:
            return week
    except ValueError:
        pass
    raise StoreError(f"a week is written as 2026-W48; got {week[:40]!r}")


def _answers(entries: Sequence[Entry]) -> dict[tuple[CurrentKey, int], list[Entry]]:
    """Return the current answers of annotators and agents, by message and turn."""
    answers: dict[tuple[CurrentKey, int], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.kind != "adjudication":
            answers[entry.current, entry.turn].append(entry)
    return answers


def _resolve(entries: Sequence[Entry]) -> str:
    """Return the answer of most of them, people before agents; unsure without any."""
    return next(iter(resolve_answers(entries).values()), "unsure")
