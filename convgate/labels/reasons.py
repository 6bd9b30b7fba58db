"""Why a turn is worth asking about: one sentence for each kind of reason, with the numbers behind it."""

from __future__ import annotations

from dataclasses import dataclass

NEAR = 0.15
"""Scores at most this far from the threshold are near it."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a version or a policy, called `name`, decided about a turn."""

    name: str
    kept: bool
    score: float | None = None  # on its own scale
    threshold: float | None = None


def near_threshold(score: float, threshold: float) -> str:
    """For a score close to the threshold.

    >>> near_threshold(0.312, 0.28)
    'Its score 0.31 is 0.03 above the threshold 0.28.'
    """
    shown = round(score, 2) - round(threshold, 2)
    distance = f"{abs(shown):.2f}" if abs(shown) > 0.005 else "less than 0.01"
    side = "above" if score >= threshold else "below"
    return f"Its score {score:.2f} is {distance} {side} the threshold {threshold:.2f}."


def disagree(one: Verdict, other: Verdict) -> str:
    """For a turn that one keeps and the other drops.

    >>> disagree(Verdict("2026-11-22-1", False, 0.31, 0.4), Verdict("shipped", True, 0.62, 0.5))
    'shipped keeps it (score 0.62, threshold 0.50), 2026-11-22-1 drops it (score 0.31, threshold 0.40).'
    """
    keeps, drops = (one, other) if one.kept else (other, one)
    return f"{keeps.name} keeps it{_numbers(keeps)}, {drops.name} drops it{_numbers(drops)}."


def annotators_disagree(people: int) -> str:
    """For a turn that so many people answered, not alike; who said what would sway the next answer.

    >>> annotators_disagree(3)
    '3 people answered it, and they do not agree.'
    """
    return f"{people:,} people answered it, and they do not agree."


def high_score(score: float, rank: int) -> str:
    """For a turn that scores among the highest; rank from 1.

    >>> high_score(0.91, 1), high_score(0.9, 3)
    ('Its score 0.91 is the highest.', 'Its score 0.90 is the 3rd highest.')
    """
    if rank == 1:
        return f"Its score {score:.2f} is the highest."
    ending = "th" if rank % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(rank % 10, "th")
    return f"Its score {score:.2f} is the {rank}{ending} highest."


def audit(turns: int, messages: int = 1) -> str:
    """For a turn drawn by lot from so many earlier turns of so many messages.

    >>> audit(1200, 41), audit(7)
    ('Drawn by lot from 1,200 earlier turns of 41 messages.', 'Drawn by lot from 7 earlier turns.')
    """
    return f"Drawn by lot from {_of(turns, messages)}."


def start(turns: int, messages: int) -> str:
    """For a turn of the first sample, drawn by lot from so many."""
    return f"Drawn by lot from {_of(turns, messages)}, because nothing is labelled yet."


def _of(turns: int, messages: int) -> str:
    counted = f"{turns:,} earlier {'turn' if turns == 1 else 'turns'}"
    return counted if messages == 1 else f"{counted} of {messages:,} messages"


def _numbers(verdict: Verdict) -> str:
    if verdict.score is None:
        return ""
    if verdict.threshold is None:
        return f" (score {verdict.score:.2f})"
    return f" (score {verdict.score:.2f}, threshold {verdict.threshold:.2f})"
