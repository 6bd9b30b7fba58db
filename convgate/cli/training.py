"""`convgate train`: make a new version of the gate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from convgate.cli.options import SkipBadOption, given
from convgate.cli.output import print_note, progress_bar
from convgate.cli.result import Result, with_json
from convgate.core.errors import ConvgateError
from convgate.core.home import login_name

if TYPE_CHECKING:
    from convgate.training.epochs import Epoch
    from convgate.training.records import Activate
    from convgate.training.sets import Plan

NameOption = Annotated[str | None, Option(help="What the new version is called.")]
RunOption = Annotated[Path | None, Option(help="Folder of the run, to resume it.", file_okay=False)]
EpochsOption = Annotated[int | None, Option(help="At most this many epochs.", min=1, max=1000)]
RateOption = Annotated[float | None, Option(help="The largest step size.", min=1e-6, max=0.1)]
SeedOption = Annotated[int, Option(help="Fixes everything that is drawn.", min=0)]
NoteOption = Annotated[str, Option(help="A sentence for the version's card.")]
WhoOption = Annotated[str | None, Option(help="Who made it; your user name by default.")]
ActivateOption = Annotated[bool, Option("--activate", help="Use the new version from now on.")]


@with_json
def train(
    files: Annotated[list[Path], Argument(help="Relevance sets.", metavar="SET.jsonl", exists=True)],
    parent: Annotated[str | None, Option("--from", help="Version to start from; the active one.")] = None,
    name: NameOption = None,
    run: RunOption = None,
    epochs: EpochsOption = None,
    learning_rate: RateOption = None,
    seed: SeedOption = 0,
    note: NoteOption = "",
    who: WhoOption = None,
    replay: Annotated[list[str] | None, Option(help="scenarios, sequences or dialogues.")] = None,
    activate: Annotated[bool, Option(help="Activate it if it is better than its parent.")] = True,
    skip_bad: SkipBadOption = False,
) -> Result:
    """Train a version further on labelled conversations.

    A fifth of the conversations is held out for comparing both versions; about a third of the others chooses
    the epoch and the threshold. With fewer than 25, both are compared by cross-validation; with fewer than
    three, nothing is compared. "Better": the 95% interval of the gain excludes 0, on at least 25 held-out
    conversations. Texts that come with convgate can be replayed, so that few labels make it forget nothing.
    After Ctrl-C, the same command with --run FOLDER resumes.
    """
    from convgate.core.settings import load_settings
    from convgate.training.epochs import FURTHER
    from convgate.training.sets import Plan
    from convgate.versions import UNTRAINED, Versions

    settings = replace(FURTHER, **given(epochs=epochs, learning_rate=learning_rate, seed=seed))
    chosen = parent or Versions(load_settings().home).active or UNTRAINED
    if chosen == UNTRAINED:
        raise typer.BadParameter(
            "no version is active; add one with `convgate versions import`, or make one in a checkout with"
            " `convgate pretrain`",
            param_hint="--from",
        )
    plan = Plan(tuple(files), settings, parent=chosen, skip_bad=skip_bad, replay=tuple(replay or ()))
    activation: Activate = "better" if activate else "never"
    return run_training(plan, run, name=name, note=note, who=who, activate=activation)


def run_training(
    plan: Plan, folder: Path | None, *, name: str | None, note: str, who: str | None, activate: Activate
) -> Result:
    """Train as planned, in the run's folder or a new one, and return the outcome."""
    from convgate.core.extras import needs_extra
    from convgate.core.settings import load_settings
    from convgate.evaluation.sending import Sending
    from convgate.policies.build import EncoderOnDemand
    from convgate.training.progress import StoppedError
    from convgate.training.run import Run, Runs

    with needs_extra("train", "training"):
        from convgate.training.train import train_version

    from convgate.versions import Versions

    settings, who = load_settings(), who or login_name()
    run = Run(folder) if folder else Runs(settings.home).new()
    if run.request is None:
        run.write_request(plan.request(run.folder, name=name or "", note=note, who=who, activate=activate))
    with progress_bar() as report:
        try:
            outcome = train_version(
                plan, encoder=EncoderOnDemand(settings), versions=Versions(settings.home), run=run,
                progress=report, on_epoch=_print_epoch, name=name, note=note, who=who, activate=activate,
                sending=Sending.of(settings),
            )  # fmt: skip
        except (KeyboardInterrupt, StoppedError):
            print_note(
                f"Stopped. The same command with --run {run.folder} resumes after the last whole epoch."
            )
            raise typer.Exit(130) from None
        except ConvgateError:
            if folder is None and run.has_record:
                print_note(f"The run is kept in {run.folder}: --run resumes it.")
            elif folder is None:
                rmtree(run.folder, ignore_errors=True)
            raise
    name, active = outcome.version.name, "It is active."
    if not outcome.active:
        why = outcome.why_not_active if activate == "better" else ""
        active = f"{why} To activate it: convgate versions activate {name}".lstrip()
    return Result(
        outcome.to_json(),
        f"Version {name} was made; its learned threshold is {outcome.threshold:.2f}.",
        filter(None, (*outcome.notes, outcome.sentence)),
        active,
    )


def _print_epoch(epoch: Epoch) -> None:
    mark = "  best so far" if epoch.best else ""
    typer.echo(
        f"epoch {epoch.number:3}  loss {epoch.loss:.3f}  validation {epoch.validation_loss:.3f}"
        f"  precision {epoch.precision:.3f}  recall {epoch.recall:.3f}"
        f"  residual gate {epoch.activation:.3f}{mark}",
        err=True,
    )
