"""Conversations for training data; each text names its position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st

from convgate.core.conversation import Turn
from tools.pretraining.talks import Talk

THANKS = (Turn.of("user", "thanks"), Turn.of("assistant", "You are welcome."))


def make_conversation(
    id: str,
    exchanges: int = 8,
    *,
    domain: str | None = None,
    pair: str | None = None,
    returns: int = 0,
    leaning: Sequence[int] = (),
) -> Talk:
    """Questions of eight words each, but those of `leaning`, which have three."""
    turns = []
    for place in range(exchanges):
        more = "" if place in leaning else " that is asked in full"
        turns.append(Turn.of("user", f"{id} question {place}{more}"))
        turns.append(Turn.of("assistant", f"{id} answer {place}"))
    return Talk(id, tuple(turns), domain, pair, tuple(f"{id} return {place}" for place in range(returns)))


@st.composite
def conversations(draw: st.DrawFn, least: int = 4, exchanges: int = 3) -> list[Talk]:
    """Conversations of at least so many exchanges, some with thanks; the first two are a pair."""
    drawn = []
    for number in range(draw(st.integers(least, 8))):
        conversation = make_conversation(
            f"talk-{number}",
            draw(st.integers(exchanges, 12)),
            domain=draw(st.sampled_from([None, "home", "work"])),
            pair="the pair" if number < 2 else None,
            returns=draw(st.integers(0, 2)),
            leaning=draw(st.lists(st.integers(2, 11), max_size=4)) if exchanges > 3 else (),
        )
        if draw(st.booleans()):
            place = 2 * draw(st.integers(1, exchanges))
            conversation = replace(
                conversation, turns=(*conversation.turns[:place], *THANKS, *conversation.turns[place:])
            )
        drawn.append(conversation)
    return drawn


def source_places(turns: Sequence[Turn], conversation: Talk) -> list[int]:
    """Return the indices in the conversation of the turns that came from it, in the order of `turns`."""
    texts = [turn.text for turn in conversation.turns]
    return [texts.index(turn.text) for turn in turns if turn.metadata.get("source") == conversation.id]
