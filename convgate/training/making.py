"""The version that a run makes: its rule and card, whether it was made already, and whether it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from convgate.gate.thresholds import Anchored, Expected, Rule, Stricter
from convgate.parameters import parameter_names
from convgate.training import runs
from convgate.training.epochs import Epoch
from convgate.training.plan import Plan
from convgate.training.report import ItemReport
from convgate.training.runs import RunRecord
from convgate.training.verdict import Verdict, measured
from convgate.versions.card import DataSet, Draft, Training
from convgate.versions.catalog import Versions
from convgate.versions.version import Version

Activate = Literal["always", "better", "never"]
HELD_OUT = "held out of its training data"  # what the card calls the conversations that it is compared on
_RULES: Mapping[str, type[Rule]] = {"reference": Stricter, "full": Expected}


def rule_of(plan: Plan, parent: Version | None) -> Rule:
    """What will decide: the parent's rule, but without a threshold that was set for the parent's scores."""
    if parent is not None:
        rule = parent.card.rule
        if getattr(rule, "threshold", None) is None:
            return rule
        if isinstance(rule, Anchored):
            return Anchored(anchor=rule.anchor)
    return _RULES.get(parent.config.preset if parent else plan.preset, Expected)()


def why_not_active(
    verdict: Verdict | None,
    parent: Version | None,
    versions: Versions,
    name: str,
    activate: Activate,
    *,
    again: bool = False,
) -> str:
    """Why the version is not made active; empty when it is.

    again: whether an earlier try made it, after which people may have gone back to another.
    """
    if versions.active == name:
        return ""
    if again and any(change.version == name for change in versions.history):
        return "It was made active; another version is in use since."
    if activate == "always":
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


def is_of(version: Version, run: Path) -> bool:
    """Whether the run made the version: a kill may have come before it could say so."""
    training = version.card.training
    if training is None or not (run / runs.RECORD).exists():
        return False
    return training.config.get("run") == _token(run, runs.read_record(run))


def made_by(versions: Versions, run: Path, record: RunRecord) -> Version | None:
    """The version that was made of these epochs of the run already; None before."""
    for version in versions.listing().versions:
        training = version.card.training
        if is_of(version, run) and training is not None and training.epochs == len(record.epochs):
            return version
    return None


def _token(run: Path, record: RunRecord) -> str:
    """What tells a run from all others."""
    return f"{run.name}, begun {record.started}"


def draft_of(
    run: Path,
    record: RunRecord,
    parent: Version | None,
    rule: Rule,
    report: ItemReport | None,
    *,
    note: str,
    who: str,
) -> Draft:
    """What the version's card tells of the run."""
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
        metrics={} if report is None else {HELD_OUT: measured(report)},
        note=note,
        who=who,
    )
