"""How the text of a situation is built: a named setting, stored with a gate's weights."""

from __future__ import annotations

from collections.abc import Callable

from convgate.core.conversation import History, Situation

_LEANING_WORDS = 6  # messages up to this length often lean on what came before ("again?", "why?")


def situation_text(rule: str, situation: Situation, history: History) -> str:
    """The text that is embedded for a situation, by the rule of that name in SITUATIONS."""
    return SITUATIONS[rule](situation, history)


def _current(situation: Situation, history: History) -> str:
    return situation.turn.scored_text


def _leaning(situation: Situation, history: History) -> str:
    text = situation.turn.scored_text
    if situation.index is None or len(text.split()) > _LEANING_WORDS:
        return text
    return "\n".join([*(turn.scored_text for turn in history.turns[-2:]), text])


SITUATIONS: dict[str, Callable[[Situation, History], str]] = {
    "current": _current,  # the current message alone
    "leaning": _leaning,  # a short message of the conversation with the two turns before it
}
