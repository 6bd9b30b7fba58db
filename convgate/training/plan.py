"""What is to be trained, and on what: a plan, the sets that it names, and how a gate reads them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from convgate.embedding.base import Encoder
from convgate.evaluation.counted_once import counted_once
from convgate.gate.config import GateConfig
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.training.cues import HeldOutCues
from convgate.training.episodes import Episode, read_episodes
from convgate.training.epochs import TrainingSettings
from convgate.training.errors import TrainingError
from convgate.training.measuring import measure_embeddings, measure_features
from convgate.training.progress import Listener
from convgate.training.recipe import TrainingSet, pretraining_sets, read_sets, replayed
from convgate.training.replay import PREFIX
from convgate.training.runs import Source
from convgate.training.telling_apart import told_apart

_WHITENED = 1_500  # texts of each set that the whitening is measured on
_HIDDEN = {"reference": 64, "full": 32}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train: from scratch, or from a parent."""

    files: tuple[Path, ...]
    settings: TrainingSettings
    preset: str = "full"
    parent: str | None = None  # name of a version; None trains from scratch
    skip_bad: bool = False  # leave out what cannot be read of the files
    replay: tuple[str, ...] = ()  # of the texts that come with convgate, beside the files
    learning_curve: bool = False  # train on parts of the conversations, too, to see what more labels give


def new_gate(plan: Plan, encoder: Encoder) -> Gate:
    """An untrained gate of the plan's preset for this encoder; GateError for a preset that there is not."""
    config = GateConfig(
        preset=plan.preset,
        dimension=encoder.identity.dimension,
        hidden=_HIDDEN.get(plan.preset, 1),  # the config refuses an unknown preset
        encoder=encoder.identity,
    )
    return Gate(config, seed=plan.settings.seed)


def read_plan(
    plan: Plan, gate: Gate, encoder: Encoder, listener: Listener
) -> tuple[dict[str, list[Episode]], tuple[Source, ...]]:
    """What is trained on, as the gate reads it, after a new gate has measured what it reads.

    Raises what `train_version` does about data.
    """
    return as_read(read_training_sets(plan, listener), plan, gate, encoder, listener)


def read_training_sets(plan: Plan, listener: Listener) -> list[TrainingSet]:
    """The sets that the plan names, those that are replayed among them.

    What is judged several times is there once alone.
    """
    listener.stage("Reading the sets")
    if plan.parent is None:
        return pretraining_sets(plan.files, seed=plan.settings.seed, skip_bad=plan.skip_bad)
    sets, talks = read_sets(plan.files, skip_bad=plan.skip_bad)
    if talks:
        raise TrainingError(
            f"{talks[0].id!r} and others come without cases, and a version is trained further on cases alone"
        )
    again = replayed(plan.replay, seed=plan.settings.seed)
    if taken := {one.cases.name for one in sets} & {one.cases.name for one in again}:
        raise TrainingError(f"{min(taken)} is a set that comes with convgate; call the file otherwise")
    together, overlaps = counted_once([one.cases for one in sets])
    apart = told_apart([*together, *(one.cases for one in again)])
    return [
        replace(one, cases=cases, overlaps=tuple(each for each in overlaps if each.name == cases.name))
        for one, cases in zip([*sets, *again], apart, strict=True)
    ]


def as_read(
    sets: Sequence[TrainingSet], plan: Plan, gate: Gate, encoder: Encoder, listener: Listener
) -> tuple[dict[str, list[Episode]], tuple[Source, ...]]:
    """The episodes of each set by its name, and where the sets come from."""
    new = gate.tiers if plan.parent is None and isinstance(gate.tiers, FullTiers) else None
    cues = None
    if new is not None:
        listener.stage("Measuring the embeddings")
        with torch.no_grad():
            measure_embeddings(new, _sample(encoder, sets, plan.settings.seed))
        listener.stage("Fitting the cues without each writer")
        cues = HeldOutCues.fit()
    episodes: dict[str, list[Episode]] = {}
    for one in sets:
        listener.stage(f"Reading {one.cases.name} as the gate does")
        whole = all(overlap.is_within for overlap in one.overlaps)
        found = read_episodes(gate, encoder, one.cases, whole=whole, cues=cues, progress=listener.progress)
        if found:
            episodes[one.cases.name] = found
    if new is not None:
        with torch.no_grad():
            measure_features(new, episodes.values(), seed=plan.settings.seed)
    return episodes, tuple(one.source for one in sets)


def names_replayed(sets: Sequence[TrainingSet]) -> frozenset[str]:
    """Those of the sets that come with convgate."""
    return frozenset(one.cases.name for one in sets if one.cases.name.startswith(PREFIX))


def _sample(encoder: Encoder, sets: Sequence[TrainingSet], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for one in sets:
        texts = [turn.scored_text for talk in one.cases.conversations.values() for turn in talk.turns]
        chosen += [texts[place] for place in rng.permutation(len(texts))[:_WHITENED]]
    return encoder.encode(chosen)
