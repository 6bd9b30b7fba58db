"""From files to a new version: reading, training, the threshold, the comparison, the learning curve."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from convgate.embedding.base import Encoder
from convgate.errors import GateError
from convgate.gate.model import Gate
from convgate.training import runs
from convgate.training.comparing import compare_items
from convgate.training.curve_training import CurveTraining
from convgate.training.dividing import divide
from convgate.training.fitting import fit_parts
from convgate.training.learning_curve import LearningCurve
from convgate.training.making import Activate, draft_of, is_of, made_by, rule_of, why_not_active
from convgate.training.plan import Plan, as_read, names_replayed, new_gate, read_training_sets
from convgate.training.progress import Listener, Reporting
from convgate.training.recipe import TrainingSet
from convgate.training.report import ItemReport
from convgate.training.runs import RunRecord
from convgate.training.trainer import Trainer
from convgate.training.verdict import Verdict, verdict_of
from convgate.versions.catalog import Versions
from convgate.versions.names import check_name
from convgate.versions.version import Version


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
    notes: tuple[str, ...] = ()  # sentences: what several sets have, and counts once

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
            "notes": list(self.notes),
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
    what becomes of each turn that was held out. The version is there before the learning curve is made: to
    stop then, or to ask for no curve when the run goes on, leaves out the points that are missing.

    Raises TrainingError when the data cannot be learned from, the loss is no number (the best weights so far
    remain in the run), or the run in the folder was of another plan; its StoppedError when somebody wants it
    to stop; TranscriptError and GateError as the readers of files and versions do. A name that cannot be had
    and a parent of another encoder are refused before anything is read.
    """
    with runs.locked(run), Reporting(run, listener) as heard:
        encoder = encoder() if callable(encoder) else encoder
        if name is not None and check_name(name) in versions.names() and not is_of(versions.get(name), run):
            raise GateError(
                f"there is a version {name} already, and versions never change; name it otherwise"
            )
        gate, parent = _start(plan, encoder, versions)
        sets = read_training_sets(plan, heard)
        episodes, sources = as_read(sets, plan, gate, encoder, heard)
        parts = divide(episodes, replayed=names_replayed(sets), further=parent is not None)
        trainer = Trainer(gate, parts.training, parts.validation, plan.settings, replayed=parts.replayed)
        record = RunRecord.begun(gate.config, plan.settings, sources, parent=plan.parent)
        if (run / runs.RECORD).exists():
            record = _resumed(run, record, trainer)
            heard.resumed(len(record.epochs))
        record = _train(run, record, trainer, heard)
        heard.stage("Fitting the threshold")
        best = trainer.best
        rule = rule_of(plan, parent)
        threshold = fit_parts(best, parts, rule)
        report = verdict = curve = None
        if parent is not None:
            heard.stage("Comparing with the parent")
            before = parent.load(encoder=encoder.identity)
            report = compare_items(before, best, parts.compared, rule=rule)
        if report is not None:
            verdict, report = verdict_of(report), _with_texts(report, sets)
            report.write(run)
        heard.stage("Saving the version")
        made = made_by(versions, run, record)
        version = made or versions.add(
            best, draft_of(run, record, parent, rule, report, note=note, who=who), name=name
        )
        again = made is not None
        why_not = why_not_active(verdict, parent, versions, version.name, activate, again=again)
        if not why_not:
            versions.activate(version.name, who=who)
        if plan.learning_curve and parent is not None and report is not None:
            new = partial(parent.load, encoder=encoder.identity)
            curve = CurveTraining(new, parts, record.settings, rule, heard).run(run, report)
        outcome = Outcome(
            version,
            record,
            threshold if threshold is not None else best.learned_threshold,
            verdict,
            active=not why_not,
            sentence=verdict.sentence if verdict else parts.why_not_compared,
            why_not_active=why_not,
            curve=curve or LearningCurve.read(run),
            notes=tuple(overlap.sentence for one in sets for overlap in one.overlaps),
        )
        heard.done(outcome.to_json())
        return outcome


def _start(plan: Plan, encoder: Encoder, versions: Versions) -> tuple[Gate, Version | None]:
    if plan.parent is None:
        return new_gate(plan, encoder), None
    parent = versions.get(plan.parent)
    return parent.load(encoder=encoder.identity), parent


def _with_texts(report: ItemReport, sets: Sequence[TrainingSet]) -> ItemReport:
    conversations = {id: talk for one in sets for id, talk in one.cases.conversations.items()}
    questions = {case.id: case.query.text for one in sets for case in one.cases.cases if case.query}
    return report.with_texts(conversations, questions)


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
