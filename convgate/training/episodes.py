"""Episodes: a conversation with its cases, read once into the numbers that training needs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from convgate.core.conversation import Conversation, CurrentMessage, History, prefix_hashes
from convgate.core.errors import TrainingError
from convgate.embedding.base import Embeddings, Encoder, Progress
from convgate.embedding.chunks import text_vectors, unit_rows
from convgate.embedding.states import states_beside
from convgate.gate.columns import Columns
from convgate.gate.facts import TurnFacts, current_facts, encode_with_cues, read_facts
from convgate.gate.features import FEATURES, Passages, message_features, turn_features
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.training.gate_module import GateModule
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.transcripts.relevance_sets import split_group_of

_STRETCH = 130  # turns of a long conversation that are read together when its cases have windows
_RUN_UP = 30  # turns at the beginning of a stretch that serve as history only
BATCH_SIZE = 30  # cases that are scored at a time
HELPFUL = 0.5  # what is learned of a turn that is relevant, but not needed

Half = NDArray[np.float16]


class CueCorrection(Protocol):
    """Replaces the cues in the facts of a text."""

    def correct(self, fact: TurnFacts, text: str) -> TurnFacts:
        """Return the facts with other cues."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Question:
    """One case: a message with the turns before it."""

    embedding: Half  # (d,)
    features: Half  # (w, F) with the last w turns before it, oldest first; F = 0 for the reference preset
    stop: int  # the turn after the last of them, within the episode
    relevant: NDArray[np.int64]  # rows among the w
    needed: NDArray[np.int64]  # those of them without which the answer is wrong
    typed: bool  # whether it is put from outside, rather than a turn of the conversation
    judged: NDArray[np.int64] | None = None  # rows whose relevance is known; None: all
    case: str = ""  # its id

    @property
    def width(self) -> int:
        """How many turns its history has."""
        return len(self.features)


@dataclass(frozen=True, eq=False, slots=True)
class Episode:
    """Turns of one conversation, or of a stretch of it, with the cases that look back on them."""

    conversation: str
    embeddings: Half  # (n, d)
    turns: Half  # (n, K, F) features of the turns with the K before them, newest first; F = 0 likewise
    questions: tuple[Question, ...]
    start: int = 0  # index in the conversation of the first turn
    hashes: tuple[bytes, ...] = ()  # the conversation's `prefix_hashes` without its first entry
    group: str = ""  # decides the side of a split; the conversation's id unless given


@dataclass(frozen=True, eq=False, slots=True)
class Batch:
    """B cases of one episode as tensors."""

    turns: Tensor  # as the tiers' forward wants them
    messages: Tensor
    mask: Tensor  # (B, n) True where a turn is in the history: what the gate sees
    relevant: Tensor  # (B, n) 1 where it matters
    target: Tensor  # (B, n) what is learned: 1 where it is needed, less where it only helps
    judged: Tensor  # (B, n) True where it is known whether it matters: what is learned from and measured


def read_episodes(
    gate: Gate,
    encoder: Encoder,
    sets: RelevanceSet,
    *,
    whole: bool = True,
    cues: CueCorrection | None = None,
    progress: Progress | None = None,
) -> list[Episode]:
    """Return the episodes of a relevance set, as this gate reads them.

    Long conversations are read in stretches of 130 turns. Cases without a judged turn before them are left
    out. whole: whether it is all of a set, not what others leave of it. cues: replace the shipped cues.

    Raises TrainingError when a whole set has no other case or nothing relevant, or a case does not fit its
    conversation; ConversationError for a current message that there is not.
    """
    by_conversation: dict[str, list[_PreparedCase]] = defaultdict(list)
    for case in sets.cases:
        posed = _posed(gate, sets, case)
        if len(posed.history) and case.says_something:
            by_conversation[case.conversation].append(posed)
    if whole and not by_conversation:
        raise TrainingError(f"{sets.name} has no case to learn from")
    if whole and not any(posed.case.relevant for cases in by_conversation.values() for posed in cases):
        raise TrainingError(f"nothing is relevant in any case of {sets.name}: there is nothing to learn")
    texts = [turn.scored_text for id in by_conversation for turn in sets.conversations[id].turns]
    texts += [posed.text for cases in by_conversation.values() for posed in cases]
    distinct = list(dict.fromkeys(texts))
    said = [turn for id in by_conversation for turn in sets.conversations[id].turns]
    said += [posed.current.turn for cases in by_conversation.values() for posed in cases]
    encode_with_cues(said, encoder, progress=progress)
    passages = dict(zip(distinct, encoder.encode_passages(distinct, progress=progress), strict=True))
    states = states_beside(encoder)
    hashes = {id: tuple(prefix_hashes(sets.conversations[id].turns)[1:]) for id in by_conversation}
    return [
        _episode(gate, passages, states, sets.conversations[id], hashes[id], start, stop, cases, cues)
        for id, posed_cases in by_conversation.items()
        for start, stop, cases in _stretches(len(sets.conversations[id]), posed_cases)
    ]


def batches(gate: GateModule, episode: Episode) -> Iterator[Batch]:
    """Yield all cases of an episode, 30 at a time."""
    for start in range(0, len(episode.questions), BATCH_SIZE):
        yield batch(gate, episode, range(len(episode.questions))[start : start + BATCH_SIZE])


def batch(gate: GateModule, episode: Episode, chosen: Sequence[int]) -> Batch:
    """Return the chosen cases of an episode, for the preset of the gate."""
    questions = [episode.questions[place] for place in chosen]
    n = max(question.stop for question in questions)
    mask = torch.zeros(len(questions), n, dtype=torch.bool)
    relevant = torch.zeros(len(questions), n)
    target = torch.zeros(len(questions), n)
    judged = torch.zeros(len(questions), n, dtype=torch.bool)
    for row, question in enumerate(questions):
        start = question.stop - question.width
        mask[row, start : question.stop] = True
        relevant[row, torch.from_numpy(question.relevant) + start] = 1
        target[row, torch.from_numpy(question.relevant) + start] = HELPFUL
        target[row, torch.from_numpy(question.needed) + start] = 1
        if question.judged is None:
            judged[row, start : question.stop] = True
        else:
            judged[row, torch.from_numpy(question.judged) + start] = True
    if gate.config.preset == "full":
        messages = torch.zeros(len(questions), n, len(FEATURES))
        for row, question in enumerate(questions):
            messages[row, question.stop - question.width : question.stop] = torch.from_numpy(
                question.features
            ).float()
        turns = torch.from_numpy(episode.turns[:n]).float()
    else:
        messages = torch.from_numpy(np.stack([question.embedding for question in questions])).float()
        turns = torch.from_numpy(episode.embeddings[:n]).float().expand(len(questions), -1, -1)
    return Batch(turns, messages, mask, relevant * judged, target * judged, judged)


@dataclass(frozen=True, eq=False, slots=True)
class _PreparedCase:
    """A case with what it asks."""

    case: Case
    current: CurrentMessage
    history: History
    text: str  # what stands for the message


def _posed(gate: Gate, sets: RelevanceSet, case: Case) -> _PreparedCase:
    if case.conversation not in sets.conversations:
        raise TrainingError(
            f"case {case.id!r} of {sets.name} is about {case.conversation!r}, which it does not have"
        )
    current, history = sets.current(case)
    known = case.relevant if case.judged is None else case.judged
    if wrong := [turn for turn in sorted(known) if not history.start <= turn < history.stop]:
        raise TrainingError(f"case {case.id!r} of {sets.name}: turn {wrong[0]} is not in its history")
    if unjudged := case.relevant - known:
        raise TrainingError(
            f"case {case.id!r} of {sets.name}: turn {min(unjudged)} is relevant, but not among the judged"
        )
    return _PreparedCase(case, current, history, current.turn.scored_text)


def _stretches(length: int, cases: list[_PreparedCase]) -> Iterator[tuple[int, int, list[_PreparedCase]]]:
    """Return where each stretch of a conversation starts and stops, and its cases."""
    if length <= _STRETCH or any(posed.case.window is None for posed in cases):
        yield 0, length, cases
        return
    for start in range(
        max(0, min(posed.history.stop for posed in cases) - _RUN_UP), length, _STRETCH - _RUN_UP
    ):
        first = start + _RUN_UP if start else 0
        if inside := [
            posed
            for posed in cases
            if first <= posed.history.stop < start + _STRETCH
            and (posed.case.judged is None or max(posed.case.judged, default=-1) >= start)
        ]:
            yield start, min(start + _STRETCH, length), inside


def _episode(
    gate: Gate,
    passages: Mapping[str, Embeddings],
    states: Encoder,
    conversation: Conversation,
    said: tuple[bytes, ...],
    start: int,
    stop: int,
    cases: list[_PreparedCase],
    cues: CueCorrection | None,
) -> Episode:
    turns = conversation.turns[start:stop]
    dimension = gate.config.dimension
    embeddings = text_vectors([passages[turn.scored_text] for turn in turns], dimension)
    messages = text_vectors([passages[posed.text] for posed in cases], dimension)
    # Rows of the stretch: the first of each history, and the one behind its last.
    spans = [(max(posed.history.start - start, 0), posed.history.stop - start) for posed in cases]
    features: list[Half] = [np.zeros((after - first, 0), np.float16) for first, after in spans]
    by_turn: Half = np.zeros((len(turns), 0, 0), np.float16)
    if isinstance(gate.tiers, FullTiers):
        turn_facts = read_facts(turns, states)
        facts = [current_facts(posed.current, states) for posed in cases]
        if cues is not None:
            turn_facts = [
                cues.correct(fact, turn.scored_text) for fact, turn in zip(turn_facts, turns, strict=True)
            ]
            facts = [
                cues.correct(fact, posed.current.turn.scored_text)
                for fact, posed in zip(facts, cases, strict=True)
            ]
        columns = Columns(turn_facts)
        whiten = gate.tiers.scorer.whiten
        white, asked = whiten(embeddings), whiten(messages)
        parts = Passages(embeddings.shape[1])
        for row, turn in enumerate(turns):
            if len(each := passages[turn.scored_text]) > 1:
                parts.append(row, whiten(unit_rows(each)))
        features = [
            message_features(columns, white, parts, fact, vector, after, width=after - first).T.astype(
                np.float16
            )
            for fact, vector, (first, after) in zip(facts, asked, spans, strict=True)
        ]
        width = gate.config.band
        rows = turn_features(columns, white, parts, 0, len(turns), width=width)
        by_turn = rows.transpose(1, 2, 0)[:, ::-1].astype(np.float16, order="C")
    questions = [
        Question(
            message.astype(np.float16),
            pairs,
            after,
            _rows(posed.case.relevant, start, first),
            _rows(posed.case.must_have, start, first),
            typed=posed.current.index is None,
            judged=None if posed.case.judged is None else _rows(posed.case.judged, start, first),
            case=posed.case.id,
        )
        for posed, message, pairs, (first, after) in zip(cases, messages, features, spans, strict=True)
    ]
    group = split_group_of(conversation)
    half = embeddings.astype(np.float16)
    return Episode(conversation.id, half, by_turn, tuple(questions), start, said, group)


def _rows(turns: frozenset[int], start: int, first: int) -> NDArray[np.int64]:
    """Return rows of a history that begins at row `first` of the stretch from turn `start` on."""
    return np.array(sorted(turn - start - first for turn in turns if turn >= start), dtype=np.int64)
