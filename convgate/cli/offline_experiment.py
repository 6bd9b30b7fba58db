"""`convgate experiment` without a stored one: arms on labelled conversations, and the power."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.result import Part, Result, Table, check_folder, fields, with_json, write_text
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.core.settings import Settings
    from convgate.experiments.replay import AnswerCheck, Budget
    from convgate.language_model import LanguageModel
    from convgate.transcripts import RelevanceSet

SetsArgument = Annotated[
    list[Path] | None,
    typer.Argument(help="Relevance sets; the gold labels of the library by default.", metavar="SET.jsonl"),
]
ModelOption = Annotated[
    bool, typer.Option("--model", help="Let the language model of experiment.model answer what is sent.")
]
TestsOption = Annotated[
    Path | None,
    typer.Option(
        help='Lines {"case", "contains"}: what an answer contains that passes. The judge looks for errors'
        " otherwise.",
        metavar="FILE.jsonl",
        exists=True,
        dir_okay=False,
    ),
]

LooksOption = Annotated[
    str, typer.Option(help="Shares of the planned trials at which the arms are compared.", metavar="0.5,1")
]
AlphaOption = Annotated[
    float, typer.Option(help="Probability of a false positive, over hypotheses and looks.")
]


@with_json
def replay(
    arm: Annotated[
        list[str],
        typer.Option(
            help="An arm; the first is the control. As for create, or random.", metavar="ARM=POLICY"
        ),
    ],
    files: SetsArgument = None,
    budget: Annotated[
        list[str],
        typer.Option(
            help="An arm's own choice, the control's tokens for the same request, or a share of the history.",
            metavar="free|matched|0.35",
        ),
    ] = ["free", "matched"],  # noqa: B006
    model: ModelOption = False,
    tests: TestsOption = None,
    skip_bad: options.SkipBadOption = False,
    settings_file: options.SettingsFileOption = None,
) -> Result:
    """Replay labelled conversations: which of the needed turns does each arm send, at which tokens?"""
    from convgate.core.settings import load_settings
    from convgate.experiments.replay import load_arms
    from convgate.experiments.replay import replay as run

    settings = load_settings(settings_file)
    budgets = [_read_budget(text) for text in budget]
    sets = _read_sets(files, skip_bad=skip_bad)
    arms = load_arms(dict(options.parse_arm(text, "--arm") for text in arm), settings)
    chat, check = _load_check(settings, tests, skip_bad=skip_bad) if model else (None, None)
    with output.progress_bar() as progress:
        replays = [run(each, arms, budgets, model=chat, check=check, progress=progress) for each in sets]
    values: dict[str, Any] = {"sets": [each.to_json() for each in replays]}
    if chat is not None:
        values["cost"] = chat.use.cost
    return Result(values, _show_replays(values))


@with_json
def ablate(
    files: SetsArgument = None,
    only: Annotated[
        list[str] | None, typer.Option(help="turns, mode or length; all by default.", metavar="ABLATION")
    ] = None,
    share: Annotated[float, typer.Option(help="N, as a share of the history's tokens.")] = 0.35,
    charts: Annotated[
        Path | None, typer.Option(help="Draw the outcome over tokens to this HTML file.", dir_okay=False)
    ] = None,
    model: ModelOption = False,
    tests: TestsOption = None,
    skip_bad: options.SkipBadOption = False,
    settings_file: options.SettingsFileOption = None,
) -> Result:
    """Replay ablations: fewer turns, the filter by mode vs. turns at random, the length."""
    from convgate.core.settings import load_settings
    from convgate.experiments.ablations import ABLATIONS
    from convgate.experiments.ablations import ablate as run

    check_folder(charts, "--charts")
    chosen = [ablation for ablation in ABLATIONS if not only or ablation in only]
    if only and set(only) - set(ABLATIONS):
        raise typer.BadParameter(f"there are {', '.join(ABLATIONS)}", param_hint="--only")
    settings = load_settings(settings_file)
    sets = _read_sets(files, skip_bad=skip_bad)
    chat, check = _load_check(settings, tests, skip_bad=skip_bad) if model else (None, None)
    with output.progress_bar() as progress:
        results = [
            run(each, settings, chosen, share=share, model=chat, check=check, progress=progress)
            for each in sets
        ]
    if charts is not None:
        from convgate.figures.experiments import ablations_page

        write_text(ablations_page(results), charts)
    tables: list[Part] = []
    for result in results:
        names = ("ablation", "arm", "group", "cases", "tokens", "outcome")
        tables += [f"{result.name}: {result.outcome}", Table(result.to_json()["points"], names=names)]
    return Result({"sets": [result.to_json() for result in results]}, tables)


@with_json
def power(
    baseline: Annotated[float, typer.Option(help="Rate of the control.")] = 0.65,
    target: Annotated[float, typer.Option(help="Rate of the arm.")] = 0.715,
    power: Annotated[float, typer.Option(help="Probability to find the difference.")] = 0.8,
    alpha: AlphaOption = 0.05,
    icc: Annotated[float, typer.Option(help="Correlation of two trials of a session.")] = 0.05,
    session_size: Annotated[float, typer.Option(help="Trials of a session.")] = 5,
    allowance: Annotated[float, typer.Option(help="Further trials for strata, as a share.")] = 0.15,
    hypotheses: Annotated[int, typer.Option(help="Hypotheses that share alpha.", min=1)] = 1,
) -> Result:
    """Compute how many trials each arm needs."""
    from convgate.experiments.power import DESIGN_PER_ARM, PowerPlan

    plan = PowerPlan(baseline, target, power, alpha / hypotheses, icc, session_size, allowance)
    values = asdict(plan) | {
        "independent": plan.independent,
        "design_effect": plan.design_effect,
        "per_arm": plan.per_arm,
        "power_at_per_arm": plan.power_at(plan.per_arm),
        f"power_at_{DESIGN_PER_ARM}": plan.power_at(DESIGN_PER_ARM),
    }
    return Result(values, fields(values, "plan"))


def read_looks(text: str) -> tuple[float, ...]:
    """Return shares of the planned trials, such as those of "0.5,1"; BadParameter for other text."""
    try:
        return tuple(float(number) for number in text.split(","))
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is no list of numbers such as 0.5,1", param_hint="--looks"
        ) from error


def _read_sets(files: list[Path] | None, *, skip_bad: bool) -> list[RelevanceSet]:
    from convgate.labels.gold import gold_set

    if not files:
        return [gold_set(inputs.open_library())]
    return [inputs.read_set(file, skip_bad=skip_bad) for file in files]


def _load_check(
    settings: Settings, tests: Path | None, *, skip_bad: bool
) -> tuple[LanguageModel, AnswerCheck]:
    """Return the model that answers, and the check of its answers: by tests, or by the judge."""
    from convgate.experiments.judge import Judge
    from convgate.experiments.replay import check_by_judge, check_by_tests, read_tests
    from convgate.language_model import LanguageModel
    from convgate.store.experiments import Experiments

    model = LanguageModel.of(settings, "experiment")
    if tests is not None:
        texts, problems = read_tests(inputs.open_source(tests), skip_bad=skip_bad)
        output.print_problems(problems)
        return model, check_by_tests(texts)
    return model, check_by_judge(Judge(model), Experiments(inputs.open_library()))


def _show_replays(values: dict[str, Any]) -> Iterable[Part]:
    from convgate.experiments.replay import METRICS, RECALL

    for each in values["sets"]:
        counts = f"{pluralize(each['cases'], 'case')}, {pluralize(each['conversations'], 'conversation')}"
        failed = f", {each['failed']:,} without an answer" if each["failed"] else ""
        yield f"{each['set']}: {counts}{failed}; the control is {each['control']}."
        for budget in dict.fromkeys(row["budget"] for row in each["rows"]):
            yield f"budget {budget}"
            rows = []
            for row in each["rows"]:
                if row["budget"] == budget:
                    low, high = row["ci"][RECALL] or (None, None)
                    rows.append(row | {"low": low, "high": high})
            known = [name for name in METRICS if name not in (RECALL, "tokens") and rows[0][name] is not None]
            yield Table(rows, names=("arm", RECALL, "low", "high", *known))
    if "cost" in values:
        yield f"Cost {values['cost']:.4g}."


def _read_budget(text: str) -> Budget:
    if text == "free":
        return "free"
    if text == "matched":
        return "matched"
    try:
        return float(text)
    except ValueError as error:
        raise typer.BadParameter(
            f"{text!r} is neither free, matched nor a share such as 0.35", param_hint="--budget"
        ) from error
