"""Train a gate from scratch: on the texts in the checkout, and on the sets named.

python -m tools.pretraining train SET.jsonl … [--name NAME]
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from convgate.cli.options import SkipBadOption, given
from convgate.cli.result import Result, with_json
from convgate.cli.training import (
    ActivateOption,
    EpochsOption,
    NameOption,
    NoteOption,
    RateOption,
    RunOption,
    SeedOption,
    WhoOption,
    run_training,
)
from convgate.training.epochs import TrainingSettings
from convgate.training.records import Activate
from tools.pretraining.sets import PretrainingPlan

app = typer.Typer(add_completion=False)


@app.command()
@with_json
def pretrain(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            help="Relevance sets (JSONL); conversations without cases are woven.",
            metavar="SET.jsonl",
            exists=True,
        ),
    ] = None,
    preset: Annotated[str, typer.Option(help="Preset of the gate: full or reference.")] = "full",
    name: NameOption = None,
    run: RunOption = None,
    epochs: EpochsOption = None,
    learning_rate: RateOption = None,
    seed: SeedOption = 0,
    note: NoteOption = "",
    who: WhoOption = None,
    activate: ActivateOption = False,
    skip_bad: SkipBadOption = False,
) -> Result:
    """Train a gate from scratch: on the texts in the checkout, and on the sets named.

    After Ctrl-C, the same command with --run FOLDER resumes.
    """
    settings = replace(TrainingSettings(), **given(epochs=epochs, learning_rate=learning_rate, seed=seed))
    plan = PretrainingPlan(tuple(files or ()), settings, preset=preset, skip_bad=skip_bad)
    activation: Activate = "always" if activate else "never"
    return run_training(plan, run, name=name, note=note, who=who, activate=activation)
