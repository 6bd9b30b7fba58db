"""What a budget costs besides scoring: mode, invariants and packing, against the gate's own time."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from functools import cache
from typing import ClassVar

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.home import app_root
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import load_judge
from convgate.modes.conversation import ModeReader
from convgate.selection.around import Remember
from convgate.selection.selector import Selector
from convgate.transcripts import read_conversations, turns_from_messages
from tools.benchmark.speed import Compared, compare

_BUDGET = 53_000  # tokens


@dataclass(frozen=True, slots=True)
class BudgetSpeed:
    """Times on one long conversation whose vectors are all cached."""

    turns: int
    warm: Compared  # the gate's scores for a message, against the rest of selecting within a budget
    grown: Compared  # the same, each time for a conversation that got an answer and a message more


@dataclass(frozen=True)
class _Scored:
    """A policy that takes no time: it gives the decisions that another made before."""

    name: ClassVar[str] = "scored"
    label: ClassVar[str] = ""
    ranks: ClassVar[bool] = True
    known: dict[int, TurnDecisions]  # by the number of earlier turns

    def decide(self, current: CurrentMessage, history: History) -> TurnDecisions:
        """The decisions that are known."""
        return self.known[len(history)]


def measure_budget(selector: Selector, *, n: int = 1_000, rounds: int = 15) -> BudgetSpeed:
    """Time the selector's gate and the rest of it on n turns out of the sample conversations."""
    policy, turns = selector.policy, sample_turns(n + 2 * rounds + 5)
    stops = list(range(n, len(turns), 2))  # a user's turn each, as n is even
    selector.encode(turns, with_modes=True)  # neither side encodes in a round
    talks = {stop: Conversation("bench", tuple(turns[: stop + 1])) for stop in stops}
    known = {stop: policy.decide(*talk.at(stop)) for stop, talk in talks.items()}
    scored = replace(
        selector,
        policy=_Scored(known),
        around=[Remember()],
        tables=ConversationCache(),
        holds=cache(lambda: InvariantReader(load_judge(selector.settings))),
        fit=cache(lambda: replace(selector.fit(), modes=ModeReader(), marks=ConversationCache())),
        settings=selector.settings.updated(budget={"tokens": _BUDGET}),
    )
    warm = compare(
        lambda: policy.decide(*talks[n].at(n)), lambda: scored.select_at(talks[n]), rounds=rounds, warm_up=2
    )
    growing, building = itertools.cycle(stops), itertools.cycle(stops)

    def decide() -> TurnDecisions:
        stop = next(growing)
        return policy.decide(*talks[stop].at(stop))

    grown = compare(decide, lambda: scored.select_at(talks[next(building)]), rounds=rounds, warm_up=2)
    return BudgetSpeed(n, warm, grown)


def sample_turns(n: int) -> list[Turn]:
    """n turns of the sample conversations without tools and instructions, users and assistants in turn.

    When there are no more, they come again, each with a number that tells it apart.
    """
    folder = app_root() / "sample_conversations"
    files = sorted({*folder.iterdir()} - {*folder.glob("*.relevance.*"), folder / "README.md"})
    texts_by_role: dict[str, list[str]] = {"user": [], "assistant": []}
    for file in files:
        for talk in read_conversations(file):
            for turn in talk.turns:
                if turn.role in texts_by_role and turn.text.strip() and not turn.tool_calls:
                    texts_by_role[turn.role].append(turn.text)
    roles = [(role, texts_by_role[role]) for role in ("user", "assistant")]
    messages = []
    for place in range(n):
        role, texts = roles[place % 2]
        times, at = divmod(place // 2, len(texts))
        text = texts[at] if not times else f"{texts[at]} ({times + 1})"
        messages.append({"role": role, "content": text})
    return list(turns_from_messages(messages))
