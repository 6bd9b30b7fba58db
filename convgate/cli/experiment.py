"""`convgate experiment`: compare arms with a control on requests that people, tests or a model rated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli import inputs, options, output
from convgate.cli.offline_experiment import AlphaOption, LooksOption, ablate, power, read_looks, replay
from convgate.cli.result import Part, Result, Table, pick, with_json
from convgate.core.home import login_name
from convgate.core.text import pluralize

if TYPE_CHECKING:
    from convgate.experiments.arms import Experiment
    from convgate.experiments.report import ExperimentReport
    from convgate.store import Store

experiment = typer.Typer(
    no_args_is_help=True, help="Experiments: does another selection give better answers?"
)

for command in (replay, ablate, power):
    experiment.command()(command)

NameArgument = Annotated[str, typer.Argument(help="The experiment.", metavar="NAME")]
RaterOption = Annotated[str | None, typer.Option("--rater", help="Who rates; your user name by default.")]


@experiment.command()
@with_json
def create(
    name: NameArgument,
    arm: Annotated[
        list[str],
        typer.Option(
            help="An arm with free tokens; the first is the control. A policy such as last_k(k=3), everything"
            " or none, a settings file, or alone:POLICY.",
            metavar="ARM=POLICY",
        ),
    ],
    matched: Annotated[
        list[str], typer.Option(help="An arm with as many tokens as the control's.", metavar="ARM=POLICY")
    ] = [],  # noqa: B006
    planned: Annotated[
        int | None, typer.Option(help="Rated trials of each arm; see `convgate experiment power`.", min=1)
    ] = None,
    looks: LooksOption = "1",
    alpha: AlphaOption = 0.05,
    seed: Annotated[int, typer.Option(help="Of the assignment.")] = 0,
    shared_raters: Annotated[
        bool, typer.Option("--shared-raters", help="Show raters the answers of every arm.")
    ] = False,
    settings_file: options.SettingsFileOption = None,
) -> Result:
    """Create an experiment. Its arms keep the settings of this moment and the active version of the gate."""
    from convgate.core.settings import load_settings
    from convgate.experiments.arms import Experiment, create_experiment, read_arm
    from convgate.experiments.power import BASELINE, TARGET, PowerPlan

    settings = load_settings(settings_file)
    arms = tuple(
        read_arm(
            *options.parse_arm(text, f"--{option}"), "matched" if option == "matched" else "free", settings
        )
        for option, texts in (("arm", arm), ("matched", matched))
        for text in texts
    )
    created = Experiment(
        name=name,
        arms=arms,
        seed=seed,
        started=datetime.now(UTC),
        planned=planned or PowerPlan(BASELINE, TARGET).per_arm,
        alpha=alpha,
        looks=read_looks(looks),
        shared_raters=shared_raters,
    )
    if matched and arms[0].settings.policy == "everything":
        output.print_note(
            "the control sends everything, and so does a policy with as many tokens; take another control"
        )
    create_experiment(inputs.open_library(), created)
    text = f"Created {name}: {pluralize(len(arms), 'arm')}, {created.planned:,} rated trials of each planned."
    return Result(_experiment_json(created), text)


@experiment.command("list")
@with_json
def list_experiments() -> Result:
    """List the experiments, the newest first."""
    from convgate.experiments.arms import load_experiment
    from convgate.store.experiments import Experiments

    store = inputs.open_library()
    rows = [_experiment_json(load_experiment(store, name)) for name in Experiments(store).names()]
    table = Table(rows, {"arms": "prose"}, names=("name", "arms", "planned"), empty="No experiments.")
    return Result({"experiments": rows}, table)


@experiment.command()
@with_json
def assign(
    name: NameArgument,
    session: Annotated[str, typer.Argument(help="The session's id.", metavar="SESSION")],
    mode: Annotated[str, typer.Option(help="Mode of its first message.")] = "",
    difficulty: Annotated[str, typer.Option(help="Such as easy or hard.")] = "",
    model: Annotated[str, typer.Option(help="Version of the language model.")] = "",
    tenant: Annotated[str, typer.Option(help="Customer or team.")] = "",
) -> Result:
    """Print the arm of a session, assigned at its first turn and never switched."""
    from convgate.experiments.trials import assign_session
    from convgate.store.experiments import Stratum

    store, opened = _open(name)
    arm = assign_session(store, opened, session, Stratum(mode, difficulty, model, tenant))
    values = {"session_id": session, "arm": arm.name, "limit": arm.limit}
    return Result(values, arm.name)


@experiment.command()
@with_json
def record(
    name: NameArgument,
    file: Annotated[
        Path,
        typer.Argument(
            help="Lines of trials; - reads standard input.", metavar="FILE.jsonl", allow_dash=True
        ),
    ],
    dry_run: options.DryRunOption = False,
    skip_bad: options.SkipBadOption = False,
) -> Result:
    """Store trials: all lines of a file, or none when one is bad or recorded already.

    A line: {"request_id", "session_id", "latency_seconds", "tokens", "answer_test"?: "pass" or "fail",
    "messages"?: […], "answer"?, "sent"?: indices, "needed"?: indices, "arm"?}. Without an arm, the session's
    is meant.
    """
    from convgate.experiments.arms import load_experiment
    from convgate.experiments.trials import read_trials, record_trials

    trials, problems = read_trials(inputs.open_source(file), skip_bad=skip_bad)
    output.print_problems(problems)
    with inputs.writable_library(dry_run=dry_run) as store, store.write():
        record_trials(store, load_experiment(store, name), trials)
    text = f"{pluralize(len(trials), 'trial')} recorded" + ("; this was a dry run." if dry_run else ".")
    return Result({"recorded": len(trials), "kept": not dry_run}, text)


@experiment.command()
@with_json
def rate(
    name: NameArgument,
    trial: Annotated[
        int | None, typer.Argument(help="The trial's number; without it, the next is shown.", metavar="TRIAL")
    ] = None,
    completed: Annotated[
        bool | None, typer.Option("--completed/--not-completed", help="Whether the request was completed.")
    ] = None,
    error: Annotated[
        list[str],
        typer.Option(
            help="contradiction, forgotten_constraint, wrong_reference or hallucination; may be repeated.",
            metavar="KIND",
        ),
    ] = [],  # noqa: B006
    errors_unsure: Annotated[
        bool, typer.Option("--errors-unsure", help="You cannot say whether there are errors.")
    ] = False,
    focus: Annotated[
        int | None, typer.Option(help="1 (off the point) to 5 (to the point).", min=1, max=5)
    ] = None,
    rater: RaterOption = None,
) -> Result:
    """Show the next trial to rate, without its arm, or rate a trial.

    Leave out --completed or --focus when you are unsure. Without --error there are no errors.
    """
    from convgate.experiments.trials import next_trial, rate_trial
    from convgate.store.experiments import Rating

    who, (store, opened) = rater or login_name(), _open(name)
    if trial is None:
        if completed is not None or error or errors_unsure or focus is not None:
            raise typer.BadParameter("name the trial that you rate", param_hint="TRIAL")
        shown = next_trial(store, opened, who)
        if shown is None:
            return Result({"trial": None}, "No trial needs your rating.")
        lines = [f"{message.get('role', '')}: {message.get('content', '')}" for message in shown.messages]
        parts = [f"Trial {shown.number}", *lines, "", f"Answer: {shown.answer}"]
        return Result({"trial": pick(shown, "number", "messages", "answer")}, parts)
    if completed is None and focus is None and not error and not errors_unsure:
        raise typer.BadParameter("say what you rate: --completed, --not-completed, --error, --focus, …")
    if error and errors_unsure:
        raise typer.BadParameter("--error or --errors-unsure, not both")
    rating = Rating(trial, who, completed, None if errors_unsure else tuple(error), focus)
    rate_trial(store, opened, rating)
    values = pick(rating, "trial", "rater", "completed", "errors", "focus")
    return Result({"rated": values}, f"Trial {trial} rated by {who}.")


@experiment.command()
@with_json
def judge(
    name: NameArgument,
    rubric: Annotated[
        Path | None, typer.Option(help="A text file with the rubric.", exists=True, dir_okay=False)
    ] = None,
    settings_file: options.SettingsFileOption = None,
) -> Result:
    """Let the language model of experiment.model rate the errors of answers.

    People check one trial of ten; the judge pauses while it disagrees with them on more than 10%.
    """
    from convgate.core.settings import load_settings
    from convgate.experiments.judge import RUBRIC, Judge, read_rubric
    from convgate.language_model import LanguageModel

    store, opened = _open(name)
    text = RUBRIC if rubric is None else read_rubric(rubric)
    model = LanguageModel.of(load_settings(settings_file), "experiment")
    with output.progress_bar() as show:
        run = Judge(model, text).judge_all(store, opened, partial(show, "Judging"))
    sentence = (
        f"{pluralize(run.judged, 'trial')} judged, {run.cached:,} from the cache, {run.failed:,} failed;"
        f" cost {run.cost:.4g}."
    )
    if run.is_paused:
        output.print_note("The judge is paused: it disagrees with people on too many checked trials.")
    return Result(asdict(run), sentence)


@experiment.command()
@with_json
def report(name: NameArgument) -> Result:
    """Show the figures of each arm, and the verdict on each comparison with the control."""
    from convgate.experiments.report import report as make_report

    store, opened = _open(name)
    made = make_report(store, opened)
    return Result(made.to_json(), _show_report(made))


@experiment.command()
@with_json
def delete(name: NameArgument) -> Result:
    """Delete an experiment with its trials and ratings. This cannot be undone."""
    from convgate.store.experiments import Experiments

    Experiments(inputs.open_library()).delete(name)
    return Result({"deleted": name}, f"Deleted {name}.")


def _open(name: str) -> tuple[Store, Experiment]:
    from convgate.experiments.arms import load_experiment

    store = inputs.open_library()
    return store, load_experiment(store, name)


def _experiment_json(experiment: Experiment) -> dict[str, Any]:
    values = pick(experiment, "name", "started", "planned", "alpha", "seed", "shared_raters")
    looks = [float(look) for look in experiment.looks]
    return values | {"looks": looks, "arms": [arm.name for arm in experiment.arms]}


def _show_report(report: ExperimentReport) -> Iterable[Part]:
    yield f"{report.experiment}: {report.rated:,} of {report.planned:,} planned trials are rated."
    names = {
        "completed": "completion_rate", "errors": "error_rate", "focus": "focus",
        "seconds": "latency_p50_seconds", "tokens": "tokens",
    }  # fmt: skip
    yield Table(
        [
            pick(arm, "arm", "trials", "rated") | {name: getattr(arm, field) for name, field in names.items()}
            for arm in report.arms
        ]
    )
    if report.unrated:
        yield f"{pluralize(report.unrated, 'trial')} to rate."
    if report.judge is not None:
        state = " It is paused." if report.judge.is_paused else ""
        yield (
            f"The judge rated {report.judge.judged:,} trials; on {report.judge.disagreed:,} of"
            f" {report.judge.checked:,} checked ones people disagree.{state}"
        )
    yield Table([asdict(arm) for arm in report.signals if arm.trials])
    for comparison in report.comparisons:
        kind = "confirmatory" if comparison.limit == "matched" else "supporting"
        yield f"{comparison.arm} ({kind}): {comparison.verdict.sentence}"
