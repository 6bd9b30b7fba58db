"""`convgate train`: make a new version of the gate."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated, Any

import typer

from convgate.cli.options import JsonOption, OutOption, SkipBadOption
from convgate.cli.output import tell, write_json
from convgate.core.errors import ConvgateError
from convgate.core.home import login_name

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from convgate.training.epochs import Epoch
    from convgate.training.records import Activate
    from convgate.training.sets import Plan

NameOption = Annotated[str | None, typer.Option(help="What the new version is called.")]
RunOption = Annotated[
    Path | None,
    typer.Option(
        help="The run's folder; an interrupted run there is resumed. Without it, one is made.",
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
    activate: Annotated[
        bool,
        typer.Option(
            "--activate/--no-activate",
            help="Activate the new version when the 95% interval of its gain on its parent excludes 0, on at"
            " least 25 held-out conversations.",
        ),
    ] = True,
    skip_bad: SkipBadOption = False,
    json_output: JsonOption = False,
    out: OutOption = None,
) -> None:
    """Train a version further on labelled conversations.

    A fifth of the conversations is held out for comparing both versions; about a third of the others chooses
    the epoch and the threshold. With fewer than 25, both are compared by cross-validation; with fewer than
    three, nothing is compared. After Ctrl-C, the same command with --run FOLDER resumes.
    """
    from convgate.core.settings import load_settings
    from convgate.training.epochs import FURTHER
    from convgate.training.sets import Plan
    from convgate.versions import UNTRAINED, Versions

    given: dict[str, Any] = {"epochs": epochs, "learning_rate": learning_rate, "seed": seed}
    settings = replace(FURTHER, **{key: value for key, value in given.items() if value is not None})
    chosen = parent or Versions(load_settings().home).active or UNTRAINED
    if chosen == UNTRAINED:
        raise typer.BadParameter(
            "no version is active; `convgate pretrain` makes one",
            param_hint="--from",
        )
    plan = Plan(
        tuple(files),
        settings,
        parent=chosen,
        skip_bad=skip_bad,
        replay=tuple(replay or ()),
    )
    new = NewVersion(name, note, who or login_name(), "better" if activate else "never")
    run_training(plan, run, new, json=json_output, out=out)


@dataclass(frozen=True)
class NewVersion:
    """What the command line says of the version to make."""

    name: str | None
    note: str
    who: str
    activate: Activate


def run_training(plan: Plan, folder: Path | None, new: NewVersion, *, json: bool, out: Path | None) -> None:
    """Train as planned, in the run's folder or a new one, and print the outcome."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from convgate.core.settings import load_settings
    from convgate.policies.build import EncoderOnDemand
    from convgate.training.progress import StoppedError
    from convgate.training.run import Run, Runs
    from convgate.training.train import train_version
    from convgate.versions import Versions

    settings = load_settings()
    run = Run(folder) if folder else Runs(settings.home).new()
    if run.request is None:
        texts = {"name": new.name or "", "note": new.note, "who": new.who}
        run.write_request(plan.request(run.folder, **texts, activate=new.activate))
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
                run=run,
                listener=_Bar(bar),
                name=new.name,
                note=new.note,
                who=new.who,
                activate=new.activate,
            )
        except (KeyboardInterrupt, StoppedError):
            tell(f"Stopped. The same command with --run {run.folder} resumes after the last whole epoch.")
            raise typer.Exit(130) from None
        except ConvgateError:
            if folder is None and run.has_record:
                tell(f"The run is kept in {run.folder}: --run resumes it.")
            elif folder is None:
                rmtree(run.folder, ignore_errors=True)
            raise
    if json or out:
        write_json(outcome.to_json(), out)
        return
    name = outcome.version.name
    typer.echo(f"Version {name} was made; its learned threshold is {outcome.threshold:.2f}.")
    for sentence in (*outcome.notes, outcome.sentence):
        if sentence:
            typer.echo(sentence)
    if outcome.active:
        typer.echo("It is active.")
    else:
        why = outcome.why_not_active if new.activate == "better" else ""
        typer.echo(f"{why} To activate it: convgate versions activate {name}".lstrip())


class _Bar:
    """A bar for the present stage on a terminal, and a line for every epoch."""

    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("", total=None)

    def stage(self, name: str) -> None:
        from convgate.transcripts.characters import printable

        self._bar.reset(self._task, total=None, description=printable(name))

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
