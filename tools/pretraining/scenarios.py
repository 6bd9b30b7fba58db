"""Scenarios: short conversations whose relevant turns are known, because of how they were put together.

| kind | history | current message | relevant |
|---|---|---|---|
| `followup` | one talk | what its user says next | all |
| `new_task` | one to three talks | the opening of another | nothing |
| `reference_old` | a talk, then one to three others | comes back to the first | the first |
| `mixed` | two or three talks in turns | goes on with one of them | that one |
| `subtopic_switch` | up to two talks, then one near to the new | the opening of the new | nothing |
| `nothing_relevant` | one to three talks | a question that has to do with none | nothing |

Talks are taken from anywhere in them, and up to six exchanges of each. What comes back to a talk is one
of its `returns`, or the next thing that its user said when that can be understood by itself.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from types import MappingProxyType

import numpy as np

from convgate.core.conversation import Conversation, Turn
from convgate.core.errors import TrainingError
from convgate.transcripts.cases import Case, RelevanceSet
from tools.pretraining.talks import Exchange, Talk, draw_distinct, pick, same_source, stands_alone, usable

WEIGHTS: Mapping[str, float] = MappingProxyType(
    {
        "followup": 3,
        "new_task": 2,
        "reference_old": 2,
        "mixed": 1,
        "subtopic_switch": 1,
        "nothing_relevant": 2,
    }
)
"""How often each kind comes, as shares of their sum."""

_MOST_EXCHANGES = 6  # of one talk
_RETURN_SHARE = 2 / 3  # of what comes back to a talk that has `returns`; the rest is its own next question
_ATTEMPTS = 200  # to put together a conversation that says nothing twice

_Part = Sequence[Exchange]  # of one talk
_Scene = tuple[list[Exchange], Turn]  # history and current message
_Draw = Callable[[np.random.Generator], _Scene]


def scenarios(
    talks: Iterable[Talk],
    unrelated: Sequence[str],
    *,
    count: int,
    seed: int,
    weights: Mapping[str, float] = WEIGHTS,
    name: str = "scenarios",
) -> RelevanceSet:
    """`count` conversations with one case each, whose current message is the last turn.

    unrelated: questions for `nothing_relevant`. weights: how often each kind comes; a kind that is left
    out never does. Ids are `{name}-{kind}-{number}`; the kind is the case's tag. No text comes twice in a
    conversation, and each turn's metadata names the talk it is from as `source`. The first conversations
    are the same for every count.

    Raises TrainingError when two talks have one id, or when they are too few or too much alike.
    """
    kinds = list(weights)
    material = usable(talks)
    draws = [_KINDS[kind](material, unrelated) for kind in kinds]
    bounds = list(accumulate(weights[kind] for kind in kinds))
    rng = np.random.default_rng(seed)
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for number in range(count):
        place = bisect(bounds, rng.random() * bounds[-1])
        id = f"{name}-{kinds[place]}-{number}"
        history, current = _without_repeats(draws[place], rng, kinds[place])
        conversations[id] = Conversation(id, (*history, current), format="relevance-set")
        relevant = same_source(history, current)
        cases.append(Case(f"{id}-{len(history)}", id, len(history), None, relevant, tags=(kinds[place],)))
    return RelevanceSet(name, conversations, tuple(cases))


def _without_repeats(draw: _Draw, rng: np.random.Generator, kind: str) -> tuple[list[Turn], Turn]:
    for _ in range(_ATTEMPTS):
        exchanges, current = draw(rng)
        history = [turn for exchange in exchanges for turn in exchange]
        texts = [text for turn in (*history, current) if (text := turn.scored_text)]
        if len(set(texts)) == len(texts):
            return history, current
    raise TrainingError(f"{kind}: the talks repeat each other, and each text may come once in a conversation")


def _followup(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    long = [talk for talk in talks if len(talk.exchanges) > 1]

    def draw(rng: np.random.Generator) -> _Scene:
        exchanges = pick(rng, long).exchanges
        start, stop = _span(rng, len(exchanges) - 1)
        return list(exchanges[start:stop]), exchanges[stop][0]

    return draw


def _new_task(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    def draw(rng: np.random.Generator) -> _Scene:
        task = pick(rng, talks)
        return _in_a_row(_others(rng, talks, [task], 1, 3)), task.exchanges[0][0]

    return draw


def _reference_old(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    old = [talk for talk in talks if _can_come_back(talk, 1)]

    def draw(rng: np.random.Generator) -> _Scene:
        talk = pick(rng, old)
        part, current = _coming_back(rng, talk, 1)
        return _in_a_row([part, *_others(rng, talks, [talk], 1, 3)]), current

    return draw


def _mixed(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    parted = [talk for talk in talks if _can_come_back(talk, 2)]

    def draw(rng: np.random.Generator) -> _Scene:
        talk = pick(rng, parted)
        part, current = _coming_back(rng, talk, 2)
        return _in_turns(rng, [part, *_others(rng, talks, [talk], 1, 2)]), current

    return draw


def _subtopic_switch(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    near = _near(talks)
    new = [talk for talk in talks if talk.id in near]

    def draw(rng: np.random.Generator) -> _Scene:
        talk = pick(rng, new)
        last = next(other for other in draw_distinct(rng, near[talk.id], 2) if other is not talk)
        before = _others(rng, talks, [talk, last], 0, 2)
        return _in_a_row([*before, _part(rng, last)]), talk.exchanges[0][0]

    return draw


def _nothing_relevant(talks: list[Talk], unrelated: Sequence[str]) -> _Draw:
    def draw(rng: np.random.Generator) -> _Scene:
        return _in_a_row(_others(rng, talks, [], 1, 3)), Turn.of("user", pick(rng, unrelated))

    return draw


_KINDS: dict[str, Callable[[list[Talk], Sequence[str]], _Draw]] = {
    "followup": _followup,
    "new_task": _new_task,
    "reference_old": _reference_old,
    "mixed": _mixed,
    "subtopic_switch": _subtopic_switch,
    "nothing_relevant": _nothing_relevant,
}


def _span(rng: np.random.Generator, length: int, least: int = 1) -> tuple[int, int]:
    """Where to begin and end in so many exchanges, to have at least `least` of them."""
    size = int(rng.integers(least, min(length, _MOST_EXCHANGES) + 1))
    start = int(rng.integers(0, length - size + 1))
    return start, start + size


def _part(rng: np.random.Generator, talk: Talk) -> _Part:
    start, stop = _span(rng, len(talk.exchanges))
    return talk.exchanges[start:stop]


def _others(
    rng: np.random.Generator, talks: list[Talk], but: list[Talk], least: int, most: int
) -> list[_Part]:
    """A part of each of `least` to `most` other talks; fewer when there are not as many."""
    count = int(rng.integers(least, most + 1))
    drawn = draw_distinct(rng, talks, count + len(but))
    return [_part(rng, talk) for talk in drawn if talk not in but][:count]


def _near(talks: list[Talk]) -> dict[str, list[Talk]]:
    """By its id, a talk and its pair, or else the talks of its domain; without those that have neither."""
    pairs: defaultdict[str, list[Talk]] = defaultdict(list)
    domains: defaultdict[str, list[Talk]] = defaultdict(list)
    for talk in talks:
        if talk.pair is not None:
            pairs[talk.pair].append(talk)
        if talk.domain is not None:
            domains[talk.domain].append(talk)
    near: dict[str, list[Talk]] = {}
    for group in (*domains.values(), *pairs.values()):  # a pair counts more than a domain
        if len(group) > 1:
            near.update((talk.id, group) for talk in group)
    return near


def _own_returns(talk: Talk, least: int) -> list[int]:
    """Exchanges after the first `least` whose question can be understood by itself."""
    return [i for i in range(least, len(talk.exchanges)) if stands_alone(talk.exchanges[i][0])]


def _can_come_back(talk: Talk, least: int) -> bool:
    return len(talk.exchanges) >= least and bool(talk.returns or _own_returns(talk, least))


def _coming_back(rng: np.random.Generator, talk: Talk, least: int) -> tuple[_Part, Turn]:
    """Part of a talk, at least so many exchanges, and a message that comes back to it."""
    own = _own_returns(talk, least)
    if talk.returns and (not own or rng.random() < _RETURN_SHARE):
        start, stop = _span(rng, len(talk.exchanges), least)
        current = Turn.of("user", pick(rng, talk.returns), metadata={"source": talk.id})
    else:
        stop = pick(rng, own)
        start = stop - int(rng.integers(least, min(stop, _MOST_EXCHANGES) + 1))
        current = talk.exchanges[stop][0]
    return talk.exchanges[start:stop], current


def _in_a_row(parts: Sequence[_Part]) -> list[Exchange]:
    return list(chain.from_iterable(parts))


def _in_turns(rng: np.random.Generator, parts: Sequence[_Part]) -> list[Exchange]:
    """All exchanges, each part's in their order, and some of another part between those of the first."""
    owners = np.repeat(np.arange(len(parts)), [len(part) for part in parts])
    while True:
        order = rng.permutation(owners)
        first, last = np.flatnonzero(order == 0)[[0, -1]]
        if order[first : last + 1].any():
            break
    left = [iter(part) for part in parts]
    return [next(left[owner]) for owner in order]
