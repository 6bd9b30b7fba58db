"""Cases of plain follow-ups: messages that name no subject of their own and lean on what was just said.

| tag | history | current message | needed |
|---|---|---|---|
| `follow-up` | finished subjects, then a discussion | "Ok what do you recommend?" | its last exchange |
| `artifact` | an artifact, then up to 20 other exchanges | "Write a test for that function" | the artifact |
| `new` | the same histories | a complete question on a subject of its own | nothing |
| `small-talk` | the same histories | "great, thanks!" | nothing |

Small talk may stand between a discussion or an artifact and the message. The earlier turns of the discussion
and the request of the artifact are relevant, too.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from convgate.core.conversation import Conversation, Turn
from convgate.transcripts.cases import Case, RelevanceSet
from tools.pretraining.chats import TEXTS
from tools.pretraining.messages import read_written
from tools.pretraining.talks import Exchange, Talk, draw_distinct, pick, usable

_FINISHED = (0, 0, 1, 2, 3, 4, 6, 10, 20)  # exchanges before a discussion
_APART = (0, 0, 0, 1, 2, 4, 8, 19)  # exchanges between an artifact and the message
_MAX_DISCUSSION = 3  # exchanges
_SMALL_TALK = 0.35  # share of the histories that end with it

_History = tuple[list[Turn], frozenset[int], frozenset[int]]  # turns, needed, relevant


@dataclass(frozen=True, slots=True)
class Artifact:
    """Something that an assistant made, and messages that refer to it."""

    type: str  # function, mail, table, …
    exchange: tuple[str, str]
    references: tuple[str, ...]

    @property
    def named(self) -> tuple[str, ...]:
        """The references that name its type; the others only point at what was made last."""
        return tuple(text for text in self.references if _names(text, self.type))


def _names(text: str, kind: str) -> bool:
    return re.search(rf"\b{re.escape(kind.split()[-1])}", text.casefold()) is not None


@dataclass(frozen=True)
class Texts:
    """Phrases by their kind (generic, new, thanks, and reply, the assistant's to thanks), and artifacts."""

    phrases: Mapping[str, Sequence[str]]
    artifacts: Sequence[Artifact]

    @classmethod
    def of(cls, phrases: Iterable[Mapping[str, Any]], artifacts: Iterable[Mapping[str, Any]]) -> Texts:
        """Return the texts of lines as the files have them."""
        by_kind = defaultdict(list)
        for line in phrases:
            by_kind[line["kind"]].append(line["text"])
        read = [
            Artifact(line["type"], tuple(line["exchange"]), tuple(line["references"])) for line in artifacts
        ]
        return cls(by_kind, read)


@cache
def training_texts() -> Texts:
    """Return the texts of the writers that may be trained on; they come with convgate."""
    return Texts.of(read_written("phrases"), read_written("artifacts"))


@cache
def measuring_texts() -> Texts:
    """Return the texts of another writer, for measuring alone."""
    files = (TEXTS / f"{name}.dev.jsonl" for name in ("phrases", "artifacts"))
    return Texts.of(*(map(json.loads, file.read_text(encoding="utf-8").splitlines()) for file in files))


def follow_ups(
    talks: Iterable[Talk], *, counts: Mapping[str, int], seed: int, texts: Texts, name: str = "follow-ups"
) -> RelevanceSet:
    """Return conversations that end with the current message of their one case, so many of each tag.

    talks: subjects of discussions and of what is finished.
    """
    material, rng = usable(talks), np.random.default_rng(seed)
    draw = {
        tag: _endless(rng, texts.phrases[kind])
        for tag, kind in {"follow-up": "generic", "new": "new", "small-talk": "thanks"}.items()
    }
    conversations: dict[str, Conversation] = {}
    cases: list[Case] = []
    for tag, count in counts.items():
        for number in range(count):
            if tag == "artifact" or (tag != "follow-up" and number % 2):
                (turns, needed, relevant), text = _artifact_history(rng, material, texts)
            else:
                turns, needed, relevant = _discussion_history(rng, material, texts)
            if tag != "artifact":
                text = draw[tag]()
            if tag in ("new", "small-talk"):
                needed = relevant = frozenset()
            id = f"{name}-{tag}-{number}"
            turns = [*turns, Turn.of("user", text)]
            conversations[id] = Conversation(id, tuple(turns), format="relevance-set")
            cases.append(Case(id, id, len(turns) - 1, None, relevant, tags=(tag,), needed=needed))
    return RelevanceSet(name, conversations, tuple(cases))


def _endless(rng: np.random.Generator, phrases: Sequence[str]) -> Callable[[], str]:
    """Return what gives each text once in any order, then again in another."""
    left: list[str] = []

    def draw() -> str:
        if not left:
            left.extend(phrases[place] for place in rng.permutation(len(phrases)))
        return left.pop()

    return draw


def _discussion_history(rng: np.random.Generator, talks: list[Talk], texts: Texts) -> _History:
    talk = pick(rng, talks)
    length = int(rng.integers(1, min(_MAX_DISCUSSION, len(talk.exchanges)) + 1))
    start = int(rng.integers(0, len(talk.exchanges) - length + 1)) if rng.random() < 0.3 else 0
    discussion = talk.exchanges[start : start + length]
    turns = _finished(rng, talks, talk, pick(rng, _FINISHED))
    begin = len(turns)
    turns += [turn for exchange in discussion for turn in exchange]
    end = len(turns)
    needed = frozenset(range(end - len(discussion[-1]), end))
    return _with_small_talk(rng, turns, texts), needed, frozenset(range(begin, end))


def _artifact_history(rng: np.random.Generator, talks: list[Talk], texts: Texts) -> tuple[_History, str]:
    artifacts = texts.artifacts
    artifact = pick(rng, artifacts)
    decoys = [other for other in artifacts if other.type != artifact.type]
    turns = _finished(rng, talks, None, pick(rng, _FINISHED))
    if rng.random() < 0.5:  # another artifact before it
        turns += _exchange(pick(rng, decoys))
    place = len(turns)
    turns += _exchange(artifact)
    apart = pick(rng, _APART) if artifact.named else 0
    if apart:
        turns += _finished(rng, talks, None, apart)
        if rng.random() < 0.4:
            turns += _exchange(pick(rng, decoys))
    reference = pick(rng, artifact.named if apart else artifact.references)
    history = _with_small_talk(rng, turns, texts)
    return (history, frozenset({place + 1}), frozenset({place, place + 1})), reference


def _exchange(artifact: Artifact) -> list[Turn]:
    return [Turn.of("user", artifact.exchange[0]), Turn.of("assistant", artifact.exchange[1])]


def _finished(rng: np.random.Generator, talks: list[Talk], but: Talk | None, count: int) -> list[Turn]:
    """Return so many exchanges of other talks, one to three of each in a row."""
    exchanges: list[Exchange] = []
    others = [talk for talk in draw_distinct(rng, talks, len(talks)) if talk is not but]
    while len(exchanges) < count and others:
        exchanges += others.pop().exchanges[: int(rng.integers(1, _MAX_DISCUSSION + 1))]
    return [turn for exchange in exchanges[:count] for turn in exchange]


def _with_small_talk(rng: np.random.Generator, turns: list[Turn], texts: Texts) -> list[Turn]:
    if rng.random() >= _SMALL_TALK:
        return turns
    thanks, reply = pick(rng, texts.phrases["thanks"]), pick(rng, texts.phrases["reply"])
    return [*turns, Turn.of("user", thanks), Turn.of("assistant", reply)]
