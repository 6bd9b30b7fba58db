"""From files to a new version: reading, measuring, training, the threshold, the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from time import monotonic
from typing import Protocol

import numpy as np
import torch

from convgate.embedding.base import Encoder
from convgate.errors import GateError
from convgate.gate.config import GateConfig
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.gate.thresholds import Anchored, Rule, Stricter
from convgate.training import runs
from convgate.training.episodes import Episode, read_episodes
from convgate.training.errors import TrainingError
from convgate.training.fitting import fit_threshold
from convgate.training.holding_out import hold_out
from convgate.training.measuring import measure_embeddings, measure_features
from convgate.training.recipe import TrainingSet, pretraining_sets, read_sets
from convgate.training.runs import RunRecord, Source
from convgate.training.trainer import Epoch, Trainer, TrainingSettings
from convgate.training.verdict import Verdict, compare
from convgate.versions.card import DataSet, Draft, Measured, Metric, Training
from convgate.versions.catalog import Versions
from convgate.versions.names import check_name
from convgate.versions.version import Version

PRETRAINING_SHARE, TRAINING_SHARE = 0.05, 0.35  # of the conversations, held out
HELD_OUT = "held out of its training data"  # what the card calls them
COMPARED_SHARE = 0.2  # of them, not even looked at for validation: what child and parent are compared on
_WHITENED = 1_500  # texts of each set that the whitening is measured on
_HIDDEN = {"reference": 64, "full": 32}
_RULES: Mapping[str, type[Rule]] = {"reference": Stricter, "full": Anchored}


@dataclass(frozen=True, slots=True)
class Plan:
    """What to train: from scratch, or from a parent."""

    files: tuple[Path, ...]
    settings: TrainingSettings
    preset: str = "full"
    parent: str | None = None  # name of a version; None trains from scratch
    skip_bad: bool = False  # leave out what cannot be read of the files


class Listener(Protocol):
    """Hears how a training goes."""

    def stage(self, what: str) -> None:
        """Something new begins."""
        ...

    def progress(self, done: int, total: int) -> None:
        """So far of the present stage."""
        ...

    def epoch(self, epoch: Epoch) -> None:
        """An epoch is over."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What a training came to."""

    version: Version
    record: RunRecord
    threshold: float  # the learned one
    verdict: Verdict | None  # against the parent; None without one, or when nothing could be held out


def train_version(
    plan: Plan,
    *,
    encoder: Encoder,
    versions: Versions,
    run: Path,
    listener: Listener,
    name: str | None = None,
    note: str = "",
    who: str = "",
) -> Outcome:
    """Train as planned and add the version; a run that was interrupted in the folder `run` goes on.

    Raises TrainingError when the data cannot be learned from, the loss is no number (the best weights so far
    remain in the run), or the run in the folder was of another plan; TranscriptError and GateError as the
    readers of files and versions do. A name that cannot be had and a parent of another encoder are refused
    before anything is read.
    """
    if name is not None and check_name(name) in versions.names():
        raise GateError(f"there is a version {name} already, and versions never change; name it otherwise")
    with runs.locked(run):
        gate, parent = _start(plan, encoder, versions)
        episodes, sources = read_plan(plan, gate, encoder, listener)
        rest, compared = (episodes, {}) if parent is None else hold_out(episodes, share=COMPARED_SHARE)
        share = PRETRAINING_SHARE if parent is None else TRAINING_SHARE
        training, validation = hold_out(rest, share=share)
        trainer = Trainer(gate, training, validation, plan.settings)
        record = RunRecord.begun(gate.config, plan.settings, sources, parent=plan.parent)
        if (run / runs.RECORD).exists():
            record = _resumed(run, record, trainer)
        record = _train(run, record, trainer, listener)
        listener.stage("Fitting the threshold")
        best = trainer.best
        rule = _rule(plan, parent)
        anchor = rule.anchor if isinstance(rule, Anchored) else 0.0
        threshold = fit_threshold(best, validation, anchor=anchor) or fit_threshold(
            best, training, anchor=anchor
        )
        verdict = None
        if parent is not None:
            listener.stage("Comparing with the parent")
            verdict = compare(parent.load(encoder=encoder.identity), best, compared, rule=rule)
        draft = _draft(record, parent, rule, note=note, who=who)
        if verdict is not None:
            draft = replace(draft, metrics={HELD_OUT: _measured(verdict)})
        version = versions.add(best, draft, name=name)
        learned = threshold if threshold is not None else best.learned_threshold
        return Outcome(version, record, learned, verdict)


def _sets(plan: Plan) -> list[TrainingSet]:
    if plan.parent is None:
        return pretraining_sets(plan.files, seed=plan.settings.seed, skip_bad=plan.skip_bad)
    sets, talks = read_sets(plan.files, skip_bad=plan.skip_bad)
    if talks:
        raise TrainingError(
            f"{talks[0].id!r} and others come without cases, and a version is trained further on cases alone"
        )
    return sets


def new_gate(plan: Plan, encoder: Encoder) -> Gate:
    """An untrained gate of the plan's preset for this encoder; GateError for a preset that there is not."""
    config = GateConfig(
        preset=plan.preset,
        dimension=encoder.identity.dimension,
        hidden=_HIDDEN.get(plan.preset, 1),  # the config refuses an unknown preset
        encoder=encoder.identity,
    )
    return Gate(config, seed=plan.settings.seed)


def _start(plan: Plan, encoder: Encoder, versions: Versions) -> tuple[Gate, Version | None]:
    if plan.parent is None:
        return new_gate(plan, encoder), None
    parent = versions.get(plan.parent)
    return parent.load(encoder=encoder.identity), parent


def read_plan(
    plan: Plan, gate: Gate, encoder: Encoder, listener: Listener
) -> tuple[dict[str, list[Episode]], tuple[Source, ...]]:
    """What is trained on, as the gate reads it, after a new gate has measured what it reads.

    Raises what `train_version` does about data.
    """
    listener.stage("Reading the sets")
    sets = _sets(plan)
    new = gate.tiers if plan.parent is None and isinstance(gate.tiers, FullTiers) else None
    if new is not None:
        listener.stage("Measuring the embeddings")
        with torch.no_grad():
            measure_embeddings(new, _sample(encoder, sets, plan.settings.seed))
    episodes: dict[str, list[Episode]] = {}
    for one in sets:
        listener.stage(f"Reading {one.cases.name} as the gate does")
        episodes[one.cases.name] = read_episodes(gate, encoder, one.cases, progress=listener.progress)
    if new is not None:
        with torch.no_grad():
            measure_features(new, episodes.values(), seed=plan.settings.seed)
    return episodes, tuple(one.source for one in sets)


def _sample(encoder: Encoder, sets: Sequence[TrainingSet], seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for one in sets:
        texts = [turn.scored_text for talk in one.cases.conversations.values() for turn in talk.turns]
        chosen += [texts[place] for place in rng.permutation(len(texts))[:_WHITENED]]
    return encoder.encode(chosen)


def _resumed(run: Path, record: RunRecord, trainer: Trainer) -> RunRecord:
    begun = runs.read_record(run)
    runs.check_same(begun, record, run)
    runs.go_on(run, begun, trainer)
    return begun


def _train(run: Path, record: RunRecord, trainer: Trainer, listener: Listener) -> RunRecord:
    while not trainer.finished:
        began = monotonic()
        listener.stage(f"Epoch {len(trainer.history) + 1} of at most {trainer.settings.epochs}")
        epoch = trainer.epoch(listener.progress)
        record = runs.save(run, replace(record, seconds=record.seconds + monotonic() - began), trainer)
        listener.epoch(epoch)
    return record


def _rule(plan: Plan, parent: Version | None) -> Rule:
    """What will decide: the parent's rule, unless it has a threshold of its own for the parent's scores."""
    if parent is not None and getattr(parent.card.rule, "threshold", None) is None:
        return parent.card.rule
    return _RULES.get(parent.config.preset if parent else plan.preset, Anchored)()


def _draft(record: RunRecord, parent: Version | None, rule: Rule, *, note: str, who: str) -> Draft:
    curves: Mapping[str, Callable[[Epoch], float]] = {
        "loss": lambda epoch: epoch.loss,
        "validation_loss": lambda epoch: epoch.validation_loss,
        "precision": lambda epoch: epoch.precision,
        "recall": lambda epoch: epoch.recall,
        "activation": lambda epoch: epoch.activation,
    }
    parameters = parent.card.threshold_parameters if parent and parent.card.rule == rule else {}
    own = {source.sha256 for source in record.sources}
    return Draft(
        threshold_rule=rule.name,
        threshold_parameters=parameters,
        parent=parent.as_parent() if parent else None,
        data=tuple(one for one in (parent.card.data if parent else ()) if one.sha256 not in own)
        + tuple(
            DataSet(
                name=source.name,
                sha256=source.sha256,
                counts={"conversations": source.conversations, "cases": source.cases},
                licence=source.licence,
                attribution=source.attribution,
            )
            for source in record.sources
        ),
        training=Training(
            seed=record.settings.seed,
            epochs=len(record.epochs),
            config=asdict(record.settings),
            libraries=record.libraries,
            curves={name: tuple(value(epoch) for epoch in record.epochs) for name, value in curves.items()},
        ),
        note=note,
        who=who,
    )


def _measured(verdict: Verdict) -> Measured:
    return Measured(verdict.cases, verdict.conversations, {"f1": Metric(verdict.child_f1)})
