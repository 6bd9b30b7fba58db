"""Episodes: a conversation with its cases, read once into the numbers that training needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from convgate.conversation import Conversation
from convgate.embedding.base import Embeddings, Encoder, Progress
from convgate.gate.columns import Columns
from convgate.gate.facts import facts_of, situation_facts
from convgate.gate.features import FEATURES, message_features, turn_features
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.training.errors import TrainingError
from convgate.transcripts.relevance_sets import Case, RelevanceSet

_STRETCH = 130  # turns of a long conversation that are read together when its cases have windows
_RUN_UP = 30  # turns at the beginning of a stretch that serve as history only
_SHORTEST_RUN_UP = 10

Half = NDArray[np.float16]


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """One case: a message with the turns before it."""

    embedding: Half  # (d,)
    features: Half  # (w, F) with the last w turns before it, oldest first
    stop: int  # the turn after the last of them, within the episode
    relevant: NDArray[np.int64]  # rows among the w

    @property
    def width(self) -> int:
        """How many turns its history has."""
        return len(self.features)


@dataclass(frozen=True, eq=False, slots=True)
class Episode:
    """Turns of one conversation, or of a stretch of it, with the cases that look back on them."""

    conversation: str
    embeddings: Half  # (n, d)
    turns: Half  # (n, K, F) features of the turns with the K before them, newest first
    questions: tuple[Question, ...]


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """B cases of one episode as tensors."""

    turns: Tensor  # as the tiers' forward wants them
    messages: Tensor
    mask: Tensor  # (B, n) True where a turn is in the history
    relevant: Tensor  # (B, n) 1 where it matters


def read_episodes(
    gate: Gate, encoder: Encoder, sets: RelevanceSet, *, progress: Progress | None = None
) -> list[Episode]:
    """The episodes of a relevance set, as this gate reads them.

    A long conversation whose cases have windows is read in stretches of 130 turns. Raises TrainingError when
    the set has no case, or none in which anything is relevant.
    """
    if not sets.cases:
        raise TrainingError(f"{sets.name} has no case to learn from")
    if not any(case.relevant for case in sets.cases):
        raise TrainingError(f"nothing is relevant in any case of {sets.name}: there is nothing to learn")
    texts = [turn.scored_text for talk in sets.conversations.values() for turn in talk.turns]
    texts += [case.query.scored_text for case in sets.cases if case.query is not None]
    encoder.encode(texts, progress=progress)
    by_conversation: dict[str, list[Case]] = defaultdict(list)
    for case in sets.cases:
        by_conversation[case.conversation].append(case)
    return [
        _episode(gate, encoder, conversation, start, stop, cases)
        for id, known in by_conversation.items()
        for conversation in [sets.conversations[id]]
        for start, stop, cases in _stretches(conversation, known)
    ]


def batch(gate: Gate, episode: Episode, chosen: Sequence[int]) -> Batch:
    """The chosen cases of an episode, for the preset of the gate."""
    questions = [episode.questions[place] for place in chosen]
    n = max(question.stop for question in questions)
    mask = torch.zeros(len(questions), n, dtype=torch.bool)
    relevant = torch.zeros(len(questions), n)
    for row, question in enumerate(questions):
        start = question.stop - question.width
        mask[row, start : question.stop] = True
        relevant[row, torch.from_numpy(question.relevant) + start] = 1
    if isinstance(gate.tiers, FullTiers):
        messages = torch.zeros(len(questions), n, len(FEATURES))
        for row, question in enumerate(questions):
            messages[row, question.stop - question.width : question.stop] = torch.from_numpy(
                question.features
            ).float()
        turns = torch.from_numpy(episode.turns[:n]).float()
    else:
        messages = torch.from_numpy(np.stack([question.embedding for question in questions])).float()
        turns = torch.from_numpy(episode.embeddings[:n]).float().expand(len(questions), -1, -1)
    return Batch(turns, messages, mask, relevant)


def _stretches(conversation: Conversation, cases: list[Case]) -> Iterator[tuple[int, int, list[Case]]]:
    flow = [case for case in cases if case.turn is not None]
    if any(case.window is None for case in cases) or len(conversation) <= _STRETCH:
        yield 0, len(conversation), cases
        return
    first = min(case.turn or 0 for case in flow)
    begin = max(0, first - _RUN_UP)
    while begin < len(conversation):
        stop = min(begin + _STRETCH, len(conversation))
        low = begin + (_RUN_UP if begin else _SHORTEST_RUN_UP)
        inside = [case for case in flow if case.turn is not None and low <= case.turn < stop]
        if inside:
            yield begin, stop, inside
        begin += _STRETCH - _RUN_UP


def _episode(
    gate: Gate, encoder: Encoder, conversation: Conversation, start: int, stop: int, cases: list[Case]
) -> Episode:
    turns = conversation.turns[start:stop]
    posed = [case.posed(conversation) for case in cases]
    asked = [situation.turn for situation, _ in posed if situation.index is None]
    embeddings = encoder.encode([turn.scored_text for turn in (*turns, *asked)])
    vectors = _vectors(gate, embeddings)
    columns = Columns(facts_of(turn) for turn in turns)
    typed = iter(range(len(turns), len(embeddings)))
    questions = []
    for case, (situation, history) in zip(cases, posed, strict=True):
        row = next(typed) if situation.index is None else situation.index - start
        stop, width = history.stop - start, min(len(history), history.stop - start)
        oldest = history.stop - width
        features = message_features(
            columns, vectors, situation_facts(situation), vectors[row], stop, width=width
        )
        relevant = sorted(turn - oldest for turn in case.relevant if turn >= oldest)
        questions.append(
            Question(
                embeddings[row].astype(np.float16),
                features.astype(np.float16),
                stop,
                np.array(relevant, dtype=np.int64),
            )
        )
    return Episode(
        conversation=conversation.id,
        embeddings=embeddings[: len(turns)].astype(np.float16),
        turns=turn_features(columns, vectors, 0, len(turns), width=gate.config.band).astype(np.float16),
        questions=tuple(questions),
    )


def _vectors(gate: Gate, embeddings: Embeddings) -> Embeddings:
    if not isinstance(gate.tiers, FullTiers):
        return embeddings
    with torch.inference_mode():
        return np.asarray(gate.tiers.whitening(torch.from_numpy(embeddings)).numpy())
