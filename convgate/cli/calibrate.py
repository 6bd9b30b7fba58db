"""`convgate calibrate`: fit the threshold on labelled cases, or a version to another encoder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from convgate.cli import inputs, options, output
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.embedding.base import EncoderIdentity
    from convgate.evaluation.calibration import Goal
    from convgate.evaluation.fitting import FittedThreshold
    from convgate.policies.gate import GatePolicy
    from convgate.training.sets import TrainingSet
    from convgate.versions import Draft, Version

MIN_WIDTH_INTERVALS = 60  # columns


def calibrate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Relevance sets (JSONL); with --encoder any transcripts.", metavar="SET.jsonl"),
    ] = None,
    gate: options.GateOption = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="Instead of a threshold, make a version for this encoder, with the same learned weights."
            " Without files, conversations that come with convgate are measured.",
            metavar="NAME",
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="With --encoder: what the new version is called.")] = None,
    precision: Annotated[
        float | None, typer.Option(help="Min precision, 0 to 1: the most recall that has it.", metavar="P")
    ] = None,
    recall: Annotated[
        float | None, typer.Option(help="Min recall, 0 to 1: the highest threshold with it.", metavar="R")
    ] = None,
    f_beta: Annotated[
        float | None,
        typer.Option(help="The best F-beta: above 1 for recall, below 1 for precision.", metavar="B"),
    ] = None,
    cost_ratio: Annotated[
        float | None,
        typer.Option(
            help="The lowest cost, where keeping an irrelevant turn costs C and dropping a relevant one 1.",
            metavar="C",
        ),
    ] = None,
    max_missed: Annotated[
        float | None,
        typer.Option(
            help="The promise to lose at most this share of the needed turns, such as 0.02.", metavar="X"
        ),
    ] = None,
    settings_file: Annotated[
        Path | None,
        typer.Option(
            "--settings", help="Write a new settings file that uses the fitted rule.", dir_okay=False
        ),
    ] = None,
    skip_bad: options.SkipBadOption = False,
    json_output: options.JsonOption = False,
    out: options.OutOption = None,
) -> None:
    """Fit the gate's threshold on labelled cases, and compare it with the rule in use.

    The best F1 is the default goal. With --encoder, make a version of the gate for another encoder instead.
    """
    options.check_folder(out, "--out")
    options.check_folder(settings_file, "--settings")
    if settings_file is not None and settings_file.exists():
        raise typer.BadParameter(f"{settings_file} exists; name a new file", param_hint="--settings")
    goals = _goals(precision, recall, f_beta, cost_ratio)
    if encoder is not None:
        if goals or max_missed is not None or settings_file is not None:
            raise typer.BadParameter(
                "it fits no threshold; leave the goal and --settings out", param_hint="--encoder"
            )
        _make_version(encoder, name, gate, files or [], skip_bad=skip_bad, json=json_output, out=out)
        return
    if name is not None:
        raise typer.BadParameter("it names the version that --encoder makes", param_hint="--name")
    if not files:
        raise typer.BadParameter("name a relevance set", param_hint="SET.jsonl")
    if len(goals) + (max_missed is not None) > 1:
        raise typer.BadParameter(
            "choose one of --precision, --recall, --f-beta, --cost-ratio and --max-missed"
        )
    from convgate.evaluation.calibration import BestFBeta
    from convgate.evaluation.fitting import fit_promise, fit_threshold

    with output.progress_bar() as progress:
        sets = [inputs.read_set(file, skip_bad=skip_bad) for file in files]
        policy, settings = _build_gate(gate)
        scored_by = f"gate {policy.version}"
        if max_missed is not None:
            fitted = fit_promise(sets, policy, max_missed, scored_by=scored_by, progress=progress)
        else:
            goal = goals[0] if goals else BestFBeta()
            fitted = fit_threshold(sets, policy, goal, scored_by=scored_by, progress=progress)
    if settings_file is not None:
        output.write_text(_settings_toml(fitted, policy, settings), settings_file)
    if json_output or out is not None:
        output.write_json({"gate": policy.version, **fitted.to_json()}, out)
    if not json_output:
        _show(fitted)


def _make_version(
    encoder: str,
    name: str | None,
    gate: str | None,
    files: list[Path],
    *,
    skip_bad: bool,
    json: bool,
    out: Path | None,
) -> None:
    """Add a version with the learned weights of another one, and show how to use it."""
    from convgate.core.extras import needs_extra
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, find_version

    with needs_extra("train", "calibrating an encoder"):
        from convgate.training.encoder_calibration import calibrate_encoder
    from convgate.training.sets import read_unlabelled
    from convgate.versions import Version, Versions

    settings = load_settings()
    versions = Versions(settings.home)
    parent = find_version(settings, gate)
    if not isinstance(parent, Version) or parent.config.encoder is None:
        raise typer.BadParameter(
            "only a version that was made for an encoder can be fitted to another", param_hint="--gate"
        )
    name = name or re.sub(r"[^a-z0-9._]+", "-", Path(encoder).name.lower()).strip("-._")
    versions.free_name(name)
    sets = read_unlabelled(files, skip_bad=skip_bad)
    conversations = [conversation for text in sets for conversation in text.cases.conversations.values()]
    with output.encoding_progress() as progress:
        own_encoder, other_encoder = (
            EncoderOnDemand(settings.model_copy(update={"encoder": model}))()
            for model in (parent.config.encoder.model, encoder)
        )
        if not parent.config.encoder.differences(other_encoder.identity):
            raise typer.BadParameter(f"{parent.name} was made for this encoder", param_hint="--encoder")
        loaded = parent.load(encoder=own_encoder.identity)
        calibrated = calibrate_encoder(loaded, own_encoder, other_encoder, conversations, progress=progress)
    version = versions.add(calibrated, _draft(parent, other_encoder.identity, sets), name=name)
    if json or out:
        output.write_json(version.to_json(), out)
        return
    typer.echo(
        f"Version {version.name} was made from {parent.name} for the encoder {other_encoder.identity},"
        f" measured on {len(conversations):,} conversations. To use it:"
    )
    typer.echo(f"  export CONVGATE_ENCODER={shlex.quote(encoder)}")
    typer.echo(f"  convgate versions activate {version.name}")


def _draft(parent: Version, encoder: EncoderIdentity, sets: list[TrainingSet]) -> Draft:
    from convgate.versions import Draft

    data = {item.sha256: item for item in parent.card.data}
    for text in sets:
        conversations = text.cases.conversations.values()
        counts = {"conversations": len(conversations), "messages": sum(map(len, conversations))}
        data.setdefault(text.data.sha256, replace(text.data, counts=counts))
    return Draft(
        threshold_rule=parent.card.threshold_rule,
        threshold_parameters=parent.card.threshold_parameters,
        parent=parent.as_parent(),
        data=tuple(data.values()),
        limits=parent.card.limits,
        note=f"{parent.name}, fitted to the encoder {encoder} without training.",
        who=login_name(),
    )


def _goals(
    precision: float | None, recall: float | None, f_beta: float | None, cost_ratio: float | None
) -> list[Goal]:
    from convgate.evaluation.calibration import BestFBeta, MinCost, MinPrecision, MinRecall

    kinds: list[tuple[Callable[[float], Goal], float | None]] = [
        (MinPrecision, precision), (MinRecall, recall), (BestFBeta, f_beta), (MinCost, cost_ratio)
    ]  # fmt: skip
    return [kind(value) for kind, value in kinds if value is not None]


def _settings_toml(fitted: FittedThreshold, policy: GatePolicy, settings: Settings) -> str:
    """Return the settings with which this version decides by the fitted rule, with the same encoder."""
    from convgate.policies.agent_settings import AgentSettings

    agent = AgentSettings.of(policy.with_rule(fitted.rule), settings)
    if agent.version is None:
        output.print_note(f"the settings name no version, since {policy.version} is a folder")
    return agent.to_toml()


def _build_gate(version: str | None) -> tuple[GatePolicy, Settings]:
    """Return the gate with its own rule, without limits: a threshold cannot change what those do."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.gate import GatePolicy

    settings = load_settings()
    policy = build_policy(GatePolicy.name, settings, EncoderOnDemand(settings), version=version)
    assert isinstance(policy, GatePolicy)
    if settings.min_turns or settings.max_turns is not None:
        output.print_note("min_turns and max_turns of the settings are ignored: only the threshold is fitted")
    return policy.with_rule(policy.rule), settings


def _show(fitted: FittedThreshold) -> None:
    from rich.console import Console
    from rich.text import Text

    from convgate.evaluation.fitting import FOUND, NOW
    from convgate.evaluation.report import KEPT_LEGEND, curve_table, rich_tables
    from convgate.evaluation.results import Evaluation
    from convgate.gate.thresholds import MaxMissed

    console = Console()
    rule, interval = fitted.rule, fitted.threshold.interval
    between = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""
    if isinstance(rule, MaxMissed):
        headline = f"Loses at most {rule.max_missed:.1%} of the needed turns, by {rule.fitted_on}."
    else:
        headline = f"Threshold {rule.threshold:.3f}{between} for {rule.goal}, on {rule.fitted_on}."
    console.print(Text(headline))
    console.print(f"{FOUND}: this rule; {NOW}: the rule {fitted.rule_now}.")
    for note in fitted.notes:
        console.print(Text(note))
    console.print()
    evaluation = Evaluation({fitted.result.name: fitted.result}, 0)
    intervals = console.width >= MIN_WIDTH_INTERVALS
    for table in rich_tables(evaluation, by_tag=True, intervals=intervals):
        console.print(table)
    console.print(curve_table(fitted.curve, found=fitted.row))
    console.print(KEPT_LEGEND, style="dim", markup=False, highlight=False)
