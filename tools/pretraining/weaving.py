"""Long transcripts out of many talks: woven freely, and with a question that was asked before.

In both, the relevant turns are known because each turn's metadata names the talk it is from as `source`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Literal

import numpy as np

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TrainingError
from convgate.transcripts.cases import Case, RelevanceSet
from tools.pretraining.talks import Exchange, Talk, draw_distinct, pick, same_source, stands_alone, usable

_CHANGES = (0.15, 0.35, 0.7)  # how likely the source changes after an exchange, drawn once a transcript
_SOURCES = (2, 4)  # fewest and most talks in one transcript
_MAX_MESSAGES, _MAX_CASES = 60, 6  # of one transcript
_FIRST_CASE = 4  # index of the first message that may be a case
_ATTEMPTS = 100  # to weave a transcript that is long enough for a case
_FIRST_DAY = datetime(2020, 1, 1)
_LAST_START = 5 * 365  # days after the first
_LONGEST_PAUSE = 14  # days between two sessions
_QUESTIONS = 4  # that are asked again of one history


def weave(
    talks: Iterable[Talk],
    *,
    count: int,
    seed: int,
    begin: Literal["anywhere", "first"] = "anywhere",
    name: str = "weave",
) -> RelevanceSet:
    """`count` transcripts, each of some talks exchange by exchange; relevant = earlier turns of one's talk.

    Half of the time all talks are of one domain, where talks have domains. begin: the exchange with which
    each talk is entered, any of it or its first one; a text that was said already is passed over. After each
    exchange the talk changes with a probability of .15, .35 or .7. Cases are at most six of the user's
    messages from the fifth message on, each tagged `new-topic`, `follow-up` (the message before is of the
    same talk) or `returns`. The first transcripts are the same for every count.

    Raises TrainingError when there are too few talks, or too short ones for a case, and when two have one id.
    """
    material = usable(talks)
    if len(material) < _SOURCES[0]:
        raise TrainingError(f"{_SOURCES[0]} talks or more are woven into one, but there are {len(material)}")
    near = _near(material)
    rng = np.random.default_rng(seed)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        turns, places = _woven(rng, material, near, begin)
        id = f"{name}-{number}"
        conversations[id] = Conversation(id, tuple(turns), format="relevance-set")
        chosen = sorted(draw_distinct(rng, places, _MAX_CASES))
        cases += [_case(id, turns, place) for place in chosen]
    return RelevanceSet(name, conversations, tuple(cases))


def ask_again(
    talks: Iterable[Talk], *, count: int, seed: int, turns: tuple[int, int], name: str
) -> RelevanceSet:
    """`count` very long histories, and later questions that a user asked in them already.

    A history is whole talks, in half of the histories one after the other, in the others two or three
    woven into a session; each turn has the time of its session, days after the one before. It ends with
    the exchange that reaches a length drawn from `turns`, or with the last talk.

    Each case's `query` is a user's message of seven words or more. Half of the time the message itself is
    left out of the history (which is shorter by as many turns); relevant = its answer, and the message
    where it is there. The tag is `asked-again`. The first histories are the same for every count.

    Raises TrainingError when the talks have fewer turns than the shortest history, or not as many such
    messages, and when two have one id.
    """
    material = usable(talks)
    rng = np.random.default_rng(seed)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        id = f"{name}-{number}"
        talk, asked = _asked_out_of(rng, _sessions(rng, material, turns))
        conversations[id] = Conversation(id, tuple(talk), format="relevance-set")
        cases += [
            Case(f"{id}-q{place}", id, None, query, relevant, tags=("asked-again",))
            for place, (query, relevant) in enumerate(asked)
        ]
    return RelevanceSet(name, conversations, tuple(cases))


class _Texts:
    """The texts of a transcript, for none is to come twice."""

    def __init__(self) -> None:
        self._texts: set[str] = set()

    def is_new(self, exchange: Exchange) -> bool:
        """Whether nothing of it was said before; then it counts as said."""
        texts = [text for turn in exchange if (text := turn.scored_text)]
        if len(set(texts)) < len(texts) or not self._texts.isdisjoint(texts):
            return False
        self._texts.update(texts)
        return True


def _alternating(rng: np.random.Generator, parts: Iterable[Sequence[Exchange]]) -> Iterator[Exchange]:
    """All exchanges of the parts, each part's in their order; one goes on for a while, then another."""
    change = pick(rng, _CHANGES)
    left = [list(reversed(part)) for part in parts]
    present = pick(rng, left)
    while left:
        yield present.pop()
        others = [part for part in left if part is not present]
        if not present:
            left = others
        if others and (not present or rng.random() < change):
            present = pick(rng, others)


def _near(talks: list[Talk]) -> list[list[Talk]]:
    """For each talk the talks of its domain, itself included, where they are enough."""
    domains: defaultdict[str, list[Talk]] = defaultdict(list)
    for talk in talks:
        if talk.domain is not None:
            domains[talk.domain].append(talk)
    return [members for members in domains.values() if len(members) >= _SOURCES[0] for _ in members]


def _woven(
    rng: np.random.Generator, talks: list[Talk], near: list[list[Talk]], begin: str
) -> tuple[list[Turn], list[int]]:
    """A transcript's turns, and the indices of those that may be cases."""
    for _ in range(_ATTEMPTS):
        pool = pick(rng, near) if near and rng.random() < 0.5 else talks
        chosen = draw_distinct(rng, pool, int(rng.integers(_SOURCES[0], _SOURCES[1] + 1)))
        known, turns, places = _Texts(), list[Turn](), list[int]()
        parts = [talk.exchanges if begin == "first" else _from_anywhere(rng, talk) for talk in chosen]
        for exchange in _alternating(rng, parts):
            if len(turns) + len(exchange) > _MAX_MESSAGES:
                break
            if known.is_new(exchange):
                if len(turns) >= _FIRST_CASE:
                    places.append(len(turns))
                turns += exchange
        if places:
            return turns, places
    raise TrainingError("the talks are too short: a woven transcript needs a user's message after the fourth")


def _from_anywhere(rng: np.random.Generator, talk: Talk) -> Sequence[Exchange]:
    """The talk from one of its exchanges on, from its last but one at the latest."""
    return talk.exchanges[int(rng.integers(max(1, len(talk.exchanges) - 1))) :]


def _case(id: str, turns: Sequence[Turn], place: int) -> Case:
    relevant = same_source(turns[:place], turns[place])
    tag = "new-topic" if not relevant else "follow-up" if place - 1 in relevant else "returns"
    return Case(f"{id}-{place}", id, place, None, relevant, tags=(tag,))


def _sessions(rng: np.random.Generator, talks: list[Talk], length: tuple[int, int]) -> list[Exchange]:
    """The exchanges of a history of whole talks, with times."""
    wanted = int(rng.integers(length[0], length[1] + 1))
    is_woven = rng.random() < 0.5
    time = _FIRST_DAY + timedelta(days=int(rng.integers(_LAST_START)))
    waiting = draw_distinct(rng, talks, len(talks))
    known, history, reached = _Texts(), list[Exchange](), 0
    while waiting:
        size = int(rng.integers(2, 4)) if is_woven else 1
        session, waiting = waiting[:size], waiting[size:]
        time += timedelta(days=int(rng.integers(1, _LONGEST_PAUSE + 1)))
        moment = time + timedelta(minutes=int(rng.integers(7 * 60, 23 * 60)))
        for exchange in _alternating(rng, [talk.exchanges for talk in session]):
            if known.is_new(exchange):
                history.append(tuple(replace(turn, timestamp=moment) for turn in exchange))
                reached += len(exchange)
            if reached >= wanted:
                return history
    if reached < length[0]:
        raise TrainingError(
            f"a history has {length[0]} turns or more, but all talks together have {reached} different ones"
        )
    return history


def _asked_out_of(
    rng: np.random.Generator, history: list[Exchange]
) -> tuple[list[Turn], list[tuple[Turn, frozenset[int]]]]:
    """The history's turns but for questions that are left out; questions, with their relevant turns."""
    able = [place for place, exchange in enumerate(history) if stands_alone(exchange[0])]
    if len(able) < _QUESTIONS:
        raise TrainingError(
            f"{_QUESTIONS} questions of seven words or more are asked again, but there are {len(able)}"
        )
    chosen = set(draw_distinct(rng, able, _QUESTIONS))
    turns: list[Turn] = []
    asked: list[tuple[Turn, frozenset[int]]] = []
    for place, exchange in enumerate(history):
        first = len(turns)
        if place in chosen:
            turns += exchange[1:] if rng.random() < 0.5 else exchange
            asked.append((Turn.of("user", exchange[0].text), frozenset(range(first, len(turns)))))
        else:
            turns += exchange
    return turns, asked
