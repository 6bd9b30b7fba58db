"""From files to a new version: reading, training, fitting the threshold, comparing, saving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from time import monotonic
from typing import Any

from convgate.core.errors import GateError
from convgate.core.parameters import parameter_values
from convgate.embedding.base import Encoder
from convgate.evaluation.judged_cases import EvaluationProgress, count_tokens, silent
from convgate.evaluation.sending import Sending, SentTurns
from convgate.gate.rule import Rule
from convgate.training.comparison import compare_gates, fit_threshold, match_tokens
from convgate.training.epochs import Epoch
from convgate.training.gate_module import GateModule
from convgate.training.progress import Reporter, report_run
from convgate.training.records import Activate, RunRecord
from convgate.training.report import (
    CaseDecisions,
    DecisionChange,
    TrainingVerdict,
    list_changes,
    make_verdict,
)
from convgate.training.run import REPLAY_PREFIX, Run
from convgate.training.sets import Plan
from convgate.training.split import MIN_COMPARED, Parts, split_episodes
from convgate.training.trainer import Trainer
from convgate.versions import Draft, MetricSet, Training, Version, Versions, check_name

_CURVES = ("loss", "validation_loss", "precision", "recall", "activation")  # of the card, by epoch
HELD_OUT = "held out of its training data"  # the name on the card of the conversations compared on
CROSS_VALIDATED = "cross-validation on its training data"  # the same when there were too few to hold out


@dataclass(frozen=True, eq=False, slots=True)
class TrainingOutcome:
    """What a training came to."""

    version: Version
    record: RunRecord
    threshold: float  # the learned one
    verdict: TrainingVerdict | None  # against the parent; None without one, or when nothing could be held out
    sentence: str  # the verdict for people, or why there is none
    why_not_active: str  # empty when it was activated
    changes: tuple[DecisionChange, ...] = ()  # the held-out decisions that differ from the parent's
    notes: tuple[str, ...] = ()  # sentences: what several sets have, and counts once

    @property
    def active(self) -> bool:
        """Whether the version was activated."""
        return not self.why_not_active

    def to_json(self) -> dict[str, Any]:
        """Return the object that `convgate train --json` prints."""
        return {
            "version": self.version.name,
            "active": self.active,
            "threshold": self.threshold,
            "epochs": [asdict(epoch) for epoch in self.record.epochs],
            "against_parent": None if self.verdict is None else asdict(self.verdict),
            "sentence": self.sentence,
            "why_not_active": self.why_not_active,
            "changes": [asdict(change) for change in self.changes],
            "notes": list(self.notes),
        }


def train_version(
    plan: Plan,
    *,
    encoder: Encoder | Callable[[], Encoder],
    versions: Versions,
    run: Run,
    progress: EvaluationProgress = silent,
    on_epoch: Callable[[Epoch], object] = lambda epoch: None,
    name: str | None = None,
    note: str = "",
    who: str = "",
    activate: Activate = "never",
    sending: Sending | None = None,
) -> TrainingOutcome:
    """Train as planned and add the version; an interrupted run is resumed.

    activate: "better" activates the version when the interval of its gain excludes 0, on at least 25 held-out
    conversations. on_epoch: called with each epoch that is finished and saved. sending: what is sent
    beside what a gate keeps, for the comparison with the parent.

    Raises TrainingError when the data cannot be learned from, the loss is NaN or the plan differs;
    StoppedError when the run is stopped; TranscriptError and GateError as readers of files and versions do.
    """
    with report_run(run, progress) as reporter:
        encoder = encoder() if callable(encoder) else encoder
        if name is not None and check_name(name) in versions.names() and not _is_of(versions.get(name), run):
            raise GateError(f"there is already a version {name}; choose another name")
        gate, parent = plan.load_gate(encoder, versions)
        sets = plan.read_sets(reporter)
        gate, episodes = plan.read_episodes(sets, gate, encoder, reporter)
        replayed = [each.cases.name for each in sets if each.cases.name.startswith(REPLAY_PREFIX)]
        parts = split_episodes(episodes, replayed=replayed, compare=parent is not None)
        trainer = Trainer(gate, parts.training, parts.validation, plan.settings, replayed=parts.replayed)
        data = tuple(each.data for each in sets)
        record = RunRecord.new(gate.config, plan.settings, data, parent=plan.parent)
        if run.has_record:
            record = run.resume(record, trainer)
        work = sum(trainer.draws.values())
        reporter.expect([work, *(work * (1 - 1 / len(parts.folds)) for _ in parts.folds)])
        record = _train(run, record, trainer, reporter, on_epoch)
        reporter("Fitting the threshold", 0, 0)
        rule = plan.rule(parent)
        threshold = fit_threshold(trainer.best, parts, rule)
        verdict, measured, changes = None, {}, []
        if parent is not None:
            own = [each.cases for each in sets if each.cases.name not in parts.replayed]
            tokens = {id: counts for each in own for id, counts in count_tokens(each).items()}
            cases = {(case.conversation, case.id): each.current(case) for each in own for case in each.cases}

            def sent(conversation: str, case: str) -> SentTurns:
                return (sending or Sending()).at(*cases[conversation, case])

            compare = partial(compare_gates, tokens=tokens, sent=sent if sending else None)
            decisions = _compare(plan, parts, parent, trainer.best, rule, encoder, reporter, compare)
            if decisions:
                rule, decisions = match_tokens(rule, parent.card.rule, decisions)
                verdict, metrics = make_verdict(decisions, folds=len(parts.folds))
                changes = list_changes(decisions)
                measured = {CROSS_VALIDATED if parts.folds else HELD_OUT: metrics}
        reporter("Saving the version", 0, 0)
        saved = _saved_version(versions, run, record)
        draft = _draft(run, record, parent, rule, measured, note=note, who=who)
        version = saved or versions.add(trainer.best.to_gate(), draft, name=name)
        why_not = why_not_active(verdict, parent, versions, version.name, activate, again=saved is not None)
        if not why_not:
            versions.activate(version.name, who=who)
        outcome = TrainingOutcome(
            version,
            record,
            trainer.best.learned_threshold if threshold is None else threshold,
            verdict,
            sentence=verdict.sentence if verdict else parts.why_not_compared,
            why_not_active=why_not,
            changes=tuple(changes),
            notes=tuple(overlap.sentence for each in sets for overlap in each.overlaps),
        )
        reporter.done(outcome.to_json())
        return outcome


def why_not_active(
    verdict: TrainingVerdict | None,
    parent: Version | None,
    versions: Versions,
    name: str,
    activate: Activate,
    *,
    again: bool = False,
) -> str:
    """Return why the version is not activated; empty when it is.

    again: whether an earlier attempt made it, after which people may have activated another.
    """
    if versions.active == name:
        return ""
    if again and any(change.version == name for change in versions.history):
        return "Another version was activated since."
    if activate == "always":
        return ""
    if activate == "never":
        return "Automatic activation is off."
    if verdict is None or parent is None:
        return "Not activated: not enough data to compare it with its parent."
    if not verdict.better:
        return "Not activated: it is not better than its parent."
    if verdict.folds:
        return (
            f"Not activated: it was compared by cross-validation, and {MIN_COMPARED} held-out conversations"
            " are needed to activate it automatically."
        )
    if verdict.conversations < MIN_COMPARED:
        return (
            f"Not activated: it was compared on {verdict.conversations} held-out conversations, and"
            f" {MIN_COMPARED} are needed to activate it automatically."
        )
    if not verdict.activates:
        return "Not activated: the difference from its parent may be chance."
    if versions.active != parent.name:
        return f"Not activated: {versions.active} is active, and it was compared with {parent.name}."
    return ""


def _train(
    run: Run,
    record: RunRecord,
    trainer: Trainer,
    reporter: Reporter,
    on_epoch: Callable[[Epoch], object],
) -> RunRecord:
    while not trainer.finished:
        began = monotonic()
        report = partial(reporter.train, 0, number := len(trainer.history), trainer.settings.epochs)
        stage = f"Epoch {number + 1} of at most {trainer.settings.epochs}"
        report(stage, 0, 0)
        epoch = trainer.epoch(partial(report, stage))
        record = run.save(replace(record, seconds=record.seconds + monotonic() - began), trainer)
        on_epoch(epoch)
    return record


def _compare(
    plan: Plan,
    parts: Parts,
    parent: Version,
    child: GateModule,
    rule: Rule,
    encoder: Encoder,
    reporter: Reporter,
    compare: Callable[..., list[CaseDecisions]],
) -> list[CaseDecisions]:
    """Return what parent and child decide on the held-out cases, each by its rule.

    In a cross-validation, a gate trained in the same way on the rest of each fold stands for the child.
    """
    rules = parent.card.rule, rule
    own = parent.load(encoder=encoder.identity)
    before, decisions = GateModule.of(own), []
    for number, fold in enumerate(parts.folds, 1):
        stage = f"Cross-validation, fold {number} of {len(parts.folds)}"
        trainer = Trainer(own, fold.training, fold.validation, plan.settings, replayed=fold.replayed)
        while not trainer.finished:
            report = partial(reporter.train, number, len(trainer.history), plan.settings.epochs, stage)
            trainer.epoch(report)
        fit_threshold(trainer.best, fold, rule)
        decisions += compare(before, trainer.best, fold.compared, rules=rules)
    if parts.folds:
        return decisions
    reporter("Comparing with the parent", 0, 0)
    return compare(before, child, parts.compared, rules=rules)


def _run_key(run: Run, record: RunRecord) -> str:
    return f"{run.id}, begun {record.started}"


def _is_of(version: Version, run: Run) -> bool:
    """Return whether the run made the version: a kill may have come before it was recorded."""
    training = version.card.training
    if training is None or not run.has_record:
        return False
    return training.config.get("run") == _run_key(run, run.read_record())


def _saved_version(versions: Versions, run: Run, record: RunRecord) -> Version | None:
    """Return the version that was made of these epochs of the run already; None before."""
    for version in versions.listing().versions:
        training = version.card.training
        if training is not None and training.epochs == len(record.epochs) and _is_of(version, run):
            return version
    return None


def _draft(
    run: Run,
    record: RunRecord,
    parent: Version | None,
    rule: Rule,
    metrics: Mapping[str, MetricSet],
    *,
    note: str,
    who: str,
) -> Draft:
    """Return what the version's card says of the run."""
    defaults = type(rule)()
    own = {each.sha256 for each in record.data}
    inherited = tuple(each for each in (parent.card.data if parent else ()) if each.sha256 not in own)
    return Draft(
        threshold_rule=rule.name,
        threshold_parameters={
            name: value for name, value in parameter_values(rule).items() if value != getattr(defaults, name)
        },
        parent=parent.as_parent() if parent else None,
        data=inherited + record.data,
        training=Training(
            seed=record.settings.seed,
            epochs=len(record.epochs),
            config=asdict(record.settings) | {"run": _run_key(run, record)},
            libraries=record.libraries,
            curves={name: tuple(getattr(epoch, name) for epoch in record.epochs) for name in _CURVES},
        ),
        metrics=metrics,
        note=note,
        who=who,
    )
