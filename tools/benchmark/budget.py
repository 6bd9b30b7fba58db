"""What a budget costs besides scoring: mode, invariants and packing, against the gate's own time."""

from __future__ import annotations

import itertools
import time
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any, ClassVar

from convgate.core.conversation import Conversation, CurrentMessage, History, Turn
from convgate.core.conversation_cache import ConversationCache
from convgate.core.decisions import TurnDecisions
from convgate.core.home import app_root
from convgate.invariants.finding import InvariantReader
from convgate.invariants.judge import load_judge
from convgate.modes.conversation import ModeReader
from convgate.policies.base import Policy
from convgate.selection.around import Remember
from convgate.selection.selector import Selector
from convgate.transcripts import read_conversations, turns_from_messages
from tools.benchmark.speed import Compared, compare

_BUDGET = 53_000  # tokens


@dataclass(frozen=True, slots=True)
class BudgetSpeed:
    """Times on one long conversation whose vectors are all cached."""

    turns: int
    warm: (
        Compared  # the gate scores for a message, against everything else that selecting within a budget does
    )
    grown: Compared  # the same, each time for a conversation that got an answer and a message more
    first_gate_ms: float  # the gate alone, when it sees the conversation for the first time
    first_rest_ms: float  # everything else, when the selector does

    def to_json(self) -> dict[str, Any]:
        """The figures as plain JSON values, with what they should reach."""
        return {
            **asdict(self),
            "times_scoring": 1 / self.warm.ratio,
            "times_scoring_median": 1 / self.warm.median_ratio,
            "times_scoring_grown": 1 / self.grown.ratio,
            "times_scoring_grown_median": 1 / self.grown.median_ratio,
            "goal_below": 3.0,
        }


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
    first = _seconds(policy, talks[n])
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
    start = time.perf_counter()
    scored.select_at(talks[n])
    rest = time.perf_counter() - start
    warm = compare(
        lambda: policy.decide(*talks[n].at(n)), lambda: scored.select_at(talks[n]), rounds=rounds, warm_up=2
    )
    growing, building = itertools.cycle(stops), itertools.cycle(stops)

    def decide() -> TurnDecisions:
        stop = next(growing)
        return policy.decide(*talks[stop].at(stop))

    grown = compare(decide, lambda: scored.select_at(talks[next(building)]), rounds=rounds, warm_up=2)
    return BudgetSpeed(n, warm, grown, 1e3 * first, 1e3 * rest)


def _seconds(policy: Policy, talk: Conversation) -> float:
    start = time.perf_counter()
    policy.decide(*talk.at(len(talk) - 1))
    return time.perf_counter() - start


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
