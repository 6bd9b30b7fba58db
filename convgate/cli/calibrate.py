"""`convgate calibrate`: the threshold that labelled cases ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from convgate.cli.encoder_calibration import make_version_for
from convgate.cli.evaluate import PlotsOption, make_folder, read_set, stage_bar
from convgate.cli.output import GateOption, JsonOption, SkipBadOption, tell, write_json, write_text

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.evaluation.calibration import Goal
    from convgate.evaluation.fitting import FittedThreshold
    from convgate.policies.gate import GatePolicy

INTERVALS_FROM_WIDTH = 60  # columns
_WITH_ENCODER = {"files", "gate", "encoder", "name", "skip_bad", "json_output", "out"}


def calibrate(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(help="Relevance sets (JSONL); with --encoder any transcripts.", metavar="SET.jsonl"),
    ] = None,
    gate: GateOption = None,
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
        float | None,
        typer.Option(help="Wanted precision, up to 1: the most recall that has it.", metavar="P"),
    ] = None,
    recall: Annotated[
        float | None, typer.Option(help="Wanted recall, up to 1: the highest threshold with it.", metavar="R")
    ] = None,
    f_beta: Annotated[
        float | None,
        typer.Option(
            help="The best F-beta: above 1 for recall, below 1 for precision. The best F1 is the default.",
            metavar="B",
        ),
    ] = None,
    cost_ratio: Annotated[
        float | None,
        typer.Option(
            help="The least cost, where keeping an irrelevant turn costs C and dropping a relevant one costs"
            " 1: 0.25 keeps more, 4 keeps less.",
            metavar="C",
        ),
    ] = None,
    pool: Annotated[
        Literal["cases", "sets"],
        typer.Option(help="Whether every case's turns count alike, or every set's in sum."),
    ] = "cases",
    limit: Annotated[
        int | None,
        typer.Option(help="At most this many cases a set, evenly spread, for a quick look.", min=1),
    ] = None,
    skip_bad: SkipBadOption = False,
    seed: Annotated[int, typer.Option(help="Seed of the bootstrap.", min=0)] = 0,
    json_output: JsonOption = False,
    out: Annotated[Path | None, typer.Option(help="Write JSON to a file.", dir_okay=False)] = None,
    settings_file: Annotated[
        Path | None,
        typer.Option(
            "--settings", help="Write a new settings file that uses the found rule.", dir_okay=False
        ),
    ] = None,
    plots: PlotsOption = None,
) -> None:
    """Fit the gate's threshold on labelled cases, and lay the found rule beside the one in use.

    With --encoder, make a version of the gate for another encoder instead.
    """
    _check_places(out, settings_file)
    if encoder is not None:
        _check_no_threshold_options(context)
        make_version_for(encoder, name, gate, files or [], skip_bad=skip_bad, json=json_output, out=out)
        return
    if name is not None:
        raise typer.BadParameter("it names the version that --encoder makes", param_hint="--name")
    if not files:
        raise typer.BadParameter("name a relevance set", param_hint="SET.jsonl")
    goal = _goal(precision, recall, f_beta, cost_ratio)
    make_folder(plots)
    from convgate.evaluation.fitting import fit_threshold

    with stage_bar() as progress:
        sets = [read_set(file, skip_bad=skip_bad, limit=limit) for file in files]
        policy, settings = _gate(gate)
        fitted = fit_threshold(
            sets, policy, goal,
            pool=pool, scored_by=f"gate {policy.version}", progress=progress, seed=seed,
        )  # fmt: skip
    if plots is not None:
        from convgate.figures.reports import calibration_page

        write_text(calibration_page(fitted), plots / "calibration.html")
    if settings_file is not None:
        write_text(_settings_toml(fitted, policy, settings), settings_file)
    if json_output or out is not None:
        write_json({"gate": policy.version, **fitted.to_json()}, out)
    if not json_output:
        _show(fitted, seed)


def _check_no_threshold_options(context: typer.Context) -> None:
    for parameter in context.command.params:
        source = context.get_parameter_source(str(parameter.name))
        if source is not None and source.name == "COMMANDLINE" and parameter.name not in _WITH_ENCODER:
            raise typer.BadParameter(
                "it is about thresholds, and --encoder fits none; leave one of the two out",
                param_hint=parameter.opts[0],
            )


def _settings_toml(fitted: FittedThreshold, policy: GatePolicy, settings: Settings) -> str:
    """The settings file with which this version decides by the found rule, on scores of the same encoder."""
    from convgate.policies.agent_settings import AgentSettings

    found = AgentSettings.of(policy.with_rule(fitted.rule), settings)
    if found.version is None:
        tell(f"the settings name no version, for {policy.version} is a folder; `convgate versions` keeps one")
    return found.to_toml()


def _goal(
    precision: float | None, recall: float | None, f_beta: float | None, cost_ratio: float | None
) -> Goal:
    from convgate.evaluation.calibration import BestFBeta, LeastCost, WantedPrecision, WantedRecall

    wanted: list[tuple[Callable[[float], Goal], float | None]] = [
        (WantedPrecision, precision), (WantedRecall, recall), (BestFBeta, f_beta), (LeastCost, cost_ratio)
    ]  # fmt: skip
    goals = [kind(value) for kind, value in wanted if value is not None]
    if len(goals) > 1:
        raise typer.BadParameter("choose one of --precision, --recall, --f-beta and --cost-ratio")
    return goals[0] if goals else BestFBeta()


def _check_places(out: Path | None, settings_file: Path | None) -> None:
    """Refuse places that cannot be written to before an hour of work, not after it."""
    for option, path in (("--out", out), ("--settings", settings_file)):
        if path is not None and not path.absolute().parent.is_dir():
            raise typer.BadParameter(f"the folder of {path} does not exist", param_hint=option)
    if settings_file is not None and settings_file.exists():
        raise typer.BadParameter(
            f"{settings_file} exists, and may hold settings of yours; name a new file and copy its lines",
            param_hint="--settings",
        )


def _gate(version: str | None) -> tuple[GatePolicy, Settings]:
    """The gate with its own rule, without limits: a threshold cannot change what those do."""
    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand, build_policy
    from convgate.policies.gate import GatePolicy

    settings = load_settings()
    policy = build_policy(GatePolicy.name, settings, EncoderOnDemand(settings), version=version)
    assert isinstance(policy, GatePolicy)
    if settings.min_turns or settings.max_turns is not None:
        tell("min_turns and max_turns of the settings are left aside: what is fitted is the threshold alone")
    return policy.with_rule(policy.rule), settings


def _show(fitted: FittedThreshold, seed: int) -> None:
    from rich.console import Console
    from rich.text import Text

    from convgate.evaluation.fitting import FOUND, NOW
    from convgate.evaluation.report import KEPT_LEGEND, curve_table, rich_tables
    from convgate.evaluation.results import Evaluation

    console = Console()
    rule, interval = fitted.rule, fitted.threshold.interval
    between = f" ({interval[0]:.3f}–{interval[1]:.3f})" if interval else ""
    console.print(Text(f"Threshold {rule.threshold:.3f}{between} for {rule.goal}, on {rule.fitted_on}."))
    console.print(f"{FOUND}: the rule with this threshold; {NOW}: the rule {fitted.rule_now}.")
    for note in fitted.notes:
        console.print(Text(note))
    console.print()
    evaluation = Evaluation({fitted.result.name: fitted.result}, seed)
    intervals = console.width >= INTERVALS_FROM_WIDTH
    for table in rich_tables(evaluation, by_tag=True, intervals=intervals):
        console.print(table)
    console.print(curve_table(fitted.curve, found=fitted.row))
    console.print(KEPT_LEGEND, style="dim", markup=False, highlight=False)
