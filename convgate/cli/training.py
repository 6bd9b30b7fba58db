"""`convgate pretrain` and `convgate train`: make a new version of the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from convgate.cli.output import JsonOption, OutOption, SkipBadOption, tell, write_json
from convgate.errors import ConvgateError
from convgate.home import login_name

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from convgate.training.plan import Plan
    from convgate.training.trainer import Epoch

FilesArgument = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Relevance sets (JSONL); conversations without cases are woven.",
        metavar="SET.jsonl",
        exists=True,
    ),
]
NameOption = Annotated[str | None, typer.Option(help="What the new version is called.")]
RunOption = Annotated[
    Path | None,
    typer.Option(
        help="The run's folder. A run that was interrupted there goes on; without it, one is made.",
        file_okay=False,
    ),
]
EpochsOption = Annotated[int | None, typer.Option(help="At most this many epochs.", min=1, max=1000)]
RateOption = Annotated[float | None, typer.Option(help="The largest step size.", min=1e-6, max=0.1)]
SeedOption = Annotated[int, typer.Option(help="Fixes everything that is drawn.", min=0)]
NoteOption = Annotated[str, typer.Option(help="A sentence for the version's card.")]
WhoOption = Annotated[
    str | None, typer.Option(help="Who made it, for the version's card; your user name unless given.")
]
ActivateOption = Annotated[bool, typer.Option("--activate", help="Use the new version from now on.")]


def pretrain(
    files: FilesArgument = None,
    preset: Annotated[str, typer.Option(help="What the gate is built from: full or reference.")] = "full",
    name: NameOption = None,
    run: RunOption = None,
    epochs: EpochsOption = None,
    learning_rate: RateOption = None,
    seed: SeedOption = 0,
    note: NoteOption = "",
    who: WhoOption = None,
    activate: ActivateOption = False,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Train a gate from scratch: on the texts that come with convgate, and on the sets named.

    Ctrl-C leaves a run that goes on with the same command and --run FOLDER.
    """
    from convgate.training.plan import Plan
    from convgate.training.trainer import TrainingSettings

    given: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate}
    settings = TrainingSettings(
        seed=seed, **{key: value for key, value in given.items() if value is not None}
    )
    plan = Plan(tuple(files or ()), settings, preset=preset, skip_bad=skip_bad)
    wanted = _Wanted(name, note, who or login_name(), "always" if activate else "never")
    _train(plan, run, wanted, json=json_output, out=out)


def train(
    files: Annotated[
        list[Path],
        typer.Argument(help="Relevance sets (JSONL) to learn from.", metavar="SET.jsonl", exists=True),
    ],
    parent: Annotated[
        str | None, typer.Option("--from", help="The version to start from; the active one unless named.")
    ] = None,
    name: NameOption = None,
    run: RunOption = None,
    epochs: EpochsOption = None,
    learning_rate: RateOption = None,
    seed: SeedOption = 0,
    note: NoteOption = "",
    who: WhoOption = None,
    replay: Annotated[
        list[str] | None,
        typer.Option(
            help="Also train on texts that come with convgate, so that few labels make it forget nothing:"
            " scenarios, sequences or dialogues; may be repeated.",
            metavar="NAME",
        ),
    ] = None,
    learning_curve: Annotated[
        bool,
        typer.Option(
            "--learning-curve",
            help="Also train on a quarter, a half and three quarters of the conversations, to see whether"
            " more labels help.",
        ),
    ] = False,
    activate: Annotated[
        bool,
        typer.Option(
            "--activate/--no-activate",
            help="Use the new version when it is better than its parent on the conversations held out.",
        ),
    ] = True,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Train a version further on labelled conversations.

    A fifth of the conversations is held out for comparing both versions, and 15 % for choosing the epoch and
    the threshold; fewer than three are all trained on, and nothing is compared. Ctrl-C leaves a run that
    goes on with the same command and --run FOLDER.
    """
    from convgate.settings import load_settings
    from convgate.training.plan import Plan
    from convgate.training.trainer import FURTHER
    from convgate.versions.catalog import Versions
    from convgate.versions.names import UNTRAINED

    given: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    settings = replace(FURTHER, **{key: value for key, value in given.items() if value is not None})
    chosen = parent or Versions(load_settings().home).active or UNTRAINED
    if chosen == UNTRAINED:
        raise typer.BadParameter(
            "an untrained gate has nothing to go on from; `convgate pretrain` makes a version",
            param_hint="--from",
        )
    plan = Plan(
        tuple(files),
        settings,
        parent=chosen,
        skip_bad=skip_bad,
        replay=tuple(replay or ()),
        learning_curve=learning_curve,
    )
    wanted = _Wanted(name, note, who or login_name(), "better" if activate else "never")
    _train(plan, run, wanted, json=json_output, out=out)


@dataclass(frozen=True)
class _Wanted:
    """What is wanted of the version."""

    name: str | None
    note: str
    who: str
    activate: Literal["always", "better", "never"]


def _train(plan: Plan, run: Path | None, wanted: _Wanted, *, json: bool, out: Path | None) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from convgate.building import EncoderOnDemand
    from convgate.settings import load_settings
    from convgate.training.progress import StoppedError
    from convgate.training.request import REQUEST, new_id
    from convgate.training.run_list import FOLDER
    from convgate.training.runs import RECORD
    from convgate.training.session import train_version
    from convgate.versions.catalog import Versions

    settings = load_settings()
    folder = run or settings.home / FOLDER / new_id()
    if not (folder / REQUEST).exists():
        _request(plan, folder, wanted)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        try:
            outcome = train_version(
                plan,
                encoder=EncoderOnDemand(settings),
                versions=Versions(settings.home),
                run=folder,
                listener=_Shown(bar),
                name=wanted.name,
                note=wanted.note,
                who=wanted.who,
                activate=wanted.activate,
            )
        except (KeyboardInterrupt, StoppedError):
            tell(f"Stopped. The same command with --run {folder} goes on after the last whole epoch.")
            raise typer.Exit(130) from None
        except ConvgateError:
            if run is None and (folder / RECORD).exists():
                tell(f"The run is kept in {folder}: --run goes on with it.")
            elif run is None:
                rmtree(folder, ignore_errors=True)
            raise
    if json or out:
        write_json(outcome.to_json(), out)
        return
    name = outcome.version.name
    typer.echo(f"Version {name} was made; its learned threshold is {outcome.threshold:.2f}.")
    for sentence in (*outcome.notes, outcome.sentence, outcome.curve.sentence if outcome.curve else ""):
        if sentence:
            typer.echo(sentence)
    if outcome.active:
        typer.echo("It is the active version now.")
    else:
        why = outcome.why_not_active if wanted.activate == "better" else ""
        typer.echo(f"{why} `convgate versions activate {name}` uses it.".lstrip())


def _request(plan: Plan, folder: Path, wanted: _Wanted) -> None:
    """Write down what was asked for, with the words that go on with it from anywhere."""
    from convgate.training.errors import TrainingError
    from convgate.training.request import Request

    words = ["pretrain" if plan.parent is None else "train", *(str(file.absolute()) for file in plan.files)]
    given: dict[str, object] = {
        "--preset": plan.preset if plan.parent is None else None,
        "--from": plan.parent,
        "--run": folder.absolute(),
        "--epochs": plan.settings.epochs,
        "--learning-rate": plan.settings.learning_rate,
        "--seed": plan.settings.seed,
    }
    for option, value in given.items():
        words += [option, str(value)] if value is not None else []
    for option, text in {"--name": wanted.name, "--note": wanted.note, "--who": wanted.who}.items():
        words += [f"{option}={text}"] if text else []
    for name in plan.replay:
        words += ["--replay", name]
    words += ["--learning-curve"] * plan.learning_curve + ["--skip-bad"] * plan.skip_bad
    words += ["--activate"] * (wanted.activate != "never")
    words += ["--no-activate"] * (wanted.activate == "never" and plan.parent is not None)
    request = Request(
        arguments=tuple(words),
        parent=plan.parent,
        sets=tuple(file.stem for file in plan.files),
        replay=plan.replay,
        epochs=plan.settings.epochs,
        name=wanted.name or "",
        note=wanted.note,
        who=wanted.who,
        learning_curve=plan.learning_curve,
        started=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
    try:
        request.write(folder)
    except OSError as error:
        raise TrainingError(f"no run can be kept in {folder}: {error.strerror}") from error


class _Shown:
    """A bar for the present stage on a terminal, and a line for every epoch."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def stage(self, what: str) -> None:
        from convgate.transcripts.characters import printable

        self._bar.reset(self._task, total=None, description=printable(what))

    def progress(self, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total)

    def epoch(self, epoch: Epoch) -> None:
        mark = "  best so far" if epoch.best else ""
        self._bar.console.print(
            f"epoch {epoch.number:3}  loss {epoch.loss:.3f}  validation {epoch.validation_loss:.3f}"
            f"  precision {epoch.precision:.3f}  recall {epoch.recall:.3f}"
            f"  residual gate {epoch.activation:.3f}{mark}",
            highlight=False,
        )
