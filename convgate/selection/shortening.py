"""Elide: tool results of what is sent become stubs, and the decisions say so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from convgate.core.decisions import TurnDecisions, Why
from convgate.core.text import pluralize
from convgate.elision.elide import Elision
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.selection.added import Message
from convgate.selection.memory import message_number
from convgate.selection.selection import Budgeted, PlacedTurn, Section
from convgate.selection.sending import SentMessages
from convgate.transcripts import dialect_of, turns_from_messages

W = TypeVar("W", bound=Why)

Elisions = Mapping[int, tuple[Elision, ...]]
"""Elided results by their turns."""


def shorten_message(message: Message, elisions: Sequence[Elision]) -> tuple[Message, tuple[Elision, ...]]:
    """Return a copy of a message with stubs, and the elisions that its API has a place for."""
    dialect, done = dialect_of([message]), list[Elision]()
    for elision in elisions:
        if (changed := dialect.replace_result(message, elision.call_id, elision.stub)) is not None:
            message = changed
            done.append(elision)
    return message, tuple(done)


def shorten(
    sent: SentMessages, elisions: Elisions, counter: TokenCounter | None
) -> tuple[SentMessages, dict[int, tuple[Elision, ...]]]:
    """Return what is sent with stubs, and the elisions that were made."""
    messages, turns, tokens = [*sent.messages], [*sent.turns], [*sent.tokens]
    made: dict[int, tuple[Elision, ...]] = {}
    for row, place in enumerate(sent.places):
        if place is None or place not in elisions:
            continue
        message, done = shorten_message(messages[row], elisions[place])
        if done:
            source = message if messages[row] == turns[row].source else None
            turns[row] = replace(turns[row], parts=turns_from_messages([message])[0].parts, source=source)
            messages[row], made[place] = message, done
            tokens[row] = int(turn_tokens(turns[row : row + 1], counter)[0])
    if not made:
        return sent, made
    texts = {place: turn.text for place, turn in zip(sent.places, turns, strict=True) if place in made}
    shortened = {place: message_number(text) for place, text in texts.items() if place is not None}
    return replace(sent, messages=messages, turns=turns, tokens=tokens, shortened=shortened), made


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
    saved = {
        index: sum(each.tokens_before - each.tokens_after for each in own) for index, own in elisions.items()
    }
    return replace(
        budgeted, sections=tuple(_shorten_section(section, saved) for section in budgeted.sections)
    )


def _shorten_section(section: Section, saved: Mapping[int, int]) -> Section:
    def spent(turn: PlacedTurn) -> int:
        return turn.tokens - (0 if turn.index is None else saved.get(turn.index, 0))

    turns = [replace(turn, tokens=spent(turn)) for turn in section.turns]
    change = sum(turn.tokens for turn in turns) - sum(turn.tokens for turn in section.turns)
    return replace(section, tokens=section.tokens + change, place=lambda: turns)
