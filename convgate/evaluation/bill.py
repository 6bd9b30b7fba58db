"""What conversations would have cost under a provider's prompt cache, by what each policy sends."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, Protocol

from convgate.core.conversation import CHAT_ROLES, Conversation, CurrentMessage, History, Turn
from convgate.core.decisions import TurnDecisions
from convgate.costs.cache import PromptCache
from convgate.costs.prices import Price, Usage
from convgate.evaluation.bill_report import BillRow
from convgate.messages.tokens import TokenCounter, turn_tokens
from convgate.messages.units import is_from_user
from convgate.transcripts.cases import Case

PAUSES = (20.0, 60.0, 120.0, 240.0, 600.0, 1_800.0, 7_200.0)
"""Seconds between two requests where times are unknown, all equally likely: four are shorter than the life of
a 5-minute cache, one is longer than that of a one-hour cache."""


class SentSelection(Protocol):
    """What is read of a `Selection`."""

    @property
    def sent(self) -> Sequence[Turn]:
        """The messages as turns."""
        ...

    @property
    def places(self) -> Sequence[int | None]:
        """Of each of them its index; None for an added one."""
        ...

    @property
    def elided(self) -> Mapping[int, Any]:
        """By turn, its results that are sent as stubs."""
        ...

    @property
    def decisions(self) -> TurnDecisions:
        """One for every earlier turn."""
        ...


Select = Callable[[CurrentMessage, History, float], SentSelection]
"""Chooses what is sent for a message, given the turns before it, at a time in seconds."""


@dataclass(frozen=True, slots=True)
class TimedRequest:
    """A message to answer, and when."""

    current: CurrentMessage
    history: History
    at: float  # seconds; of the first request 0
    is_timed: bool  # whether the pause before it is that of the transcript
    needed: frozenset[int]  # 0-based turns that have to be sent; empty where nothing is labelled


@dataclass(frozen=True, slots=True)
class ConversationBill:
    """What one policy's requests of one conversation use."""

    usages: tuple[Usage, ...]  # of each request
    missed: tuple[float, ...]  # of each request that needs something, the share of the needed turns not sent

    def cost(self, price: Price) -> float:
        """Return what the input costs, in USD."""
        return sum(map(price.cost, self.usages))


def list_requests(
    conversation: Conversation,
    cases: Iterable[Case] = (),
    pauses: Sequence[float] = PAUSES,
    *,
    reads_times: bool = True,
) -> list[TimedRequest]:
    """Return a request for each message of the user and of a case, then one for each typed question.

    The pause before a message is that between the times of both where they are known and `reads_times`; else
    one of `pauses` in seconds, at random, the same in every run. Windows of cases are ignored. A typed
    question stands after the whole conversation, without the questions before it.
    """
    asked: dict[int, set[int]] = {
        index: set() for index, turn in enumerate(conversation.turns) if is_from_user(turn)
    }
    questions = []
    for case in cases:
        if case.query is not None:
            questions.append((case.query, case.must_have))
        elif case.turn is not None:
            asked.setdefault(case.turn, set()).update(case.must_have)
    messages = [(*conversation.at(index), frozenset(asked[index])) for index in sorted(asked)]
    messages += [(*conversation.with_question(query), needed) for query, needed in questions]
    rng = random.Random(conversation.id)
    moments = [None, *(current.turn.timestamp for current, _, _ in messages)]
    requests, at = list[TimedRequest](), 0.0
    for (before, now), (current, history, needed) in zip(pairwise(moments), messages, strict=True):
        assumed = rng.choice(pauses)
        pause = _seconds_between(before, now) if reads_times else None
        if requests:
            at += assumed if pause is None else pause
        requests.append(TimedRequest(current, history, at, pause is not None, needed))
    return requests


def bill_conversation(
    conversation: Conversation,
    requests: Sequence[TimedRequest],
    select: Select,
    price: Price,
    counter: TokenCounter | None = None,
) -> ConversationBill:
    """Return what the requests use when `select` chooses what is sent; the cache is empty at first.

    counter: tokens of a text; the word pieces of the bundled encoder by default.
    """
    cache = PromptCache(price)
    known = [
        (turn.said, tokens)
        for turn, tokens in zip(
            conversation.turns, turn_tokens(conversation.turns, counter).tolist(), strict=True
        )
    ]
    usages, missed = list[Usage](), list[float]()
    for request in requests:
        selection = select(request.current, request.history, request.at)
        pieces = [
            (turn.said, int(turn_tokens([turn], counter)[0]))
            if place is None or place in selection.elided
            else known[place]
            for turn, place in zip(selection.sent, selection.places, strict=True)
        ]
        usages.append(cache.request(request.at, pieces))
        if request.needed:
            dropped = request.needed - set(selection.decisions.kept_indices)
            missed.append(len(dropped) / len(request.needed))
    return ConversationBill(tuple(usages), tuple(missed))


def sum_bills(
    policy: str, bills: Sequence[ConversationBill], everything: Sequence[ConversationBill], price: Price
) -> BillRow:
    """Return the row of a policy. bills, everything: of the same conversations, in the same order."""
    costs, whole = ([bill.cost(price) for bill in each] for each in (bills, everything))
    usages = [usage for bill in bills for usage in bill.usages]
    tokens, cached = sum(usage.total for usage in usages), sum(usage.cached for usage in usages)
    missed = [share for bill in bills for share in bill.missed]
    costlier = sum(cost > other * (1 + 1e-9) for cost, other in zip(costs, whole, strict=True))
    return BillRow(
        policy=policy,
        cost=sum(costs),
        change=sum(costs) / sum(whole) - 1 if sum(whole) else None,
        cached_share=cached / tokens if tokens else None,
        tokens=tokens,
        cached=cached,
        written=sum(usage.written for usage in usages),
        missed=sum(missed) / len(missed) if missed else None,
        labelled=len(missed),
        costlier_share=costlier / len(bills) if bills else None,
    )


def count_answer_tokens(
    conversation: Conversation, requests: Sequence[TimedRequest], counter: TokenCounter | None = None
) -> int:
    """Return the tokens of what the model said since the first request, which every policy pays for."""
    places = [request.current.index for request in requests if request.current.index is not None]
    answers = conversation.turns[min(places, default=len(conversation)) :]
    said = [turn for turn in answers if turn.role == "assistant" or turn.role not in CHAT_ROLES]
    return int(turn_tokens(said, counter).sum()) if said else 0


def _seconds_between(before: datetime | None, now: datetime | None) -> float | None:
    """Return the seconds between two moments; None for unknown, incomparable and falling ones."""
    if before is None or now is None or (before.tzinfo is None) != (now.tzinfo is None):
        return None
    seconds = (now - before).total_seconds()
    return seconds if seconds >= 0 else None
