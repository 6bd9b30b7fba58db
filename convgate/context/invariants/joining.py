"""Statements that say one thing together: that it was wrong, and how it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from convgate.context.invariants.statement import Statement


def joined(made: Sequence[Statement]) -> list[Statement]:
    """A correction that only says that something is wrong, with the statement that says how it is."""
    parts: list[Statement] = []
    for one in made:
        before = parts[-1] if parts else None
        goes_on = not (one.lifts or one.error) and bool(one.about.values)
        if before and goes_on and (_is_bare(before) or (_only_admits(before) and _only_tells(one))):
            parts[-1] = replace(
                one,
                start=before.start,
                corrects=True,
                old=before.old | one.old,
                repeats=before.repeats or one.repeats,
            )
        else:
            parts.append(one)
    return parts


def _is_bare(one: Statement) -> bool:
    said = one.about
    return bool(
        one.corrects
        and not (one.obliges or one.fact or one.lifts or one.error)
        and len(said.stems) <= 2
        and not said.numbers
        and not said.named
    )


def _only_admits(one: Statement) -> bool:
    """Whether it tells of a slip without saying how it is."""
    return one.admits and not (one.obliges or one.fact or one.error or one.about.numbers or one.about.named)


def _only_tells(one: Statement) -> bool:
    valued = one.about.numbers or one.about.named or one.names or one.points
    return bool(one.plain and valued) and not (one.obliges or one.fact or one.corrects)
