"""How well people agree about what is relevant, in numbers and in words, and what follows from it.

Kappa for two people, alpha for more. Turns of which somebody is unsure are counted apart, and in neither.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby, pairwise
from math import floor
from typing import Literal

import numpy as np

from convgate.labels import coefficients
from convgate.store.database import Store
from convgate.store.label_counts import LabelCounts, SharedCounts, TurnCounts

TARGET = 0.70
"""Kappa or alpha that labels should reach."""

TOO_LOW = 0.60
"""Below this, training is warned of; two weeks running below it, labelling pauses."""

ENOUGH = 20
"""Shared turns from which on agreement is told, and that are to be settled in a pause."""

_ENOUGH_CONVERSATIONS = 10  # for an interval over conversations; fewer, and it is over messages

Level = Literal["good", "fair", "low", "few", "undefined"]


@dataclass(frozen=True, slots=True)
class Agreement:
    """How well some people agree."""

    annotators: tuple[str, ...]  # by name
    coefficient: Literal["kappa", "alpha"]
    value: float | None  # at most 1; None when it is not defined
    interval: tuple[float, float] | None  # 95%
    over: Literal["conversations", "messages"]  # what was drawn again for it
    shared: int  # turns that at least two of them answered, none of both unsure
    agreed: int  # of these, turns with one answer by all
    unsure: int  # turns that two answered and of which one was unsure; 0 for alpha

    @property
    def level(self) -> Level:
        """The reading in a word."""
        if self.shared < ENOUGH:
            return "few"
        if self.value is None:
            return "undefined"
        return "good" if self.value >= TARGET else "fair" if self.value >= TOO_LOW else "low"

    @property
    def numbers(self) -> str:
        """Coefficient, interval and what they rest on."""
        value = "" if self.value is None else f"{self.coefficient} {_shown(self.value)}"
        if value and self.interval:
            value += f" (95% interval {self.interval[0]:.2f} to {self.interval[1]:.2f}, over {self.over})"
        shared = f"{self.shared:,} shared {'turn' if self.shared == 1 else 'turns'}"
        told = f"{value} on {shared}" if value else shared
        return f"{told}, {self.agreed:,} answered alike"

    @property
    def reading(self) -> str:
        """A sentence or two for the person who has to decide what to do."""
        who = listed(self.annotators)
        match self.level:
            case "few":
                first = f"{who} have too few shared turns to tell how well they agree"
                return f"{first}: {self.shared:,} of at least {ENOUGH}."
            case "undefined":
                return (
                    f"{who} gave one and the same answer to all {self.shared:,} shared turns, so"
                    f" {self.coefficient} is not defined: it takes turns of both kinds to tell agreement from"
                    " habit."
                )
            case "good":
                told = f"{who} agree well: {self.numbers}. The target is {TARGET:.2f}."
            case "fair":
                told = f"{who} agree fairly: {self.numbers}. That is below the target of {TARGET:.2f}."
            case "low":
                return (
                    f"{who} agree too little: {self.numbers}. Below {TOO_LOW:.2f} a gate would learn their"
                    " quarrel; settle the disagreements before training."
                )
        if self.interval is None or self.interval[0] < TOO_LOW:
            told += f" It may still be below {TOO_LOW:.2f}; more shared turns would tell."
        return told


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """Everything about agreement that a page shows."""

    pairs: tuple[Agreement, ...]  # every two people who share a turn, most shared turns first
    together: Agreement | None  # alpha of all, when more than two people share turns


@dataclass(frozen=True, slots=True)
class Week:
    """How two people agreed in one week."""

    monday: date  # UTC
    kappa: float
    shared: int  # turns


@dataclass(frozen=True, slots=True)
class Pause:
    """Two people agreed too little two weeks running, and settle turns before they go on."""

    annotators: tuple[str, str]
    weeks: tuple[Week, Week]
    since: datetime  # the end of the second week
    settled: int  # shared turns of theirs that were adjudicated since
    needed: int = ENOUGH  # fewer when they do not disagree on so many

    @property
    def reason(self) -> str:
        """A sentence or two for the person who wants to label."""
        weeks = ", then ".join(
            f"kappa {_shown(week.kappa)} on {week.shared:,} turns in the week of {week.monday}"
            for week in self.weeks
        )
        return (
            f"{listed(self.annotators)} agreed too little two weeks running: {weeks}; both are below"
            f" {TOO_LOW:.2f}. Settle {self.needed - self.settled} more of the turns that both answered"
            f" ({self.settled} of {self.needed} done), then go on."
        )


def agreement(store: Store, *, training: bool = False) -> AgreementReport:
    """How well people agree, over all labels that hold; training: over those that are trained on."""
    counts = LabelCounts(store)
    pairs = agreement_of_pairs(counts.shared(training=training))
    people = sorted({name for pair in pairs for name in pair.annotators})
    together = agreement_of_all(people, counts.together(training=training)) if len(people) > 2 else None
    return AgreementReport(tuple(pairs), together)


def agreement_of_pairs(shared: Sequence[SharedCounts]) -> list[Agreement]:
    """Kappa of every two people, those with the most shared turns first."""
    found = [_of_pair(names, rows) for names, rows in _by_pair(shared)]
    return sorted(found, key=lambda pair: (-pair.shared, pair.annotators))


def agreement_of_all(people: Sequence[str], counts: Sequence[TurnCounts]) -> Agreement:
    """Alpha of all people together."""
    sums = np.array([[row.relevant, row.not_relevant, row.conflict] for row in counts]).reshape(-1, 3)
    value = float(coefficients.alpha(sums.sum(axis=0)))
    over, clusters = _clusters(counts)
    return Agreement(
        tuple(people),
        "alpha",
        None if np.isnan(value) else value,
        coefficients.interval(sums, clusters, coefficients.alpha),
        over,
        shared=sum(row.turns for row in counts),
        agreed=sum(row.agreed for row in counts),
        unsure=0,
    )


def training_warnings(store: Store) -> list[str]:
    """What to know before training on these labels; nothing when people agree or only one labels."""
    report = agreement(store, training=True)
    told = [pair.reading for pair in report.pairs if pair.level == "low"]
    if report.together and report.together.level == "low":
        told.append(report.together.reading)
    counts = LabelCounts(store)
    if open_ := counts.disagreements(per_page=0, annotators=counts.trainers()).total:
        turns = "1 turn is" if open_ == 1 else f"{open_:,} turns are"
        told.append(
            f"{turns} called relevant by one person and not relevant by another, and not settled yet. Where"
            " no majority decides, such a turn is left out of training."
        )
    return told


def labelling_pause(store: Store, now: datetime) -> Pause | None:
    """Whether labelling pauses at `now`, and until when; None when it does not.

    Weeks begin on Monday in UTC, and only those that are over count. A pause begins when a week ends with
    kappa of two people below TOO_LOW on at least ENOUGH turns, and so did the week before; the newest such
    pause counts, until as many turns that both answered were settled since, or all on which they disagree.
    """
    counts = LabelCounts(store)
    pauses = []
    for names, rows in _by_pair(counts.shared()):
        if (weeks := _low_weeks(rows, now)) is None:
            continue
        since = datetime.combine(weeks[1].monday + timedelta(days=7), time(), UTC)
        settled = counts.settled_since(*names, since)
        left = counts.disagreements(per_page=0, annotators=names).total
        pauses.append(Pause(names, weeks, since, settled, min(ENOUGH, settled + left)))
    held = [pause for pause in pauses if pause.settled < pause.needed]
    return min(held, key=lambda pause: (pause.settled, pause.annotators), default=None)


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    >>> listed(["Ada", "Bo", "Cy"])
    'Ada, Bo and Cy'
    """
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def _shown(value: float) -> str:
    """Two digits, cut off: what is below a limit never reads as if it had reached it.

    >>> _shown(0.6999), _shown(0.58)
    ('0.69', '0.58')
    """
    return f"{floor(value * 100 + 1e-9) / 100:.2f}"


def _by_pair(shared: Sequence[SharedCounts]) -> list[tuple[tuple[str, str], list[SharedCounts]]]:
    ordered = sorted(shared, key=lambda row: (row.first, row.second))
    return [(names, list(rows)) for names, rows in groupby(ordered, lambda row: (row.first, row.second))]


def _of_pair(names: tuple[str, str], rows: Sequence[SharedCounts]) -> Agreement:
    cells = _cells(rows)
    total = cells.sum(axis=0)
    value = float(coefficients.kappa(total))
    over, clusters = _clusters(rows)
    return Agreement(
        names,
        "kappa",
        None if np.isnan(value) else value,
        coefficients.interval(cells, clusters, coefficients.kappa),
        over,
        shared=int(total.sum()),
        agreed=int(total[0] + total[3]),
        unsure=sum(row.unsure for row in rows),
    )


def _cells(rows: Sequence[SharedCounts]) -> coefficients.Sums:
    return np.array(
        [[row.both, row.only_first, row.only_second, row.neither] for row in rows], dtype=np.float64
    )


def _clusters(
    rows: Sequence[SharedCounts] | Sequence[TurnCounts],
) -> tuple[Literal["conversations", "messages"], coefficients.Clusters]:
    """Conversations when there are enough of them, as turns of one are no independent evidence."""
    conversations = np.array([row.conversation for row in rows], dtype=np.int64)
    if len(np.unique(conversations)) >= _ENOUGH_CONVERSATIONS:
        return "conversations", conversations
    return "messages", np.array([row.message for row in rows], dtype=np.int64)


def _low_weeks(rows: Sequence[SharedCounts], now: datetime) -> tuple[Week, Week] | None:
    """The newest two weeks running, both over, in which these two agreed too little."""
    weeks = []
    for monday, of_week in groupby(sorted(rows, key=lambda row: row.week), lambda row: row.week):
        total = _cells(list(of_week)).sum(axis=0)
        weeks.append(Week(monday, float(coefficients.kappa(total)), int(total.sum())))
    low = [
        week
        for week in weeks
        if week.shared >= ENOUGH
        and week.kappa < TOO_LOW
        and week.monday + timedelta(days=7) <= now.astimezone(UTC).date()
    ]
    running = [(one, two) for one, two in pairwise(low) if two.monday - one.monday == timedelta(days=7)]
    return running[-1] if running else None
