"""From files to a new version: reading, measuring, training, the threshold, the card."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Literal

import numpy as np
import torch

from convgate.embedding.base import Encoder
from convgate.errors import GateError
from convgate.gate.config import GateConfig
from convgate.gate.full import FullTiers
from convgate.gate.model import Gate
from convgate.gate.thresholds import Anchored, Rule, Stricter
from convgate.parameters import parameter_names
from convgate.training import runs
from convgate.training.curve_training import CurveTraining
from convgate.training.dividing import divide
from convgate.training.episodes import Episode, read_episodes
from convgate.training.epochs import Epoch, TrainingSettings
from convgate.training.errors import TrainingError
from convgate.training.fitting import fit_parts
from convgate.training.learning_curve import LearningCurve
from convgate.training.measuring import measure_embeddings, measure_features
from convgate.training.progress import Listener, Reporting
from convgate.training.recipe import TrainingSet, pretraining_sets, read_sets, replayed, told_apart
from convgate.training.replay import PREFIX
from convgate.training.report import ItemReport
from convgate.training.runs import RunRecord, Source
from convgate.training.trainer import Trainer
from convgate.training.verdict import Verdict, compare_items, verdict_of
from convgate.versions.card import DataSet, Draft, Measured, Metric, Training
from convgate.versions.catalog import Versions
from convgate.versions.names import check_name
from convgate.versions.version import Version

Activate = Literal["always", "better", "never"]
HELD_OUT = "held out of its training data"  # what the card calls the conversations that it is compared on
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
    replay: tuple[str, ...] = ()  # of the texts that come with convgate, beside the files
    learning_curve: bool = False  # train on parts of the conversations, too, to see what more labels give


@dataclass(frozen=True, eq=False, slots=True)
class Outcome:
    """What a training came to."""

    version: Version
    record: RunRecord
    threshold: float  # the learned one
    verdict: Verdict | None  # against the parent; None without one, or when nothing could be held out
    active: bool = False  # whether it was made the active version
    sentence: str = ""  # how it does beside its parent, or why nobody knows
    why_not_active: str = ""  # empty when it is active
    curve: LearningCurve | None = None

    def to_json(self) -> dict[str, Any]:
        """The object that `convgate train --json` prints."""
        return {
            "version": self.version.name,
            "active": self.active,
            "threshold": self.threshold,
            "epochs": [asdict(epoch) for epoch in self.record.epochs],
            "against_parent": None if self.verdict is None else asdict(self.verdict),
            "sentence": self.sentence,
            "why_not_active": self.why_not_active,
            "learning_curve": None if self.curve is None else asdict(self.curve),
        }


def train_version(
    plan: Plan,
    *,
    encoder: Encoder | Callable[[], Encoder],
    versions: Versions,
    run: Path,
    listener: Listener,
    name: str | None = None,
    note: str = "",
    who: str = "",
    activate: Activate = "never",
) -> Outcome:
    """Train as planned and add the version; a run that was interrupted in the folder `run` goes on.

    encoder: or what loads it. activate: whether the version is used from now on, "better" when it was seen
    to be so. What goes on, and how it ends, is written into the folder (`convgate.training.progress`), with
    what becomes of each turn that was held out.

    Raises TrainingError when the data cannot be learned from, the loss is no number (the best weights so far
    remain in the run), or the run in the folder was of another plan; its StoppedError when somebody wants it
    to stop; TranscriptError and GateError as the readers of files and versions do. A name that cannot be had
    and a parent of another encoder are refused before anything is read.
    """
    with runs.locked(run), Reporting(run, listener) as heard:
        encoder = encoder() if callable(encoder) else encoder
        if name is not None and check_name(name) in versions.names() and not _is_of(versions.get(name), run):
            raise GateError(
                f"there is a version {name} already, and versions never change; name it otherwise"
            )
        gate, parent = _start(plan, encoder, versions)
        sets = _read_sets(plan, heard)
        episodes, sources = _as_read(sets, plan, gate, encoder, heard)
        parts = divide(episodes, replayed=_replayed(sets), further=parent is not None)
        trainer = Trainer(gate, parts.training, parts.validation, plan.settings, replayed=parts.replayed)
        record = RunRecord.begun(gate.config, plan.settings, sources, parent=plan.parent)
        if (run / runs.RECORD).exists():
            record = _resumed(run, record, trainer)
            heard.resumed(len(record.epochs))
        record = _train(run, record, trainer, heard)
        heard.stage("Fitting the threshold")
        best = trainer.best
        rule = _rule(plan, parent)
        threshold = fit_parts(best, parts, rule)
        report = verdict = curve = None
        if parent is not None:
            heard.stage("Comparing with the parent")
            before = parent.load(encoder=encoder.identity)
            report = compare_items(before, best, parts.compared, rule=rule)
        if report is not None:
            verdict = verdict_of(report)
            _with_texts(report, sets).write(run)
        if plan.learning_curve and parent is not None and verdict is not None:
            again = partial(parent.load, encoder=encoder.identity)
            curve = CurveTraining(again, parts, record.settings, rule, heard).run(run, verdict)
        draft = _draft(run, record, parent, rule, note=note, who=who)
        if verdict is not None:
            draft = replace(draft, metrics={HELD_OUT: _measured(verdict)})
        heard.stage("Saving the version")
        version = _made(versions, run, record) or versions.add(best, draft, name=name)
        why_not = _why_not(verdict, parent, versions, version.name, activate)
        if not why_not:
            versions.activate(version.name, who=who)
        outcome = Outcome(
            version,
            record,
            threshold if threshold is not None else best.learned_threshold,
            verdict,
            active=not why_not,
            sentence=verdict.sentence if verdict else parts.why_not_compared,
            why_not_active=why_not,
            curve=curve,
        )
        heard.done(outcome.to_json())
        return outcome


def _read_sets(plan: Plan, listener: Listener) -> list[TrainingSet]:
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
    return told_apart(sets + again)


def _replayed(sets: Sequence[TrainingSet]) -> frozenset[str]:
    return frozenset(one.cases.name for one in sets if one.cases.name.startswith(PREFIX))


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
    return _as_read(_read_sets(plan, listener), plan, gate, encoder, listener)


def _as_read(
    sets: Sequence[TrainingSet], plan: Plan, gate: Gate, encoder: Encoder, listener: Listener
) -> tuple[dict[str, list[Episode]], tuple[Source, ...]]:
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
    """What will decide: the parent's rule, but without a threshold that was set for the parent's scores."""
    if parent is not None:
        rule = parent.card.rule
        if getattr(rule, "threshold", None) is None:
            return rule
        if isinstance(rule, Anchored):
            return Anchored(anchor=rule.anchor)
    return _RULES.get(parent.config.preset if parent else plan.preset, Anchored)()


def _with_texts(report: ItemReport, sets: Sequence[TrainingSet]) -> ItemReport:
    conversations = {id: talk for one in sets for id, talk in one.cases.conversations.items()}
    questions = {case.id: case.query.text for one in sets for case in one.cases.cases if case.query}
    return report.with_texts(conversations, questions)


def _why_not(
    verdict: Verdict | None, parent: Version | None, versions: Versions, name: str, activate: Activate
) -> str:
    """Why the version is not made active; empty when it is."""
    if activate == "always" or versions.active == name:
        return ""
    if activate == "never":
        return "It was not to be made active."
    if verdict is None or parent is None:
        return "It was not made active, because nothing shows that it is better than its parent."
    if not verdict.better:
        return "It was not made active, because it is no better than its parent."
    if versions.active != parent.name:
        return (
            f"It was not made active: it is better than its parent {parent.name}, but {versions.active} is in"
            " use, and the two were not compared."
        )
    return ""


def _token(run: Path, record: RunRecord) -> str:
    """What tells a run from all others."""
    return f"{run.name}, begun {record.started}"


def _is_of(version: Version, run: Path) -> bool:
    """Whether the run made the version: a kill may have come before it could say so."""
    training = version.card.training
    if training is None or not (run / runs.RECORD).exists():
        return False
    return training.config.get("run") == _token(run, runs.read_record(run))


def _made(versions: Versions, run: Path, record: RunRecord) -> Version | None:
    """The version that was made of these epochs of the run already; None before."""
    for version in versions.listing().versions:
        training = version.card.training
        if _is_of(version, run) and training is not None and training.epochs == len(record.epochs):
            return version
    return None


def _draft(run: Path, record: RunRecord, parent: Version | None, rule: Rule, *, note: str, who: str) -> Draft:
    curves: Mapping[str, Callable[[Epoch], float]] = {
        "loss": lambda epoch: epoch.loss,
        "validation_loss": lambda epoch: epoch.validation_loss,
        "precision": lambda epoch: epoch.precision,
        "recall": lambda epoch: epoch.recall,
        "activation": lambda epoch: epoch.activation,
    }
    parameters = {name: getattr(rule, name) for name in parameter_names(type(rule))}
    usual = type(rule)()
    own = {source.sha256 for source in record.sources}
    return Draft(
        threshold_rule=rule.name,
        threshold_parameters={
            name: value for name, value in parameters.items() if value != getattr(usual, name)
        },
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
            config=asdict(record.settings) | {"run": _token(run, record)},
            libraries=record.libraries,
            curves={name: tuple(value(epoch) for epoch in record.epochs) for name, value in curves.items()},
        ),
        note=note,
        who=who,
    )


def _measured(verdict: Verdict) -> Measured:
    return Measured(verdict.cases, verdict.conversations, {"f1": Metric(verdict.child_f1)})
