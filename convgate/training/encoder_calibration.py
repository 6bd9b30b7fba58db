"""Fit a version of the gate to another encoder: only the whitening and where similarities lie change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from convgate.core.conversation import Conversation
from convgate.core.errors import GateError, TrainingError
from convgate.embedding.base import Embeddings, Encoder, Progress
from convgate.gate.arrays import Floats
from convgate.gate.features import NAMES
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.training.episodes import read_episodes
from convgate.training.sets import TrainingSet
from convgate.transcripts.cases import Case, RelevanceSet
from convgate.versions import Draft, Version, Versions

_TEXTS_PER_DIMENSION = 2  # with fewer, the directions of the embeddings are measured badly
_WINDOW = 128  # turns of a message's history, so that long conversations take bounded memory
_FROM_EMBEDDINGS = [row for row, name in enumerate(NAMES) if name.startswith(("cosine", "passage"))]
_STRENGTH = 0.5  # of the whitening: 0 none, 1 all directions alike


def calibrate_encoder(
    gate: Gate,
    own: Encoder,
    other: Encoder,
    conversations: Sequence[Conversation],
    *,
    progress: Progress | None = None,
) -> Gate:
    """Return a copy of the gate that reads the embeddings of the other encoder instead of its own.

    The whitening is measured on all texts of the conversations; mean and spread of the features that come
    from embeddings are matched on the users' turns.

    Raises GateError unless the gate is of the full preset, TrainingError when the conversations are too few.
    """
    if not isinstance(gate.tiers, FullTiers):
        raise GateError(
            "a gate of the reference preset learned from the coordinates of its encoder's embeddings; for"
            " another encoder, train one in a checkout: `convgate pretrain --preset reference`"
        )
    dimension = other.identity.dimension
    texts = list(dict.fromkeys(turn.scored_text for each in conversations for turn in each.turns))
    texts = [text for text in texts if text.strip()]
    if len(texts) < (needed := _TEXTS_PER_DIMENSION * dimension):
        raise TrainingError(
            f"there are {len(texts):,} different messages; to measure the {dimension:,} dimensions of"
            f" {other.identity.model}, at least {needed:,} are needed: give more conversations"
        )
    config = replace(gate.config, dimension=dimension, encoder=other.identity)
    weights = {**gate.weights, **measure_whitening(other.encode(texts, progress=progress))}
    own_mean, own_spread = _similarities(gate, own, conversations, progress)
    mean, spread = _similarities(Gate(config, weights), other, conversations, progress)
    scale, rows = spread / own_spread, _FROM_EMBEDDINGS
    usual, spreads = (weights[f"tiers.standardise.{name}"].copy() for name in ("usual", "spread"))
    usual[rows] = mean + (usual[rows] - own_mean) * scale
    spreads[rows] *= scale
    return Gate(config, weights | {"tiers.standardise.usual": usual, "tiers.standardise.spread": spreads})


def add_version_for(
    other: Encoder,
    own: Encoder,
    parent: Version,
    versions: Versions,
    sets: Sequence[TrainingSet],
    *,
    name: str,
    who: str,
    progress: Progress | None = None,
) -> Version:
    """Add the version with the parent's learned weights that reads the other encoder. Raises as above."""
    conversations = [each for text in sets for each in text.cases.conversations.values()]
    gate = calibrate_encoder(parent.load(encoder=own.identity), own, other, conversations, progress=progress)
    data = {item.sha256: item for item in parent.card.data}
    for text in sets:
        lengths = [len(each) for each in text.cases.conversations.values()]
        counts = {"conversations": len(lengths), "messages": sum(lengths)}
        data.setdefault(text.data.sha256, replace(text.data, counts=counts))
    draft = Draft(
        threshold_rule=parent.card.threshold_rule,
        threshold_parameters=parent.card.threshold_parameters,
        parent=parent.as_parent(),
        data=tuple(data.values()),
        limits=parent.card.limits,
        note=f"{parent.name}, fitted to the encoder {other.identity} without training.",
        who=who,
    )
    return versions.add(gate, draft, name=name)


def measure_whitening(embeddings: Embeddings) -> dict[str, Floats]:
    """Return the weights of the whitening for (n, d) embeddings, by name.

    W = V diag(σ^-½) Vᵀ of the embeddings' principal directions V.
    """
    mean = embeddings.mean(axis=0)
    values, vectors = np.linalg.eigh(np.cov((embeddings - mean).T))
    scale = np.maximum(values, 1e-8) ** (-_STRENGTH / 2)
    whitening = vectors @ np.diag(scale / scale.mean()) @ vectors.T
    return {
        "tiers.whitening.W": whitening.astype(np.float32),
        "tiers.whitening.mean": mean.astype(np.float32),
    }


def _similarities(
    gate: Gate, encoder: Encoder, conversations: Sequence[Conversation], progress: Progress | None
) -> tuple[Floats, Floats]:
    """Return mean and spread of the features that come from embeddings, as this gate reads them."""
    numbered = {str(number): conversation for number, conversation in enumerate(conversations)}  # unique ids
    cases = tuple(
        Case(f"{number}-{turn}", number, turn, None, frozenset(), _WINDOW)
        for number, conversation in numbered.items()
        for turn in range(1, len(conversation))
        if conversation.turns[turn].role == "user"
    )
    sets = RelevanceSet("unlabelled", numbered, cases)
    episodes = read_episodes(gate, encoder, sets, whole=False, progress=progress)
    rows = [question.features[:, _FROM_EMBEDDINGS] for episode in episodes for question in episode.questions]
    features = np.concatenate(rows).astype(np.float64) if rows else np.zeros((1, 1))
    spread = features.std(axis=0)
    if not spread.all():
        raise TrainingError(
            "the conversations are too short to measure similarities: give some in which users have several"
            " turns before them"
        )
    return features.mean(axis=0).astype(np.float32), spread.astype(np.float32)
