"""Elide: tool results of what is sent become stubs, and the decisions say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeVar

from convgate.core.conversation import Turn
from convgate.core.decisions import TurnDecisions, Why
from convgate.core.text import pluralize
from convgate.elision.elide import Elision
from convgate.selection.added import Message
from convgate.selection.memory import message_number
from convgate.selection.selection import Budgeted, PlacedTurn, Section
from convgate.selection.sending import SentMessages
from convgate.transcripts import dialect_of, turns_from_messages
from convgate.transcripts.dialects.base import Dialect

W = TypeVar("W", bound=Why)

Elisions = Mapping[int, tuple[Elision, ...]]
"""Elided results by their turns."""


def shorten_message(
    message: Message, elisions: Sequence[Elision], dialect: Dialect | None = None
) -> tuple[Message, tuple[Elision, ...]]:
    """Return a copy of a message with stubs, and the elisions that its API has a place for.

    dialect: the likely one, which is tried first.
    """
    made = list[Elision]()
    for elision in elisions:
        for each in (dialect, None):
            changed = (each or dialect_of([message])).replace_result(message, elision.call_id, elision.stub)
            if changed is not None:
                message = changed
                made.append(elision)
                break
    return message, tuple(made)


class ShortenedTurn(NamedTuple):
    """A turn as it was last shortened."""

    turn: Turn
    message: Message
    elisions: Sequence[Elision]
    made: tuple[Elision, ...]  # of these; where there are none, the others are those of `turn`
    short_turn: Turn
    short_message: Message
    number: int  # of its text


@dataclass(frozen=True, slots=True)
class ShortenedTurns:
    """The turns of a conversation, and of its branches, that were shortened last, by their places."""

    by_place: dict[int, ShortenedTurn] = field(default_factory=dict)

    def first(self, n: int) -> ShortenedTurns:
        """Return the same: each is compared before it is used again."""
        return self


def shorten(
    sent: SentMessages, elisions: Elisions, dialect: Dialect, known: dict[int, ShortenedTurn]
) -> tuple[SentMessages, dict[int, tuple[Elision, ...]]]:
    """Return what is sent with stubs, and the elisions that were made.

    known: by place, what was shortened last, which is used again.
    """
    messages, turns, tokens = [*sent.messages], [*sent.turns], [*sent.tokens]
    all_made: dict[int, tuple[Elision, ...]] = {}
    shortened: dict[int, int] = {}
    for row, place in enumerate(sent.places):
        if place is None or place not in elisions:
            continue
        turn, message, wanted = turns[row], messages[row], elisions[place]
        last = known.get(place)
        if last is None or last.turn is not turn or last.elisions != wanted or last.message != message:
            last = known[place] = _shorten_turn(turn, message, wanted, dialect)
        if not last.made:
            continue
        messages[row], turns[row], all_made[place] = _copy(last.short_message), last.short_turn, last.made
        tokens[row] -= sum(elision.saved for elision in last.made)
        shortened[place] = last.number
    if not all_made:
        return sent, all_made
    return replace(sent, messages=messages, turns=turns, tokens=tokens, shortened=shortened), all_made


def _shorten_turn(
    turn: Turn, message: Message, elisions: Sequence[Elision], dialect: Dialect
) -> ShortenedTurn:
    short, made = shorten_message(message, elisions, dialect)
    if not made:
        return ShortenedTurn(turn, message, elisions, made, turn, message, 0)
    source = short if message == turn.source else None
    short_turn = replace(turn, parts=turns_from_messages([short])[0].parts, source=source)
    return ShortenedTurn(turn, message, elisions, made, short_turn, short, message_number(short_turn.text))


def _copy(value: Any) -> Any:
    """Return a copy of JSON values, as callers may change what they send; faster than `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: _copy(each) for key, each in value.items()}
    return [_copy(each) for each in value] if isinstance(value, list) else value


def explain_elisions(decisions: TurnDecisions, elisions: Elisions) -> TurnDecisions:
    """Return the decisions with what was elided of kept turns behind the reasons why they are kept."""
    if not elisions:
        return decisions

    def explain(index: int) -> Why:
        why = decisions.why(index)
        return _explain(why, elisions[index]) if index in elisions else why

    overrides = {
        index: _explain(override, elisions[index]) if index in elisions else override
        for index, override in decisions.overrides.items()
    }
    return replace(decisions, overrides=overrides, explain=explain)


def _explain(why: W, elisions: Sequence[Elision]) -> W:
    n_shown, n_lines = (sum(getattr(each, name) for each in elisions) for name in ("n_shown", "n_lines"))
    return replace(
        why,
        how=f"{why.how}, shortened to {n_shown:,} of {pluralize(n_lines, 'line')}",
        explanation=" ".join([why.explanation, *dict.fromkeys(each.reason for each in elisions)]),
    )


def shorten_sections(budgeted: Budgeted, elisions: Elisions) -> Budgeted:
    """Return the sections of a budget with the tokens of stubs."""
    saved = {index: sum(each.saved for each in own) for index, own in elisions.items()}
    return replace(
        budgeted, sections=tuple(_shorten_section(section, saved) for section in budgeted.sections)
    )


def _shorten_section(section: Section, saved: Mapping[int, int]) -> Section:
    def spent(turn: PlacedTurn) -> int:
        return turn.tokens - (0 if turn.index is None else saved.get(turn.index, 0))

    turns = [replace(turn, tokens=spent(turn)) for turn in section.turns]
    change = sum(turn.tokens for turn in turns) - sum(turn.tokens for turn in section.turns)
    return replace(section, tokens=section.tokens + change, place=lambda: turns)
