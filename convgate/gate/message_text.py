"""How the text of a current message is built: a named setting, stored with a gate's weights."""

from __future__ import annotations

from collections.abc import Callable

from convgate.core.conversation import CurrentMessage, History

_LEANING_WORDS = 6  # messages up to this length often lean on what came before ("again?", "why?")


def message_text(rule: str, current: CurrentMessage, history: History) -> str:
    """The text that is embedded for a current message, by the rule of that name in TEXT_RULES."""
    return TEXT_RULES[rule](current, history)


def _current(current: CurrentMessage, history: History) -> str:
    return current.turn.scored_text


def _leaning(current: CurrentMessage, history: History) -> str:
    text = current.turn.scored_text
    if current.index is None or len(text.split()) > _LEANING_WORDS:
        return text
    return "\n".join([*(turn.scored_text for turn in history.turns[-2:]), text])


TEXT_RULES: dict[str, Callable[[CurrentMessage, History], str]] = {
    "current": _current,  # the current message alone
    "leaning": _leaning,  # a short message of the conversation with the two turns before it
}
