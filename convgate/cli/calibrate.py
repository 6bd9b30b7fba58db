"""`convgate calibrate`: fit the threshold on labelled cases, or a version to another encoder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer import Argument, Option

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, check_folder, with_json, write_text
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.evaluation.fitting import FittedThreshold
    from convgate.policies.gate import GatePolicy

MIN_WIDTH_INTERVALS = 60  # columns


@with_json
def calibrate(
    files: Annotated[list[Path] | None, Argument(help="Relevance sets.", metavar="SET.jsonl")] = None,
    gate: options.GateOption = None,
    encoder: Annotated[str | None, Option(help="Make a version for this encoder instead.")] = None,
    name: Annotated[str | None, Option(help="With --encoder: what the new version is called.")] = None,
    precision: Annotated[
        float | None, Option(help="Lowest precision allowed: the most recall that has it.")
    ] = None,
    recall: Annotated[
        float | None, Option(help="Lowest recall allowed: the highest threshold that has it.")
    ] = None,
    f_beta: Annotated[float | None, Option(help="The best F-beta; above 1 for recall.")] = None,
    cost_ratio: Annotated[float | None, Option(help="The cost of a false keep in false drops.")] = None,
    max_missed: Annotated[float | None, Option(help="Max share of needed turns that are lost.")] = None,
    settings_file: Annotated[Path | None, Option("--settings", help="Write settings that use it.")] = None,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Fit the gate's threshold on labelled cases, and compare it with the rule in use.

    The best F1 is the default goal; the settings go to a new file. With --encoder, make a version with the
    same learned weights for another encoder, measured on the transcripts, or on texts of convgate.
    """
    from convgate.evaluation.fitting import fit_promise, fit_threshold
    from convgate.evaluation.goals import Goal
    from convgate.evaluation.sending import Sending

    check_folder(settings_file, "--settings")
    if settings_file is not None and settings_file.exists():
        raise typer.BadParameter(f"{settings_file} exists; name a new file", param_hint="--settings")
    given = [value for value in (precision, recall, f_beta, cost_ratio, max_missed) if value is not None]
    if encoder is not None:
        if given or settings_file is not None:
            message = "it fits no threshold; leave the goal and --settings out"
            raise typer.BadParameter(message, param_hint="--encoder")
        return _make_version(encoder, name, gate, files or [], skip_bad=skip_bad)
    if name is not None:
        raise typer.BadParameter("it names the version that --encoder makes", param_hint="--name")
    if not files:
        raise typer.BadParameter("name a relevance set", param_hint="SET.jsonl")
    if len(given) > 1:
        raise typer.BadParameter(
            "choose one of --precision, --recall, --f-beta, --cost-ratio and --max-missed"
        )
    with output.progress_bar() as progress:
        sets = [inputs.read_set(file, skip_bad=skip_bad) for file in files]
        policy, settings = _build_gate(gate)
        measured: dict[str, Any] = {
            "scored_by": f"gate {policy.version}", "sending": Sending.of(settings), "progress": progress
        }  # fmt: skip
        if max_missed is not None:
            fitted = fit_promise(sets, policy, max_missed, **measured)
        else:
            goal = (
                Goal.min_precision(precision) if precision is not None
                else Goal.min_recall(recall) if recall is not None
                else Goal.min_cost(cost_ratio) if cost_ratio is not None
                else Goal.best_f_beta() if f_beta is None else Goal.best_f_beta(f_beta)
            )  # fmt: skip
            fitted = fit_threshold(sets, policy, goal, **measured)
    if settings_file is not None:
        write_text(_settings_toml(fitted, policy, settings), settings_file)
    return Result({"gate": policy.version, **fitted.to_json()}, _show(fitted))


def _make_version(
    encoder: str, name: str | None, gate: str | None, files: list[Path], *, skip_bad: bool
) -> Result:
    """Add a version with the learned weights of another one, and show how to use it."""
    from convgate.core.extras import needs_extra
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, find_version

    with needs_extra("train", "calibrating an encoder"):
        from convgate.training.encoder_calibration import add_version_for
    from convgate.training.sets import read_unlabelled
    from convgate.versions import Version, Versions

    settings = load_settings()
    versions, parent = Versions(settings.home), find_version(settings, gate)
    if not isinstance(parent, Version) or parent.config.encoder is None:
        message = "only a version that was made for an encoder can be fitted to another"
        raise typer.BadParameter(message, param_hint="--gate")
    name = name or re.sub(r"[^a-z0-9._]+", "-", Path(encoder).name.lower()).strip("-._")
    versions.free_name(name)
    sets = read_unlabelled(files, skip_bad=skip_bad)
    with output.encoding_progress() as progress:
        own, other = (
            EncoderOnDemand(settings.updated(encoder=model))()
            for model in (parent.config.encoder.model, encoder)
        )
        if not parent.config.encoder.differences(other.identity):
            raise typer.BadParameter(f"{parent.name} was made for this encoder", param_hint="--encoder")
        version = add_version_for(
            other, own, parent, versions, sets, name=name, who=login_name(), progress=progress
        )
    measured = sum(len(each.cases.conversations) for each in sets)
    return Result(
        version.to_json(),
        f"Version {version.name} was made from {parent.name} for the encoder {other.identity},"
        f" measured on {measured:,} conversations. To use it:",
        f"  export CONVGATE_ENCODER={shlex.quote(encoder)}",
        f"  convgate versions activate {version.name}",
    )


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


def _show(fitted: FittedThreshold) -> Iterator[Part]:
    from rich.console import Console

    from convgate.evaluation.fitting import FOUND, NOW
    from convgate.evaluation.report import KEPT_LEGEND, curve_table, rich_tables
    from convgate.evaluation.results import Evaluation

    yield fitted.headline
    yield f"{FOUND}: this rule; {NOW}: the rule {fitted.rule_now}."
    yield from fitted.notes
    yield ""
    intervals = Console().width >= MIN_WIDTH_INTERVALS
    yield from rich_tables(
        Evaluation({fitted.result.name: fitted.result}, 0), by_tag=True, intervals=intervals
    )
    yield curve_table(fitted.curve, found=fitted.row)
    yield KEPT_LEGEND
